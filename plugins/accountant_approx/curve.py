"""The worst case of several points (epsilon, delta) at once: the pair whose curve is the lower hull of the points."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import pairwise

from accountant.loss import BracketLoss, FiniteLoss
from accountant.numbers import float_above, float_below
from accountant.numbers.rounding import Ball, exp

Point = tuple[Fraction, Fraction]


def worst_of(points: Sequence[Point]) -> BracketLoss:
    """A loss that dominates every mechanism that satisfies all points (epsilon, delta), and a pair that satisfies them.

    The two differ by rounding alone, where no epsilon is above `FARTHEST`: e^epsilon is rounded up for the first and down
    for the second. Farther out, the first does not use what is said there, and the second keeps it nearer already.
    """
    told = _telling(points)
    rounded = [(exponential(min(epsilon, FARTHEST)), delta, epsilon <= FARTHEST) for epsilon, delta in told]
    above = pair_through([(ends[1], delta) for ends, delta, used in rounded if used])
    return BracketLoss(above, pair_through([(ends[0], delta) for ends, delta, _ in rounded]))


FARTHEST = Fraction(2**14)
"""The largest epsilon whose exponential is written out: as a ratio it has one and a half times as many bits."""


def _telling(points: Sequence[Point]) -> list[Point]:
    """The points that say something beyond those at a smaller epsilon."""
    found: list[Point] = []
    for epsilon, delta in sorted(points):
        if not found or delta < found[-1][1]:
            found.append((epsilon, delta))
    return found


def exponential(epsilon: Fraction) -> Point:
    """Rational bounds on e^epsilon for epsilon >= 0. Large arguments are divided until they fit, and the result raised."""
    power = math.ceil(epsilon / 512) or 1
    part = epsilon / power
    low, high = exp(Ball(float_below(part))).lower, exp(Ball(float_above(part))).upper
    return max(Fraction(low), Fraction(1)) ** power, Fraction(high) ** power


def pair_through(points: Iterable[Point]) -> FiniteLoss:
    """The pair whose hockey-stick curve, over x = e^epsilon, is the lower hull of the points (x, delta), in exact numbers.

    Guarantee: it is symmetric, and every symmetric convex curve below all points lies below its own. Without points, that
    of a pair that never coincides.
    """
    known = list(points)
    if not known:
        return FiniteLoss([(1, 0), (0, 1)])
    # The same points for exchanged roles and the complement of the event, and the event that always happens.
    mirrored = [(1 / x, (x - 1 + delta) / x) for x, delta in known]
    corners = _lower_hull([(Fraction(0), Fraction(1)), *mirrored, *known])
    slopes = [(right[1] - left[1]) / (right[0] - left[0]) for left, right in pairwise(corners)]
    gains = [
        (x, after - before) for (x, _), (before, after) in zip(corners[1:], pairwise([*slopes, Fraction(0)]), strict=True)
    ]
    return FiniteLoss([(corners[-1][1], 0), *((x * mass, mass) for x, mass in gains), (0, 1 + slopes[0])])


def _lower_hull(points: Iterable[Point]) -> list[Point]:
    """The corners of the greatest convex function below all points that does not increase."""
    hull: list[Point] = []
    for point in sorted(points):
        if hull and point[1] >= hull[-1][1]:
            continue
        while len(hull) >= 2 and _above(hull[-2], hull[-1], point):
            hull.pop()
        hull.append(point)
    return hull


def _above(left: Point, middle: Point, right: Point) -> bool:
    """Whether the middle point lies on or above the line between its neighbours."""
    return (middle[1] - left[1]) * (right[0] - middle[0]) >= (right[1] - middle[1]) * (middle[0] - left[0])
