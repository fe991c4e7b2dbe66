"""The summary of a certificate: what each release costs, the total, the verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from attrs import frozen

from accountant.numbers.interval import Interval
from accountant.promise.guarantee import Verdict
from accountant.report import Block, Document, Paragraph, Report, Table

if TYPE_CHECKING:
    from accountant.accounting.account import Account
    from accountant.certificate.certificate import Certificate

_SENTENCES = {
    Verdict.IMPLIED: "kept",
    Verdict.REFUTED: "EXCEEDED",
    Verdict.UNKNOWN: "UNKNOWN: the bounds do not settle it",
    Verdict.VACUOUS: "VACUOUS: no two datasets are compared, so nothing is promised",
}
_RISKS = {**_SENTENCES, Verdict.IMPLIED: "tolerated", Verdict.REFUTED: "NOT TOLERATED"}
_MOST_ROWS = 100


@frozen
class Summary(Report):
    """One table: a row for each release, the total, the budget and whether it is kept."""

    name: ClassVar[str] = "summary"
    meaning: ClassVar[str] = "what each release costs alone, what all cost together, and whether the budgets are kept"

    def build(self, certificate: Certificate, account: Account) -> Document:
        data = certificate.data
        budgets = data["budgets"]
        columns = ("release", "mechanism", "times", *(_heading(budget) for budget in budgets))
        rows = [
            (
                _named(release),
                _randomness(release),
                f"{release['times']:,}",
                *(_shown(c) for c in release.get("costs", ())),
            )
            for release in data["releases"][:_MOST_ROWS]
        ]
        left = len(data["releases"]) - len(rows)
        if left:
            rows.append((f"and {left:,} more", "", ""))
        rows.append(("all together", "", "", *(_shown(budget["guarantee"]["value"]) for budget in budgets)))
        rows.append(("budget", "", "", *(budget[budget["guarantee"]["value"]["name"]] for budget in budgets)))
        verdicts = [f"{_heading(budget)}: {_SENTENCES[Verdict(budget['verdict'])]}." for budget in budgets]
        blocks: tuple[Block, ...] = (
            Paragraph(_promise(data["specification"])),
            Table("What the releases cost, rounded up", columns, tuple(rows)),
            *(Paragraph(line) for line in verdicts),
            *_readings(data.get("readings", ())),
            *_insider(data.get("insider", ())),
            *_universe(data),
            *_scenarios(data.get("scenarios", ())),
            *(block for known in data.get("public", ()) for block in _public(known)),
            *_risks(data.get("risks", ())),
            *_formulas(budgets),
        )
        return Document(data["title"], blocks)


def _readings(readings: Sequence[Mapping[str, Any]]) -> list[Table]:
    """What else the plan asks for, from both sides."""
    rows = [(_reading(item), *(_outward(item["value"][end], end) for end in ("lower", "upper"))) for item in readings]
    return [Table("Further readings of all together", ("reading", "at least", "at most"), tuple(rows))] if rows else []


def _outward(number: str, end: str) -> str:
    return "infinite" if number == "inf" else Interval.of(number).rounded(6)[end == "upper"]


def _insider(guarantees: Sequence[Mapping[str, Any]]) -> list[Paragraph]:
    """What sampling does not hide from those who know who was sampled."""
    if not guarantees:
        return []
    values = ", ".join(f"{_reading(item)} {_shown(item['value'])}" for item in guarantees)
    return [Paragraph(f"Against someone who knows who was sampled: {values}.")]


def _universe(data: Mapping[str, Any]) -> list[Paragraph]:
    """For whom nothing is promised, and how far apart those are for whom something is."""
    if "universe" not in data:
        return []
    universe = data["universe"]
    said = [f"Nothing is promised between datasets that differ in: {', '.join(universe['unprotected'])}."]
    if "apart" in universe:
        unit, least = data["specification"]["unit"], universe["closest"]["least"]
        said.append(f"All others differ in at least {least} units ({unit}); between those the bounds are")
        values = zip(data["budgets"], universe["apart"], strict=True)
        said.append(", ".join(f"{_heading(budget)} {_shown(value)}" for budget, value in values) + ".")
    return [Paragraph(" ".join(said))]


def _scenarios(scenarios: Sequence[Mapping[str, Any]]) -> list[Table]:
    """What holds for someone who is only concerned about some attributes."""
    if not scenarios:
        return []
    stakes = tuple((item["name"], ", ".join(item["attributes"])) for item in scenarios)
    values = tuple(
        (_reading(guarantees[0]), *(_shown(guarantee["value"]) for guarantee in guarantees))
        for guarantees in zip(*(item["guarantees"] for item in scenarios), strict=True)
    )
    return [
        Table("Scenarios: what an attacker may try to learn", ("scenario", "attributes"), stakes),
        Table("What can be gained in each, rounded up", ("reading", *(item["name"] for item in scenarios)), values),
    ]


def _public(known: Mapping[str, Any]) -> list[Paragraph | Table]:
    """What holds relative to public information, with all that the number depends on."""
    stated, apart = known["stated"], known["apart"]
    units = (
        "any number of units" if "units" not in apart else "1 unit" if apart["units"] == 1 else f"{apart['units']:,} units"
    )
    live = f" Pairs left undecided: {apart['live']:,}." if "live" in apart else ""
    said = (
        f"Relative to '{stated['name']}' ({known['value']}). Scenarios: {known['scenarios']}. Secrets: {known['pairs']}. "
        f"A change of secret may go with a change of {units}.{live}"
    )
    rows = tuple(
        (
            _reading(found) if "value" in found else str(budget["divergence"]),
            _shown(found["value"]) if "value" in found else "no bound",
            _SENTENCES[Verdict(budget["verdict"])] + (f" ({found['remark']})" if found.get("remark") else ""),
        )
        for budget in known["budgets"]
        for found in [budget["relative"]]
    )
    blocks: list[Paragraph | Table] = [
        Paragraph(said),
        Table(f"What the releases tell beyond '{stated['name']}', rounded up", ("reading", "at most", "budget"), rows),
    ]
    revealed = tuple(
        (item["secret"], item["scenario"], _both(item["before"]), _both(item["given"])) for item in known["revealed"]
    )
    if revealed:
        title = f"What '{stated['name']}' told by itself, outside every budget"
        blocks.append(Table(title, ("secret", "scenario", "probability before", "probability given it"), revealed))
    else:
        blocks.append(Paragraph(f"What '{stated['name']}' tells by itself is outside every budget, and is not known here."))
    return blocks


def _risks(risks: Sequence[Mapping[str, Any]]) -> list[Paragraph]:
    """Whether the risk that was called tolerable is kept, and against whom."""
    return [
        Paragraph(f"Risk '{risk['stated']['kind']}': {_RISKS[Verdict(risk['verdict'])]}. {risk['statement']}")
        for risk in risks
    ]


def _both(value: Mapping[str, str]) -> str:
    low, high = (_outward(value[end], end) for end in ("lower", "upper"))
    return low if low == high else f"{low} to {high}"


def _formulas(budgets: list[Mapping[str, Any]]) -> list[Table]:
    """What formulas from the literature make of the totals, for readers who know those numbers."""
    rows = [
        (
            _heading(budget),
            f"{item['theorem']['key']}, {item['theorem']['locator']}",
            item["of"],
            _shown(item),
        )
        for budget in budgets
        for item in budget["published"]
    ]
    columns = ("budget", "formula", "applied to", "value")
    return [Table("The same by published formulas, rounded up", columns, tuple(rows))] if rows else []


def _heading(budget: Mapping[str, Any]) -> str:
    return _reading(budget["guarantee"])


def _reading(guarantee: Mapping[str, Any]) -> str:
    at = "".join(f" at {word} {number}" for word, number in guarantee["at"].items())
    return f"{guarantee['divergence']} {guarantee['value']['name']}{at}"


def _named(release: Mapping[str, Any]) -> str:
    scope = release.get("scope")
    return f"{release['name']} [{scope['partition']}: {scope['part']}]" if scope else str(release["name"])


def _randomness(release: Mapping[str, Any]) -> str:
    mechanism = _kind(release["mechanism"])
    return f"{mechanism} on a sample: {_kind(release['sampling'])}" if "sampling" in release else mechanism


def _kind(data: Mapping[str, Any]) -> str:
    inside = ", ".join(f"{key} {_value(value)}" for key, value in data.items() if key != "kind")
    return f"{data['kind']} ({inside})" if inside else str(data["kind"])


def _value(value: Any) -> str:
    from accountant.values.hygiene import shortened

    if isinstance(value, list) and any(isinstance(item, Mapping) for item in value):
        return "; ".join(_value(item) for item in value)
    if not isinstance(value, Mapping):
        return shortened(str(value), 60)
    return _kind(value) if "kind" in value else ", ".join(f"{key} {_value(item)}" for key, item in value.items())


def _shown(value: Mapping[str, str]) -> str:
    """The upper end, which is what holds, at the six figures a person can read."""
    if value["upper"] == "inf":
        return "infinite"
    return Interval.of(value["upper"]).rounded(6)[1]


def _promise(specification: Mapping[str, Any]) -> str:
    parts = [f"Neighbours: {specification['neighbours']}, unit: {specification['unit']}."]
    if "group" in specification:
        parts.append(f"Up to {specification['group']:,} units differ at once.")
    if "attributes" in specification:
        parts.append(f"Attributes that may differ: {', '.join(specification['attributes']) or 'none'}.")
    if "invariants" in specification:
        known = [item if isinstance(item, str) else item["name"] for item in specification["invariants"]]
        parts.append(f"Published exactly: {', '.join(known)}.")
    return " ".join(parts)
