"""What is public anyway: what it tells by itself, and what the releases tell beyond it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from accountant import Interval
from accountant.report import Block, Callout, Definitions, Items, Paragraph, Section, Table, say, told
from accountant_posterior.reports.shared import reading, total, verdict_word
from accountant_posterior.reports.wording import between

if TYPE_CHECKING:
    from accountant import Certificate
    from accountant.certificate import CertifiedPublic, Enclosure, RelativeBudget


def beside_public_facts(certificate: Certificate) -> list[Section]:
    """What is promised relative to public information, with all that the numbers depend on."""
    known = certificate.contents.public
    if not known:
        return []
    blocks = (Paragraph(say("facts.beside")), *(block for item in known for block in _beside(item)))
    return [Section(say("facts.title"), blocks)]


def known_anyway(certificate: Certificate) -> list[Section]:
    """The same facts in plain words: what anybody can know without the publication."""
    known = certificate.contents.public
    if not known:
        return []
    facts = tuple(dict.fromkeys(_fact(item) for item in known))
    told = [
        say(
            "facts.told",
            secret=found.secret,
            scenario=found.scenario,
            before=_chance(found.before),
            given=_chance(found.given),
        )
        for item in known
        for found in item.revealed
    ]
    return [
        Section(
            say("facts.known_title"),
            (
                Paragraph(say("facts.known")),
                Items(facts),
                Paragraph(say("facts.by_themselves")),
                *([Items(tuple(told))] if told else []),
            ),
        )
    ]


def _beside(item: CertifiedPublic) -> list[Block]:
    apart, name = item.apart, item.stated.name
    moved = say("facts.any_units") if apart.units is None else say("facts.units", count=apart.units)
    left = "" if apart.live is None else say("facts.pairs_left", count=apart.live)
    rows = tuple(_relative(budget) for budget in item.budgets)
    entries = (
        (say("facts.public"), _fact(item)),
        (say("facts.possible"), told(item.scenarios)),
        (say("facts.secrets"), f"{told(item.pairs)}{left}"),
        (say("facts.changes"), moved),
    )
    columns = (say("column.reading"), say("column.at_most"), say("column.budget"))
    return [Definitions(entries), Table(say("facts.table", name=name), columns, rows), _revealed(item, name)]


def _relative(budget: RelativeBudget) -> tuple[str, str, str]:
    found, kept = budget.guarantee, verdict_word(budget.verdict)
    if found is None:
        return budget.divergence, say("facts.no_bound"), kept
    return f"{budget.divergence}: {reading(found)}", total(found), kept


def _revealed(item: CertifiedPublic, name: str) -> Block:
    rows = tuple((found.secret, found.scenario, _chance(found.before), _chance(found.given)) for found in item.revealed)
    if rows:
        columns = tuple(say(f"facts.column_{word}") for word in ("secret", "scenario", "before", "given"))
        return Table(say("facts.revealed", name=name), columns, rows)
    return Callout("warning", say("facts.unprotected_title"), (Paragraph(say("facts.unprotected", name=name)),))


def _fact(item: CertifiedPublic) -> str:
    return f"{item.stated.name}: {item.value}"


def _chance(value: Enclosure) -> str:
    if value.exact is not None:
        return between(Interval.of(value.exact))
    return between(Interval(Interval.of(value.lower).lower, Interval.of(value.upper).upper))
