"""Promises side by side: what each says, block by block, and which implies which."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

from accountant.promise.guarantee import Verdict
from accountant.report.document import Block, Callout, Definitions, Document, Items, Paragraph, Section
from accountant.report.messages import in_a_row, say, spoken
from accountant.report.table import Table
from accountant.report.translated import term, told

if TYPE_CHECKING:
    from accountant.analysis.implication import Implication
    from accountant.promise.specification import Specification

_BLOCKS = ("domain", "scope", "unit", "standard", "intensity")
_TONES: dict[Verdict, Literal["guarantee", "warning", "note"]] = {
    Verdict.IMPLIED: "guarantee",
    Verdict.REFUTED: "warning",
    Verdict.UNKNOWN: "note",
    Verdict.VACUOUS: "warning",
}


def comparison(promises: Mapping[str, Specification], found: Mapping[tuple[str, str], Implication]) -> Document:
    """The document about some promises by their names, and whether each implies each other."""
    names = list(promises)
    return Document(
        in_a_row(names),
        (
            Paragraph(_conclusion(found)),
            Table(
                say("compare.matrix"),
                (say("compare.first"), *names),
                tuple((first, *(_cell(first, second, found) for second in names)) for first in names),
            ),
            Section(say("compare.why"), tuple(_why(pair, item) for pair, item in found.items())),
            Section(
                say("compare.blocks"),
                (
                    Paragraph(say("compare.five")),
                    Table(
                        say("compare.table"),
                        (say("compare.block"), *names),
                        tuple(
                            (say(f"compare.{block}"), *row)
                            for block, row in zip(_BLOCKS, zip(*map(_said, promises.values()), strict=True), strict=True)
                        ),
                    ),
                ),
            ),
            Section(
                say("compare.words"),
                (
                    Definitions(
                        tuple((say(f"compare.{item.value}"), say(f"compare.{item.value}_means")) for item in Verdict)
                    ),
                ),
            ),
        ),
        say("compare.subtitle"),
    )


def _conclusion(found: Mapping[tuple[str, str], Implication]) -> str:
    """What is found, in one sentence for each pair of which one implies the other."""
    implied = [
        say("compare.implies", first=first, second=second) for (first, second), item in found.items() if _holds(item)
    ]
    return " ".join(implied) if implied else say("compare.none")


def _holds(item: Implication) -> bool:
    return item.verdict is Verdict.IMPLIED


def _cell(first: str, second: str, found: Mapping[tuple[str, str], Implication]) -> str:
    return "—" if first == second else say(f"compare.{found[first, second].verdict.value}")


def _why(pair: tuple[str, str], item: Implication) -> Block:
    """What decides whether one implies the other."""
    decisive = [reason for reason in item.reasons if reason.verdict is item.verdict]
    reasons = tuple(f"{say(f'compare.reason.{reason.block}')}: {told(reason.words)}" for reason in decisive)
    title = say("compare.asked", first=pair[0], second=pair[1], verdict=say(f"compare.{item.verdict.value}"))
    return Callout(_TONES[item.verdict], title, (Items(reasons),) if reasons else ())


def _said(specification: Specification) -> tuple[str, str, str, str, str]:
    """The five blocks of a specification in words."""
    neighbours, budgets = specification.neighbours, specification.budgets
    fixed = "; ".join(invariant.name for invariant in specification.invariants)
    unit = (
        say("compared.one", unit=spoken().unit(neighbours.unit))
        if neighbours.group == 1
        else say("compared.several", group=neighbours.group, units=spoken().unit(neighbours.unit, neighbours.group))
    )
    inside = "" if neighbours.attributes is None else say("compare.inside", names=in_a_row(sorted(neighbours.attributes)))
    return (
        term(specification.domain.described),
        say("compare.fixed", names=fixed) if fixed else say("compare.everywhere"),
        f"{unit}, {neighbours.relation.name}{inside}",
        "; ".join(dict.fromkeys(budget.divergence.title for budget in budgets)) or "—",
        "; ".join(budget.divergence.describe(budget.parameter) for budget in budgets) or "—",
    )
