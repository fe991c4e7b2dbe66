"""Among: whether a promise compares any two datasets that differ in units of a cohort only.

Where no two are compared, everything keeps the budget of the cohort, and nothing is promised by it. See
docs/explanation/budgets-by-cohort.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import permutations

from accountant.errors import InvalidValue
from accountant.promise.cohort import Cohort
from accountant.promise.neighbours import Neighbours
from accountant.promise.specification import Specification
from accountant.promise.universe import Universe


def vacuous(promised: Specification, cohort: Cohort | None = None) -> bool:
    """Whether a promise is known to compare no two datasets that differ in units of a cohort only, or in any at all."""
    universe = promised.universe
    if universe.closest.vacuous or cohort is None:
        return universe.closest.vacuous
    return _parted(universe, cohort) or (cohort.fixed is not None and universe.settled({cohort.fixed}))


def _parted(universe: Universe, cohort: Cohort) -> bool:
    """Whether units differ in nothing but what tells who is meant, and no step leads from one value of it to another."""
    compared, values = universe.neighbours, cohort.values
    if not compared.relation.keeps_size or values is None or universe.rearranged or not universe.differing <= cohort.by:
        return False
    (attribute,) = cohort.by
    records = [{attribute: value} for value in sorted(values)]
    return not any(_reached(compared, *pair) for pair in permutations(records, 2))


def _reached(neighbours: Neighbours, one: Mapping[str, str], other: Mapping[str, str]) -> bool:
    """Whether one step may change a record into another; also where a relation makes no sense of their values."""
    policy = neighbours.relation.policy
    try:
        return policy is None or policy.reaches(one, other, neighbours.group)
    except InvalidValue:
        return True
