"""Answer: what a study found, as plain data and in words."""

from __future__ import annotations

from typing import Any

from accountant import Interval
from accountant.numbers import plain
from accountant_posterior.attacks.cells.attacker import Attacker
from accountant_posterior.attacks.cells.study import CellStudy
from accountant_posterior.attacks.cells.summary import Estimated, Expected, Outcome, by_area

_DIGITS = 10
_WORST = 10

KNOWS = {
    "block": "everybody else in the target's smallest area",
    "levels": "everybody else in every area that holds the target",
    "hierarchy": "everybody else in the target's smallest area, and nobody beyond it",
}


def words_of(attacker: Attacker) -> str:
    """Who attacks, in words."""
    known = KNOWS[attacker.knows]
    if attacker.missing:
        known += f", except {attacker.missing:,} of them, each of whom is counted with probability {plain(attacker.chance)}"
    if attacker.knows == "hierarchy":
        known += f"; {attacker.above.words}"
    return f"knows {known}"


def truth_of(attacker: Attacker) -> str:
    """What is true, and what the attacker should find."""
    return "the target is in the cell" if attacker.present else "the target is not in the cell"


def data_of(study: CellStudy, level: int) -> dict[str, Any]:
    """What was found, as plain data, with the worst areas of a level."""
    first = study.followed[0].attacker
    return {
        "label": study.label,
        "plan": study.plan.title,
        "people": study.cells.people,
        "seed": str(study.seed),
        "attacker": words_of(first),
        "truth": truth_of(first),
        "rare": study.rarest,
        "tables": [
            {"table": item.table, "place": item.place, "cells": item.cells, "unique": item.unique, "rare": item.rare}
            for item in study.rare
        ],
        "not_looked_at": list(study.tables.others),
        "found": [
            {
                "prior": plain(item.attacker.prior),
                **_outcome(item.outcome, item.attacker),
                "expected": None
                if item.expected is None
                else {"posterior": ends(item.expected.posterior), "right": ends(item.expected.right)},
                **_estimated(item.estimated),
                "processed": None if study.processed is None else _unknown(item.processed),
                "worst": [
                    {"area": name, **_outcome(told, item.attacker)}
                    for name, told in by_area(item.found, study.cells, level, item.attacker.present)[:_WORST]
                ],
            }
            for item in study.followed
        ],
        "areas": study.cells.places[level],
    }


def _estimated(found: Estimated | None) -> dict[str, Any]:
    """What several draws of all noise tell of the means over it."""
    if found is None:
        return {}
    return {
        "estimated": {
            "draws": found.draws,
            "posterior": ends(found.posterior),
            "posterior_error": f"{found.posterior_error:.3g}",
            "right": ends(found.right),
            "right_error": f"{found.right_error:.3g}",
        }
    }


def _unknown(bound: Expected | None) -> dict[str, Any]:
    """What is known after post-processing: nothing of a cell, and at most so much on average."""
    return {"posterior": "unknown", "mean_at_most": None if bound is None else bound.posterior.rounded(_DIGITS)[1]}


def _outcome(outcome: Outcome, attacker: Attacker) -> dict[str, Any]:
    return {
        "cells": outcome.cells,
        "mean": ends(outcome.mean),
        "largest": ends(outcome.largest),
        "risk": ends(risk(outcome.mean, attacker)),
        "right": ends(outcome.right),
        "open": outcome.open,
    }


def risk(posterior: Interval, attacker: Attacker) -> Interval:
    """Posterior over prior."""
    from accountant_posterior.attacks.beliefs import ratio

    return ratio(posterior, Interval.of(attacker.prior))


def ends(value: Interval) -> dict[str, str]:
    """Both ends as decimals, rounded outward."""
    lower, upper = value.rounded(_DIGITS)
    return {"lower": lower, "upper": upper}


def schema() -> dict[str, Any]:
    """What the command prints with --json, as a JSON Schema."""
    text, whole, interval = {"type": "string"}, {"type": "integer", "minimum": 0}, {"$ref": "#/$defs/interval"}
    told = {"cells": whole, "mean": interval, "largest": interval, "risk": interval, "right": interval, "open": whole}
    expected = {"anyOf": [{"type": "null"}, _table({"posterior": interval, "right": interval})]}
    most = {"anyOf": [{"type": "null"}, {"$ref": "#/$defs/number"}]}
    after = {"anyOf": [{"type": "null"}, _table({"posterior": text, "mean_at_most": most})]}
    worst = _list(_table({"area": text, **told}))
    number = {"$ref": "#/$defs/number"}
    means = {"posterior": interval, "posterior_error": number, "right": interval, "right_error": number}
    estimated = _table({"draws": whole, **means})
    found = _table({"prior": number, **told, "expected": expected, "processed": after, "worst": worst}, estimated=estimated)
    table = _table({"table": text, "place": text, "cells": whole, "unique": whole, "rare": whole})
    needed = {
        "label": text,
        "plan": text,
        "people": whole,
        "seed": text,
        "attacker": text,
        "truth": text,
        "rare": whole,
        "tables": _list(table),
        "not_looked_at": _list(text),
        "found": _list(found),
        "areas": text,
    }
    return _table(needed, output=text)


def _list(items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items}


def _table(needed: dict[str, Any], **further: Any) -> dict[str, Any]:
    properties = {**needed, **further}
    return {"type": "object", "properties": properties, "required": list(needed), "additionalProperties": False}
