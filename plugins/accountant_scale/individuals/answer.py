"""Answer: what was found, as plain data and as lines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from accountant import Interval
from accountant.certificate import Verification
from accountant.numbers import plain
from accountant_scale.individuals.run import Individuals
from accountant_scale.individuals.summary import Spread

_DIGITS = 10
_SHOWN = 6

CONFIDENTIAL = (
    "CONFIDENTIAL: who took part depends on the data, so that these losses depend on it too; publishing any of them, or "
    "their distribution, is a release of its own, and that they are within a budget is found afterwards, not promised"
)
DESIGNED = "by design: who took part was fixed without looking at the data, so that the largest loss is a promise"


def data_of(found: Individuals) -> dict[str, Any]:
    """What was found, as plain data."""
    further = {} if found.left_out is None else {"left_out": found.left_out}
    return {
        "plan": found.plan.title,
        "participation": found.participation,
        "confidential": found.confidential,
        "note": CONFIDENTIAL if found.confidential else DESIGNED,
        "units": found.units,
        "signatures": len(found.signatures),
        "readings": [
            {
                "reading": reading,
                "worst": _ends(spread.worst),
                "worst_signature": found.classes.words(spread.worst_signature),
                "quantiles": [{"share": plain(share), "value": _ends(value)} for share, value in spread.quantiles],
                "verdicts": dict(spread.verdicts),
            }
            for reading, spread in named(found)
        ],
        **further,
    }


def verified_data(found: Verification) -> dict[str, Any]:
    """Whether a certificate follows from what was found, and every place where it does not."""
    faults = [{"message": fault.message, "place": fault.place} for fault in found.differences]
    return {"verified": not faults, "differences": faults}


def named(found: Individuals) -> Iterator[tuple[str, Spread]]:
    """What each spread is of: the plan's budgets, then its questions."""
    plan = found.plan
    budgets = (str(budget) for budget in plan.specification.budgets)
    questions = (
        f"{question.divergence.title}{''.join(f', {word} = {plain(value)}' for word, value in question.words)}"
        for question in plan.questions
    )
    return zip((*budgets, *questions), found.spreads, strict=True)


def lines_of(found: Individuals) -> Iterator[tuple[str, str]]:
    """What was found below its verdict: labels and texts."""
    yield "note", CONFIDENTIAL if found.confidential else DESIGNED
    yield "between", found.plan.comparison.between
    yield from (("note", condition) for condition in found.plan.comparison.conditions)
    yield "units", f"{found.units:,}, with {len(found.signatures):,} different signatures"
    for reading, spread in named(found):
        yield "reading", reading
        yield "worst", f"{_shown(spread.worst)}, with {found.classes.words(spread.worst_signature)}"
        for share, value in spread.quantiles:
            yield f"{float(100 * share):g} %", f"at most {_shown(value)}"
    if found.left_out is not None:
        yield "left out", f"{found.left_out:,} units must be left out of the next release"


def _shown(value: Interval) -> str:
    low, high = value.rounded(_SHOWN)
    return low if low == high else f"{low} to {high}"


def _ends(value: Interval) -> dict[str, str]:
    lower, upper = value.rounded(_DIGITS)
    return {"lower": lower, "upper": upper}


def schema() -> dict[str, Any]:
    """What the command prints with --json, as a JSON Schema."""
    text, whole, ends = {"type": "string"}, {"type": "integer", "minimum": 0}, {"$ref": "#/$defs/interval"}
    quantile = _table({"share": {"$ref": "#/$defs/number"}, "value": ends})
    verdicts = {"type": "object", "additionalProperties": whole}
    reading = {"reading": text, "worst": ends, "worst_signature": text, "quantiles": _list(quantile), "verdicts": verdicts}
    needed = {
        "plan": text,
        "participation": {"enum": ["design", "data"]},
        "confidential": {"type": "boolean"},
        "note": text,
        "units": whole,
        "signatures": whole,
        "readings": _list(_table(reading)),
    }
    differences = _list({"$ref": "#/$defs/fault"})
    return _table(needed, left_out=whole, verified={"type": "boolean"}, differences=differences)


def _list(items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items}


def _table(needed: dict[str, Any], **further: Any) -> dict[str, Any]:
    properties = {**needed, **further}
    return {"type": "object", "properties": properties, "required": list(needed), "additionalProperties": False}
