"""The summary of a certificate: what each release costs, the total, the verdict."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from attrs import frozen

from accountant.guarantee import Verdict
from accountant.interval import Interval
from accountant.report import Document, Paragraph, Report, Table

if TYPE_CHECKING:
    from accountant.certificate import Certificate

_SENTENCES = {
    Verdict.IMPLIED: "kept",
    Verdict.REFUTED: "EXCEEDED",
    Verdict.UNKNOWN: "UNKNOWN: the bounds do not settle it",
    Verdict.VACUOUS: "VACUOUS: no two datasets are compared, so nothing is promised",
}


@frozen
class Summary(Report):
    """One table: a row for each release, the total, the budget and whether it is kept."""

    name: ClassVar[str] = "summary"
    meaning: ClassVar[str] = "what each release costs alone, what all cost together, and whether the budgets are kept"

    def build(self, certificate: Certificate) -> Document:
        data = certificate.data
        budgets = data["budgets"]
        columns = ("release", "mechanism", "times", *(_heading(budget) for budget in budgets))
        rows = [
            (
                release["name"],
                _randomness(release),
                f"{release['times']:,}",
                *(_shown(c) for c in release["costs"]),
            )
            for release in data["releases"]
        ]
        rows.append(("all together", "", "", *(_shown(budget["guarantee"]["value"]) for budget in budgets)))
        rows.append(("budget", "", "", *(budget[budget["guarantee"]["value"]["name"]] for budget in budgets)))
        verdicts = [f"{_heading(budget)}: {_SENTENCES[Verdict(budget['verdict'])]}." for budget in budgets]
        blocks: tuple[Paragraph | Table, ...] = (
            Paragraph(_promise(data["specification"])),
            Table("What the releases cost, rounded up", columns, tuple(rows)),
            *(Paragraph(line) for line in verdicts),
        )
        return Document(data["title"], blocks)


def _heading(budget: Mapping[str, Any]) -> str:
    value = budget["guarantee"]["value"]["name"]
    at = "".join(f" at {word} {number}" for word, number in budget["guarantee"]["at"].items())
    return f"{budget['divergence']} {value}{at}"


def _randomness(release: Mapping[str, Any]) -> str:
    mechanism = _kind(release["mechanism"])
    return f"{mechanism} on a sample: {_kind(release['sampling'])}" if "sampling" in release else mechanism


def _kind(data: Mapping[str, Any]) -> str:
    inside = ", ".join(f"{key} {_value(value)}" for key, value in data.items() if key != "kind")
    return f"{data['kind']} ({inside})" if inside else str(data["kind"])


def _value(value: Any) -> str:
    if isinstance(value, list):
        return "; ".join(_value(item) for item in value)
    if not isinstance(value, Mapping):
        return str(value)
    return _kind(value) if "kind" in value else ", ".join(f"{key} {_value(item)}" for key, item in value.items())


def _shown(value: Mapping[str, str]) -> str:
    """The upper end, which is what holds, at the six figures a person can read."""
    if value["upper"] == "inf":
        return "infinite"
    return Interval.of(value["upper"]).rounded(6)[1]


def _promise(specification: Mapping[str, Any]) -> str:
    parts = [f"Neighbours: {specification['neighbours']}, unit: {specification['unit']}."]
    if "attributes" in specification:
        parts.append(f"Attributes that may differ: {', '.join(specification['attributes']) or 'none'}.")
    if "invariants" in specification:
        parts.append(f"Published exactly: {', '.join(specification['invariants'])}.")
    return " ".join(parts)
