"""Limits: all that a plan must stay within, each with what it is called, what was found and whether it is kept."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

from attrs import frozen

from accountant.accounting.account import Account
from accountant.accounting.relative import relative
from accountant.errors import AccountantError, Fault, PlanError
from accountant.numbers.exact import plain
from accountant.numbers.interval import Interval
from accountant.promise.guarantee import Guarantee, Verdict
from accountant.promise.specification import Budget
from accountant.values.writing import in_words, kind_data


@frozen
class Limit:
    """One limit of a plan, and what its releases come to beside it.

    `label` tells it from the plan's other limits, `place` says where it stands in the plan. `why` is what is known where
    it is not kept.
    """

    label: str
    place: str
    allowed: float
    guarantee: Guarantee
    verdict: Verdict
    why: str

    @property
    def spent(self) -> float:
        """What certainly is not exceeded."""
        return self.guarantee.value.upper

    @property
    def excess(self) -> float:
        """The logarithm of what is spent over what may be, of the sign that the verdict has: not positive if it is kept."""
        if self.spent == 0.0:
            ratio = -math.inf
        elif self.spent == math.inf or self.allowed == 0.0:
            ratio = math.inf
        else:
            ratio = math.log(self.spent) - math.log(self.allowed)
        return min(ratio, 0.0) if self.verdict is Verdict.IMPLIED else max(ratio, 1e-12)


def limits_of(whole: Account) -> Iterator[Limit]:
    """Every limit of a plan: its budgets, those relative to public information, and its risk profiles."""
    for index, budget in enumerate(whole.plan.specification.budgets):
        guarantee, verdict = whole.check(budget)
        why = _of_budget(guarantee, verdict, budget)
        label = budget.divergence.name if budget.cohort is None else f"{budget.divergence.name} for {budget.cohort}"
        yield Limit(label, f"budget[{index}]", float(budget.limit), guarantee, verdict, why)
    yield from _relative(whole)
    for index, risk in enumerate(whole.plan.risks):
        place = f"risk[{index}]" if len(whole.plan.risks) > 1 else "risk"
        label = f"risk {in_words(kind_data(risk))}"
        try:
            assessed = risk.assess(whole)
        except AccountantError as error:
            raise PlanError((Fault(f"{label}: {error}", place),)) from error
        why = f"{label}: {assessed.statement.rstrip('.')}"
        yield Limit(label, place, assessed.admissible.lower, assessed.found, assessed.verdict, why)


def _relative(whole: Account) -> Iterator[Limit]:
    for index, known in enumerate(whole.plan.knowledge):
        label = f"relative to '{known.public.name}'"
        for budget in known.budgets:
            found, place = relative(whole, known.public, budget), f"public[{index}]"
            if found.between is None:
                raise PlanError((Fault(f"{label} nothing is known at any noise: {found.remark}", place),))
            why = f"{label}: {_of_budget(found.between, found.verdict, budget)}"
            named = f"{label}, {budget.divergence.name}"
            yield Limit(named, place, float(budget.limit), found.between, found.verdict, why)


def _of_budget(guarantee: Guarantee, verdict: Verdict, budget: Budget) -> str:
    if verdict is Verdict.VACUOUS:
        return "no two datasets that agree on all invariants differ, so that no budget means anything"
    whom = "" if guarantee.cohort is None else f" for {guarantee.cohort}"
    where = f"{guarantee.divergence} {guarantee.name}{guarantee.at_words}{whom}"
    return f"{where} is {_at_most(guarantee.value)}, and may be {plain(Fraction(budget.limit))}"


def _at_most(value: Interval) -> str:
    return "infinite, for all that is known" if value.upper == float("inf") else f"at most {value.rounded(6)[1]}"
