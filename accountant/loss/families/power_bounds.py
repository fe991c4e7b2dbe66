"""Losses of mechanisms of which only the largest power of tests is known, at some levels.

The power that tests reach at each level is a concave function g with g(0) >= 0 and g(1) = 1. Let g(l) be at most p. By
concavity g(x) is at most (p/l) x beyond l, and at most 1 - (1 - x)(1 - p)/(1 - l) before it. Both are attained, by a
mechanism with two outcomes whose g has its only corner there; the smallest of several such bounds is attained by one
that keeps them all. Exchanging the two datasets turns the point (l, p) into (1 - p, 1 - l).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from fractions import Fraction

from accountant.errors import InvalidValue
from accountant.loss.families.finite import TOTAL_LOSS, FiniteLoss
from accountant.loss.families.two_sided import BracketLoss
from accountant.loss.readings.base import PrivacyLoss
from accountant.numbers.exact import plain

Point = tuple[Fraction, Fraction]
_ORIGIN, _CERTAIN = (Fraction(0), Fraction(0)), (Fraction(1), Fraction(1))


def power_bounded(points: Iterable[Point], kept: Iterable[Point] | None = None) -> PrivacyLoss:
    """A loss that dominates every mechanism whose tests at each level have at most the power given, both directions.

    Guarantee: delta at every epsilon is attained by some such mechanism; the loss below is that of one which keeps the
    points `kept` as well, by default the same. Points stand for (level, power) and none has a power below its level.
    """
    known = list(points)
    above = _reached(_corners(_both_directions(known)))
    below = _attained(_both_directions(known if kept is None else kept))
    return above if above == below else BracketLoss(above, below)


def power_curve(corners: Iterable[Point]) -> FiniteLoss:
    """The loss of a pair whose tests reach the given (level, power), what mixing tests reaches from there, and no more.

    Guarantee: the smallest loss under which both directions reach these points.
    """
    points = [_checked(point) for point in corners]
    return _reached([_ORIGIN, *points, *((1 - power, 1 - level) for level, power in points), _CERTAIN])


def _checked(point: Point) -> Point:
    level, power = point
    if not 0 <= level <= power <= 1:
        raise InvalidValue(f"a power must lie between the level and 1, got {plain(power)} at level {plain(level)}")
    return point


def _both_directions(points: Iterable[Point]) -> list[Point]:
    """Points that say something, with what they say about exchanged datasets, by rising level; one for each level."""
    smallest: dict[Fraction, Fraction] = {}
    for level, power in map(_checked, points):
        if level > 0 and power < 1:
            for place, value in ((level, power), (1 - power, 1 - level)):
                smallest[place] = min(value, smallest.get(place, value))
    return sorted(smallest.items())


def _corners(points: Sequence[Point]) -> list[Point]:
    """The highest that tests may reach, at one place between each two levels: elsewhere lines between them lie above."""
    steepest = itertools.accumulate((power / level for level, power in points), min)
    flattest = itertools.accumulate(((1 - power) / (1 - level) for level, power in reversed(points)), max)
    before: list[Fraction | None] = [None, *steepest]
    after = [Fraction(0), *flattest][::-1]
    levels = [Fraction(0), *(level for level, _ in points), Fraction(1)]
    corners = []
    for (low, high), slope, fall in zip(itertools.pairwise(levels), before, after, strict=True):
        if slope is None:
            corners.append((Fraction(0), 1 - fall))
        else:
            level = low if slope == fall else min(high, max(low, (1 - fall) / (slope - fall)))
            corners.append((level, min(slope * level, 1 - (1 - level) * fall)))
    return [*corners, _CERTAIN]


def _reached(points: Iterable[Point]) -> FiniteLoss:
    """The loss of the pair whose tests reach these points, and the lines between them where those are higher."""
    hull: list[Point] = []
    for point in sorted(points, key=lambda item: (item[0], -item[1])):
        if hull and point[0] == hull[-1][0]:
            continue
        while len(hull) >= 2 and _slope(hull[-2], hull[-1]) <= _slope(hull[-1], point):
            hull.pop()
        hull.append(point)
    edges = [(right[1] - left[1], right[0] - left[0]) for left, right in itertools.pairwise(hull)]
    return FiniteLoss([(hull[0][1], Fraction(0)), *edges])


def _attained(points: Sequence[Point]) -> FiniteLoss:
    """A mechanism that keeps all points and attains some: all of them where the line through them is concave."""
    if not points:
        return TOTAL_LOSS
    line = [_ORIGIN, *points, _CERTAIN]
    slopes = [_slope(left, right) for left, right in itertools.pairwise(line)]
    if all(left >= right for left, right in itertools.pairwise(slopes)):
        return _reached(line)
    shown = min(power - level for level, power in points)
    return _reached([(Fraction(0), shown), (1 - shown, Fraction(1)), _CERTAIN])


def _slope(left: Point, right: Point) -> Fraction:
    return (right[1] - left[1]) / (right[0] - left[0])
