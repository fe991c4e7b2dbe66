"""Promises side by side: what each says, block by block, and which implies which."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from accountant.numbers.exact import plain
from accountant.promise.guarantee import Verdict
from accountant.promise.words import ComparedPairs
from accountant.report.compared import between
from accountant.report.document import Block, Callout, Definitions, Document, Items, Paragraph, Section
from accountant.report.messages import in_a_row, say, spoken
from accountant.report.table import Table
from accountant.report.translated import term, told

if TYPE_CHECKING:
    from accountant.analysis.common import CommonGround
    from accountant.analysis.implication import Implication
    from accountant.promise.guarantee import Guarantee
    from accountant.promise.specification import Specification

_BLOCKS = ("domain", "scope", "unit", "standard", "intensity")
_TONES: dict[Verdict, Literal["guarantee", "warning", "note"]] = {
    Verdict.IMPLIED: "guarantee",
    Verdict.REFUTED: "warning",
    Verdict.UNKNOWN: "note",
    Verdict.VACUOUS: "warning",
}


def comparison(
    promises: Mapping[str, Specification],
    found: Mapping[tuple[str, str], Implication],
    common: Mapping[tuple[str, str], CommonGround | str] | None = None,
) -> Document:
    """The document about some promises by their names, and whether each implies each other.

    `common` has what two of them that cannot be ranked say of the same datasets, or why that is not known.
    """
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
            *_ground(common or {}),
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


def _ground(common: Mapping[tuple[str, str], CommonGround | str]) -> list[Section]:
    """What promises that cannot be ranked say of the same datasets."""
    pairs = tuple(
        Callout("note", say("compare.both", first=names[0], second=names[1]), (Items(_shared(names, found)),))
        for names, found in common.items()
    )
    return [Section(say("compare.ground"), (Paragraph(say("compare.common")), *pairs))] if pairs else []


def _shared(names: tuple[str, str], found: CommonGround | str) -> tuple[str, ...]:
    """On which datasets, what each promises there, and which of the two is the stronger there."""
    if isinstance(found, str):
        return (told(found),)
    agreeing = "speak_agreeing" if found.invariants else "speak"
    known = in_a_row([f"'{item.name}'" for item in found.invariants])
    there = zip(names, (found.first, found.second), found.in_other_words, strict=True)
    stronger = zip((names, names[::-1]), found.implied, strict=True)
    return (
        say(f"compare.{agreeing}", domain=str(found.first.domain), names=known),
        *(_there(*item) for item in there),
        *(say("compare.there_implies", first=first, second=second) for (first, second), holds in stronger if holds),
    )


def _there(name: str, promised: Specification, read: Sequence[Guarantee]) -> str:
    """What one of two promises says on common ground, and what that gives in the definitions of the other."""
    if promised.universe.closest.vacuous:
        return say("compare.there_nothing", name=name)
    budgets = in_a_row(
        [
            say("compare.budget", definition=term(item.divergence.title), parameter=term(item.how_much))
            for item in promised.budgets
        ]
    )
    compared = between(ComparedPairs(promised.neighbours, promised.invariants))
    bounded = [_bounded(item) for item in read if item.value.upper < float("inf")]
    nothing = sorted({item.divergence for item in read if item.value.upper == float("inf")})
    said = [
        say("compare.there", name=name, budgets=budgets, datasets=compared),
        *([say("compare.gives", readings=in_a_row(bounded))] if bounded else []),
        *([say("compare.gives_none", definitions=in_a_row(nothing))] if nothing else []),
    ]
    return " ".join(said)


def _bounded(item: Guarantee) -> str:
    at = "".join(say("reading.at", word=word, value=spoken().number(plain(value))) for word, value in item.at.items())
    value = spoken().number(item.value.rounded(6)[1])
    return say("compare.reading", name=item.name, value=value, at=at, definition=item.divergence)


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
        "; ".join(term(budget.how_much) for budget in budgets) or "—",
    )
