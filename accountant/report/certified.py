"""A certified value as a document writes it, with what it says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from attrs import evolve

from accountant.numbers.exact import exact
from accountant.numbers.interval import Interval
from accountant.promise.divergence import DIVERGENCES
from accountant.promise.statement import Statement
from accountant.report.messages import in_a_row, say
from accountant.report.translated import told

if TYPE_CHECKING:
    from accountant.accounting.account import Account
    from accountant.certificate.contents import CertifiedBudget, CertifiedReading, CertifiedScenario
    from accountant.promise.divergence import Divergence
    from accountant.promise.words import ComparedPairs


def stated(found: CertifiedReading, comparison: ComparedPairs, account: Account, digits: int = 6) -> Statement | str:
    """The upper end of a value, rounded up to some figures, between the datasets of a comparison that differ in the units
    that it is about; no bound says nothing."""
    if found.value.upper == "inf":
        return "infinite"
    at = {word: exact(number) for word, number in found.at.items()}
    definition: Divergence = account.registry.find(DIVERGENCES, found.divergence)
    text = Interval.of(found.value.upper).rounded(digits)[1]
    whom = None if found.cohort is None else found.cohort.cohort
    return Statement(text, evolve(comparison, cohort=whom), definition.quantity(at), exact(text), at)


def of_whom(found: CertifiedReading) -> str:
    """The units that a value is about, in words that follow it; nothing where it is about all."""
    return "" if found.cohort is None else say("reading.for", cohort=told(str(found.cohort)))


def asked(scenario: CertifiedScenario) -> str:
    """What a scenario asks about, and what else it supposes."""
    parts = [", ".join(scenario.attributes) or say("scenario.everything")]
    if scenario.without:
        parts.append(say("scenario.without", names=in_a_row([f"'{name}'" for name in scenario.without])))
    if scenario.attacker is not None:
        parts.append(say(f"scenario.{scenario.attacker}"))
    if scenario.records is not None:
        parts.append(say("scenario.records", count=f"{scenario.records:,}"))
    return "; ".join(parts)


def totals(budgets: Sequence[CertifiedBudget], account: Account) -> tuple[Statement, ...]:
    """What totals say, between neighbours and between the closest datasets that are compared, if those are farther."""
    from accountant.certificate.findings import named

    compared = account.plan.comparison
    found = [stated(budget.guarantee, compared, account) for budget in budgets]
    far, group = account.closest.least, compared.neighbours.group
    if far is not None and far > group:
        farther = evolve(compared, neighbours=evolve(compared.neighbours, group=far))
        for item, budget in zip(budgets, account.plan.specification.budgets, strict=True):
            value = named(item.guarantee.value.name, account.between(far, budget))
            found.append(stated(evolve(item.guarantee, value=value), farther, account))
    return tuple(item for item in found if isinstance(item, Statement))
