"""The Wasserstein distance of order infinity: how far mass must move to turn one law into another, at the least.

All of it is exact. Events of any probability decide the distance: a tail that rounds to nothing makes it too small, without
a warning.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from attrs import frozen

from accountant import InvalidValue
from accountant.fields import ExactLike, exact
from accountant.finite import exact_law
from accountant_pufferfish.distance.flow import Flow, flow

Weights = list[tuple[Any, int]]
"""Outcomes with positive whole weights."""


def line_distance(first: Mapping[Any, ExactLike], second: Mapping[Any, ExactLike]) -> Fraction:
    """The distance between two finite laws on the line, with exact numbers as outcomes.

    Definition: the least t for which some coupling keeps the two values within t of each other, always.
    Guarantee: exact. On the line the coupling that sorts both is the best for every t, so the distance is the largest gap
    between the two quantile functions; these only change where one of the two distribution functions does, and both count.
    """
    left, right = _scaled(first, second)
    return widest_gap(*([(exact(value), weight) for value, weight in side] for side in (left, right)))


def widest_gap(first: Weights, second: Weights) -> Fraction:
    """The largest gap between the quantiles of two laws on the line, given by whole weights with the same total."""
    left, right = deque(sorted(first)), deque(sorted(second))
    widest = Fraction(0)
    (here, kept), (there, waiting) = left.popleft(), right.popleft()
    while True:
        widest = max(widest, Fraction(abs(here - there)))
        moved = min(kept, waiting)
        kept, waiting = kept - moved, waiting - moved
        if not kept and not left:
            return widest
        if not kept:
            here, kept = left.popleft()
        if not waiting:
            there, waiting = right.popleft()


@frozen
class Transport:
    """A coupling of two finite laws that moves no mass farther than it must, and why it must.

    `distance` is None where some mass has nowhere within any finite distance to go. `plan` is a coupling with all its mass
    on outcomes at most `distance` apart, empty where there is none. `stuck` are outcomes of the first law that hold more
    mass than all outcomes of the second law closer than `distance` to one of them: no coupling does better.
    """

    distance: Fraction | None
    plan: Mapping[tuple[Any, Any], Fraction]
    stuck: frozenset[Any]


def transport(
    first: Mapping[Any, ExactLike],
    second: Mapping[Any, ExactLike],
    distance: Callable[[Any, Any], int | Fraction | None],
) -> Transport:
    """The best coupling of two finite laws under a distance between outcomes, None for infinite.

    Definition: the least t for which a coupling has all its mass on outcomes at most t apart. It is one of the distances
    between outcomes, found by bisection; whether t suffices is a maximal flow in whole numbers.
    Guarantee: exact, and both sides can be checked: see `Transport`.
    """
    left, right = _scaled(first, second)
    table = [[_length(distance(here, there)) for there, _ in right] for here, _ in left]
    steps = sorted({entry for row in table for entry in row if entry is not None})
    supplies, demands = [weight for _, weight in left], [weight for _, weight in right]

    def attempt(index: int) -> Flow:
        reach = [
            [place for place, entry in enumerate(row) if index >= 0 and entry is not None and entry <= steps[index]]
            for row in table
        ]
        return flow(supplies, demands, reach)

    low, high = -1, len(steps) - 1
    failed, found = attempt(low), attempt(high)
    if not found.complete:
        return Transport(None, {}, frozenset(left[place][0] for place in found.stuck))
    while high - low > 1:
        middle = (low + high) // 2
        tried = attempt(middle)
        if tried.complete:
            high, found = middle, tried
        else:
            low, failed = middle, tried
    total = sum(supplies)
    plan = {(left[i][0], right[j][0]): Fraction(mass, total) for (i, j), mass in found.sent.items() if mass}
    return Transport(steps[high], plan, frozenset(left[place][0] for place in failed.stuck))


def _length(value: int | Fraction | None) -> Fraction | None:
    if value is None:
        return None
    number = exact(value)
    if number < 0:
        raise InvalidValue(f"a distance cannot be negative, got {value}")
    return number


def _scaled(first: Mapping[Any, ExactLike], second: Mapping[Any, ExactLike]) -> tuple[Weights, Weights]:
    """Both laws in the same whole units."""
    laws = exact_law(first, "the first law"), exact_law(second, "the second law")
    bottom = math.lcm(*(mass.denominator for law in laws for mass in law.values()))
    left, right = ([(outcome, int(mass * bottom)) for outcome, mass in law.items()] for law in laws)
    return left, right
