"""Caps: which units must be left out of a next release so that none passes a budget.

Where who takes part was fixed beforehand, a unit may take part if its own releases with the next one keep the budget. Where
it depends on the data, what a unit has lost is random, and a cap holds only for what adds up under full adaptivity: then
weights of the budget's own definition are added up, release by release, as an individual filter does.
"""

from __future__ import annotations

import json
from fractions import Fraction
from functools import lru_cache

from attrs import frozen

from accountant import Budget, Interval, InvalidValue, Plan, Verdict
from accountant.plugin import COMPOSITION_RULES, Summable
from accountant_scale.individuals.classes import Classes, classes_of, terms


@frozen
class Admission:
    """Whether a unit may take part in a release beside what it took part in; the plan travels as text."""

    plan: str
    release: str
    designed: bool

    @classmethod
    def of(cls, plan: Plan, release: str, *, designed: bool) -> Admission:
        """Refuse what cannot be decided: a release that nobody knows, no budget, budgets that no filter keeps."""
        if release not in {known.name for known in plan.releases}:
            raise InvalidValue(f"'{release}' is no release of the plan; name the next release as the plan does")
        if not plan.specification.budgets:
            raise InvalidValue("the plan has no budget that could be passed; state one")
        made = cls(json.dumps(plan.as_data()), release, designed)
        if not designed:
            for budget in plan.specification.budgets:
                _rule(classes_of(made.plan), budget)
        return made

    def __call__(self, signature: str) -> bool:
        known = classes_of(self.plan)
        name = dict(zip((item.name for item in known.account.plan.releases), known.names, strict=True))[self.release]
        taken = dict(terms(signature))
        taken[name] = taken.get(name, 0) + 1
        budgets = known.account.plan.specification.budgets
        if self.designed:
            own = known.taking(" ".join(f"{key}:{times}" for key, times in sorted(taken.items())))
            return all(own.check(budget)[1] is Verdict.IMPLIED for budget in budgets)
        return all(_weight(self.plan, index, taken) for index in range(len(budgets)))


def _weight(plan: str, index: int, taken: dict[str, int]) -> bool:
    """Whether the weights of what was taken stay within a budget."""
    known = classes_of(plan)
    budget = known.account.plan.specification.budgets[index]
    total = Fraction(0)
    for name, times in taken.items():
        price = _price(plan, index, name)
        if price is None:
            return False
        total += price * times
    return total <= _rule(known, budget).weight(budget.limit)


@lru_cache(maxsize=4096)
def _price(plan: str, index: int, name: str) -> Fraction | None:
    """The weight of one release of a class, rounded up; None where it is infinite."""
    known = classes_of(plan)
    budget = known.account.plan.specification.budgets[index]
    one = known.taking(f"{name}:1")
    value = one.measure(budget.divergence.name, budget.at).value
    return _rule(known, budget).weight(_above(value)) if value.upper < float("inf") else None


def _above(value: Interval) -> Fraction:
    """The value itself where it is known exactly, so that releases can fill a cap to the brim."""
    return Fraction(value.upper) if value.exact is None else value.exact


def _rule(known: Classes, budget: Budget) -> Summable:
    rules = known.account.registry[COMPOSITION_RULES].values()
    able = [rule for rule in rules if isinstance(rule, Summable) and rule.adaptivity == "fully-adaptive"]
    for rule in able:
        if rule.divergence == budget.divergence.name:
            return rule
    offered = ", ".join(sorted({rule.divergence for rule in able}))
    raise InvalidValue(
        f"who takes part depends on the data, and '{budget.divergence.name}' does not add up when it does; "
        f"state the cap as a budget in one of {offered}"
    )
