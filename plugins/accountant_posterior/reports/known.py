"""What is public anyway: what it tells by itself, and what the releases tell beyond it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from accountant import Interval
from accountant.report import Block, Callout, Definitions, Items, Paragraph, Section, Table
from accountant_posterior.reports.shared import VERDICTS, reading, total
from accountant_posterior.reports.wording import between, counted

if TYPE_CHECKING:
    from accountant import Certificate
    from accountant.certificate import CertifiedPublic, Enclosure, RelativeBudget


def beside_public_facts(certificate: Certificate) -> list[Section]:
    """What is promised relative to public information, with all that the numbers depend on."""
    known = certificate.contents.public
    if not known:
        return []
    words = (
        "These bounds are about what the releases tell beyond facts that are public anyway: how well an output tells two "
        "secrets apart, each averaged over the data that a scenario holds possible."
    )
    return [Section("Beside public facts", (Paragraph(words), *(block for item in known for block in _beside(item))))]


def known_anyway(certificate: Certificate) -> list[Section]:
    """The same facts in plain words: what anybody can know without the publication."""
    known = certificate.contents.public
    if not known:
        return []
    facts = tuple(dict.fromkeys(_fact(item) for item in known))
    told = [
        f"{found.secret} ({found.scenario}): a chance of {_chance(found.before)} before these facts, of "
        f"{_chance(found.given)} with them"
        for item in known
        for found in item.revealed
    ]
    return [
        Section(
            "What is known anyway?",
            (
                Paragraph("Some facts are public whatever is published here:"),
                Items(facts),
                Paragraph("They tell something by themselves. No limit on this page counts that."),
                *([Items(tuple(told))] if told else []),
            ),
        )
    ]


def _beside(item: CertifiedPublic) -> list[Block]:
    apart, name = item.apart, item.stated.name
    moved = "any number of units" if apart.units is None else counted(apart.units, "unit")
    left = "" if apart.live is None else f"; {counted(apart.live, 'pair')} left undecided"
    rows = tuple(_relative(budget) for budget in item.budgets)
    entries = (
        ("Public", _fact(item)),
        ("Considered possible", item.scenarios),
        ("Secrets", f"{item.pairs}{left}"),
        ("Changes with a secret", moved),
    )
    table = Table(f"Beyond '{name}', rounded up", ("reading", "at most", "budget"), rows)
    return [Definitions(entries), table, _revealed(item, name)]


def _relative(budget: RelativeBudget) -> tuple[str, str, str]:
    found, kept = budget.guarantee, VERDICTS[budget.verdict]
    if found is None:
        return budget.divergence, "no bound", kept
    return f"{budget.divergence}: {reading(found)}", total(found, 6), kept


def _revealed(item: CertifiedPublic, name: str) -> Block:
    rows = tuple((found.secret, found.scenario, _chance(found.before), _chance(found.given)) for found in item.revealed)
    if rows:
        columns = ("secret", "scenario", "chance before", "chance given it")
        return Table(f"What '{name}' told by itself, outside every budget", columns, rows)
    words = f"What '{name}' tells by itself is outside every budget. The scenarios do not say how much that is."
    return Callout("warning", "Public facts are not protected", (Paragraph(words),))


def _fact(item: CertifiedPublic) -> str:
    return f"{item.stated.name}: {item.value}"


def _chance(value: Enclosure) -> str:
    if value.exact is not None:
        return between(Interval.of(value.exact))
    return between(Interval(Interval.of(value.lower).lower, Interval.of(value.upper).upper))
