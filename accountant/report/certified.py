"""A certified value as a document writes it, with what it says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from attrs import evolve

from accountant.numbers.exact import exact
from accountant.numbers.interval import Interval
from accountant.promise.divergence import DIVERGENCES
from accountant.promise.statement import Statement

if TYPE_CHECKING:
    from accountant.accounting.account import Account
    from accountant.certificate.contents import CertifiedBudget, CertifiedReading
    from accountant.promise.divergence import Divergence
    from accountant.promise.words import ComparedPairs


def stated(found: CertifiedReading, comparison: ComparedPairs, account: Account, digits: int = 6) -> Statement | str:
    """The upper end of a value, rounded up to some figures, between the datasets of a comparison; no bound says nothing."""
    if found.value.upper == "inf":
        return "infinite"
    at = {word: exact(number) for word, number in found.at.items()}
    definition: Divergence = account.registry.find(DIVERGENCES, found.divergence)
    text = Interval.of(found.value.upper).rounded(digits)[1]
    return Statement(text, comparison, definition.quantity(at), exact(text), at)


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
