"""Beliefs over a sequence of releases: how far a posterior may move as a plan is carried out again and again."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from attrs import frozen

from accountant import Account, InvalidValue
from accountant.commands import Form, new_folder, write_page, write_table
from accountant.progress import steps
from accountant.report import Axis, Callout, Curves, Document, Paragraph, Section, Series, Table
from accountant_posterior.semantics.bound import PosteriorBound
from accountant_posterior.semantics.semantics import Semantics

LABEL = "bounds for attackers who know all other records"
_PRIORS = tuple(Fraction(step, 50) for step in range(1, 50))


@frozen
class Route:
    """One way to read an account: a label, what is read, and with which chance of failure."""

    label: str
    semantics: Semantics
    failure: Fraction

    def posterior(self, count: int, prior: Fraction) -> PosteriorBound:
        return self.semantics.times(count).posterior(prior, self.failure)

    def difference(self, count: int, prior: Fraction | None = None) -> PosteriorBound:
        return self.semantics.times(count).difference(prior, self.failure)

    def ratio(self, prior: Fraction) -> PosteriorBound:
        return self.semantics.ratio(prior, self.failure)


def routes(account: Account, failure: Fraction, delta: Fraction | None) -> list[Route]:
    """Always; except with a probability, from the whole curve; and the same from one delta, as the literature does."""
    found = []
    if failure == 0 and delta is not None:
        raise InvalidValue("--delta is where bounds that may fail start from; say with --failure how often they may")
    always = Route("always", Semantics(account), Fraction(0))
    if always.semantics.gain(0).widest.upper < float("inf"):
        found.append(always)
    if failure:
        found.append(Route(f"except with probability {float(failure):g}", Semantics(account), failure))
    if delta is not None:
        found.append(Route(f"the same, from delta = {float(delta):g}", Semantics(account, slack=delta), failure))
    if not found:
        raise InvalidValue("nothing holds always for this plan; say with --failure how often a bound may fail")
    return found


@frozen
class BeliefStudy:
    """What was read, for each route: bounds after 1, 2, ... times, and over priors after one."""

    plan: str
    who: str
    """Who the attacker is, in words that follow "an attacker"."""
    secret: str
    prior: Fraction
    counts: tuple[int, ...]
    labels: tuple[str, ...]
    posterior: tuple[tuple[float, ...], ...]
    difference: tuple[tuple[float, ...], ...]
    ratio_by_prior: tuple[tuple[float, ...], ...]
    difference_by_prior: tuple[tuple[float, ...], ...]

    @classmethod
    def of(cls, plan: str, found: Sequence[Route], prior: Fraction, most: int) -> BeliefStudy:
        """Read at up to sixty numbers of times."""
        counts = tuple(sorted({max(1, round(most * step / 60)) for step in range(1, 61)} | {1, most}))
        after: list[list[tuple[float, ...]]] = [[], [], [], []]
        for route in steps(list(found)):
            bounds = (
                [route.posterior(count, prior) for count in counts],
                [route.difference(count) for count in counts],
                [route.ratio(belief) for belief in _PRIORS],
                [route.difference(1, belief) for belief in _PRIORS],
            )
            for column, row in zip(after, bounds, strict=True):
                column.append(tuple(map(_farthest, row)))
        told, labels = found[0].semantics, tuple(route.label for route in found)
        return cls(plan, told.who, told.secret, prior, counts, labels, *(tuple(column) for column in after))

    @property
    def meaning(self) -> str:
        """What is guaranteed to whom, in sentences."""
        return (
            f"A guarantee for an attacker {self.who}, who wants to learn {self.secret}, as a plan is carried out once, "
            "twice and so on, on the same data: no posterior probability lies farther out, always or except with a "
            "probability that is stated."
        )


def _farthest(bound: PosteriorBound) -> float:
    """How far out the reading may be: a difference to either side, anything else upwards."""
    return max(bound.upper, -bound.lower) if bound.reading == "difference" else bound.upper


def data_of(study: BeliefStudy) -> dict[str, Any]:
    """What was found, as plain data; every number is an upper bound."""
    return {
        "label": LABEL,
        "plan": study.plan,
        "attacker": f"an attacker {study.who}",
        "secret": study.secret,
        "prior": str(study.prior),
        "bounds": [
            {
                "bound": label,
                "after": [
                    {"releases": count, "posterior": f"{posterior:.9g}", "difference": f"{difference:.9g}"}
                    for count, posterior, difference in zip(study.counts, *rows, strict=True)
                ],
            }
            for label, *rows in zip(study.labels, study.posterior, study.difference, strict=True)
        ],
    }


def schema() -> dict[str, Any]:
    """What the command prints with --json, as a JSON Schema."""
    text, number = {"type": "string"}, {"$ref": "#/$defs/number"}
    after = _table({"releases": {"type": "integer", "minimum": 1}, "posterior": number, "difference": number})
    bounds = _table({"bound": text, "after": {"type": "array", "items": after}})
    return _table(
        {
            **dict.fromkeys(("label", "plan", "attacker", "secret", "prior"), text),
            "bounds": {"type": "array", "items": bounds},
            "output": text,
        }
    )


def _table(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def write_beliefs(study: BeliefStudy, folder: Path, form: Form) -> None:
    """Write a new folder; nothing of it is there if anything fails."""
    columns: dict[str, list[Any]] = {"bound": [], "releases": [], "posterior": [], "difference": []}
    for label, posterior, difference in zip(study.labels, study.posterior, study.difference, strict=True):
        for row in zip(study.counts, posterior, difference, strict=True):
            for column, value in zip(columns.values(), (label, *row), strict=True):
                column.append(value)
    figures = figures_of(study)
    page = Document(
        f"Beliefs over a sequence of releases: {study.plan}",
        (Callout("note", "What this is", (Paragraph(study.meaning),)), Section("Bounds", tuple(figures))),
        subtitle=LABEL,
        small_print=(study.meaning,),
    )
    with new_folder(folder) as draft:
        write_table(columns, draft / f"beliefs.{form}", form)
        write_page("beliefs", draft, {**data_of(study), "output": str(folder)}, page, figures)


def figures_of(study: BeliefStudy) -> list[Curves]:
    """Posterior and difference by how often the plan is carried out; ratio and difference by prior."""
    counts = [float(count) for count in study.counts]
    priors = [float(prior) for prior in _PRIORS]
    times, beforehand = "how often the plan is carried out", "probability beforehand"
    shown = f"{float(study.prior):g}"
    return [
        _curves(study, f"largest posterior from {shown}", times, counts, study.posterior, "share"),
        _curves(study, "largest difference, at the worst prior", times, counts, study.difference, "share"),
        _curves(study, "largest posterior over prior, once", beforehand, priors, study.ratio_by_prior, "number"),
        _curves(study, "largest difference, once", beforehand, priors, study.difference_by_prior, "share"),
    ]


def _curves(study: BeliefStudy, word: str, label: str, places: list[float], rows: Any, scale: Any) -> Curves:
    series = tuple(
        Series(name, tuple((x, y, y) for x, y in zip(places, row, strict=True)))
        for name, row in zip(study.labels, rows, strict=True)
    )
    some = range(0, len(places), max(1, -(-len(places) // 8)))
    table = tuple((f"{places[at]:g}", *(f"{row[at]:.4g}" for row in rows)) for at in some)
    top = 1.0 if scale == "share" else 1.05 * max(max(row) for row in rows)
    return Curves(
        f"BELIEFS: {word}",
        "Upper bounds, which no attacker of this kind exceeds.",
        Axis(label, "number", places[0], places[-1] if len(places) > 1 else places[0] + 1.0),
        Axis(word, scale, 0.0, top),
        series,
        Table(word.capitalize(), (label, *study.labels), table),
    )
