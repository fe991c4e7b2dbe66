"""The one pair that dominates several, exactly."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from itertools import pairwise

from accountant.errors import InvalidValue
from accountant.finite.mechanism import FiniteMechanism
from accountant.finite.pair import Atom, Pair
from accountant.finite.readings import Vacuous
from accountant.finite.specification import FiniteSpecification
from accountant.loss.families.finite import FiniteLoss


def dominating(pairs: Iterable[Pair]) -> FiniteLoss:
    """The smallest loss that dominates several pairs, each in the direction given.

    Definition: delta(x) = max over tests of power - x level, so the largest of several such curves belongs to
    the concave hull of all their tests in the plane of (level, power); each edge of the hull is one outcome.
    Guarantee: its delta at every likelihood ratio is the largest of the pairs' deltas, and its reverse is the
    dominating loss of the reversed pairs. For one loss that covers both directions, see `dominating_both`.
    """
    tests = sorted({corner for pair in pairs for corner in pair.corners()})
    if not tests:
        raise InvalidValue("no pair was given, so there is nothing to dominate")
    hull: list[Atom] = []
    for test in tests:
        while len(hull) > 1 and not _turns_right(hull[-2], hull[-1], test):
            hull.pop()
        hull.append(test)
    return FiniteLoss((after[1] - before[1], after[0] - before[0]) for before, after in pairwise(hull))


def dominating_both(pairs: Iterable[Pair]) -> FiniteLoss:
    """The smallest loss that dominates several pairs in both directions at once.

    Guarantee: equals `dominating` of the pairs and their reverses together, and is its own reverse.
    """
    one_way = Pair(dominating(pairs).atoms)
    return dominating((one_way, one_way.reverse()))


def dominating_loss(mechanism: FiniteMechanism, specification: FiniteSpecification) -> FiniteLoss | Vacuous:
    """The smallest loss that dominates every comparison of a specification, in both directions at once."""
    if specification.vacuous:
        return Vacuous()
    return dominating_both(mechanism.pair(item.left, item.right) for item in specification.comparisons)


def _turns_right(first: Atom, second: Atom, third: Atom) -> bool:
    return _cross(first, second, third) < 0


def _cross(first: Atom, second: Atom, third: Atom) -> Fraction:
    return (second[0] - first[0]) * (third[1] - first[1]) - (second[1] - first[1]) * (third[0] - first[0])
