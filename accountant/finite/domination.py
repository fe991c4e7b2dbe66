"""The one pair that dominates several, exactly."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import pairwise

import numpy as np

from accountant.errors import InvalidValue
from accountant.finite.mechanism import FiniteMechanism
from accountant.finite.pair import Atom, Pair
from accountant.finite.readings import Vacuous
from accountant.finite.specification import FiniteSpecification
from accountant.loss.families.alternatives import OneOf
from accountant.loss.families.finite import FiniteLoss
from accountant.loss.readings.base import PrivacyLoss

_MOST = 32
"""So many pairs are all looked at for every reading."""
_RATIOS = (0.0, 0.25, 0.5, 0.75, 0.9, 0.99)
_ORDERS = (0.25, 1.0, 4.0, 16.0)
"""Where the worst of more pairs are chosen: shares of the largest loss, and orders of moments."""


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


def one_of(pairs: Iterable[Pair]) -> PrivacyLoss:
    """The loss of a release that has one of several pairs, in either order, and nobody says which.

    Guarantee: upper ends are those of `dominating_both`; lower ends belong to one of the pairs, in one order.
    """
    both = tuple(dict.fromkeys(ordered for pair in pairs for ordered in (pair, pair.reverse())))
    above, shown = dominating(both), both if len(both) <= _MOST else _worst(both)
    return OneOf.of(above, (FiniteLoss(pair.atoms) for pair in shown), complete=shown is both)


def dominating_loss(mechanism: FiniteMechanism, specification: FiniteSpecification) -> FiniteLoss | Vacuous:
    """The smallest loss that dominates every comparison of a specification, in both directions at once."""
    if specification.vacuous:
        return Vacuous()
    return dominating_both(mechanism.pair(item.left, item.right) for item in specification.comparisons)


def _turns_right(first: Atom, second: Atom, third: Atom) -> bool:
    return _cross(first, second, third) < 0


def _cross(first: Atom, second: Atom, third: Atom) -> Fraction:
    return (second[0] - first[0]) * (third[1] - first[1]) - (second[1] - first[1]) * (third[0] - first[0])


def _worst(pairs: Sequence[Pair]) -> list[Pair]:
    """Of many pairs some that lose most somewhere, in both orders: any will do."""
    laws = [np.array([[float(mass) for mass in atom] for atom in pair.atoms]).T for pair in pairs]
    tops = [p[0] / q[0] if q[0] else 1e3 for p, q in laws]
    ratios = [max(tops) ** share for share in _RATIOS]
    scores = [[float(np.maximum(p - ratio * q, 0.0).sum()) for p, q in laws] for ratio in ratios]
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        scores += [[float(np.nansum(p * (p / q) ** order)) for p, q in laws] for order in _ORDERS]
    chosen = [pairs[int(np.argmax(row))] for row in scores]
    return list(dict.fromkeys(ordered for pair in chosen for ordered in (pair, pair.reverse())))
