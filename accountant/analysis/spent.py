"""Spent: what has been released already has cost something, and that becomes its budget."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction

from attrs import evolve

from accountant.accounting.account import account
from accountant.analysis.beginning import usual_definition, usual_parameter
from accountant.errors import InvalidValue, suggest
from accountant.numbers.exact import ExactLike
from accountant.plan.plan import Plan
from accountant.promise.divergence import DIVERGENCES
from accountant.promise.guarantee import Guarantee
from accountant.promise.specification import Budget
from accountant.registry.registry import Registry, default_registry

_FIGURES = 6


def spending(plan: Plan, at: Mapping[str, ExactLike], *, registry: Registry | None = None) -> tuple[Plan, Guarantee]:
    """The plan with what it costs as its budget, and what that is, in the definition that plans usually begin with.

    It is read `at` the words that are given, and at the usual ones otherwise. Guarantee: the plan keeps that budget, a
    number of few figures. Where nothing bounds the cost there is none.
    """
    known = registry or default_registry()
    definition = known.find(DIVERGENCES, usual_definition(known))
    words = definition.primary.at
    for word in at:
        if word not in words:
            raise InvalidValue(f"{definition.title} is not read at '{word}'{suggest(word, words)}")
    usual = {word: value for word, value in usual_parameter(definition).items() if word in words}
    found = account(plan, registry=known).measure(definition.name, {**usual, **at})
    if math.isinf(found.value.upper):
        return plan, found
    most: dict[str, Fraction] = {found.name: Fraction(found.value.rounded(_FIGURES)[1]), **found.at}
    budget = Budget(definition, definition.stating(most))
    return evolve(plan, specification=evolve(plan.specification, budgets=(budget,))), found
