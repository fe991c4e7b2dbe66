"""The lowest value of a convex function, from both sides.

What a test can reach is the lowest value of a convex function: the power at a level x is the smallest delta(log y) + y x
over all y > 0. A point where the function was evaluated bounds its lowest value from above. From below, convexity does:
beyond either end of a chord the function lies above the chord's line, so between two neighbouring points it lies above the
lines that come from the left and from the right, and past a point that is higher than the one before it the function only
rises.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable
from functools import cache

from accountant.loss.readings.inversion import Curve
from accountant.numbers.interval import Interval
from accountant.numbers.rounding import Ball, exp

_GOLDEN = 0.5 * (3.0 - math.sqrt(5.0))
_SPREAD = 4.0
_FARTHEST = 600.0
_OUT_OF_SIGHT = 2.0**40


def lowest_value(
    curve: Curve, starts: Iterable[float], finest: float, reach: float = 1.0, about: Curve | None = None
) -> Interval:
    """The smallest value of a function that is convex in u = e^t, given by its value at any t.

    The search begins at the best of `starts`, looks as far as `reach` at first and tells points apart that are `finest`
    from each other. Where values take long, `about` is the same function known roughly, and says where to look.
    Guarantee: contains the infimum over all u > 0. The lower end is minus infinity where no bound could be had.
    """
    seen: dict[float, Interval] = {}

    def at(t: float) -> Interval:
        if t not in seen:
            seen[t] = curve(t)
        return seen[t]

    best = lowest_place(_middles(at if about is None else about), starts, finest, reach)
    nodes = [*reversed(_outward(at, best, -finest)), best, *_outward(at, best, finest)]
    upper = min(value.upper for value in seen.values())
    return Interval(min(upper, _floor(nodes, [at(node) for node in nodes], best)), upper)


def _middles(curve: Curve) -> Callable[[float], float]:
    """Twice the middle of what is known of a function at a place, which is asked for once."""

    @cache
    def height(t: float) -> float:
        value = curve(t)
        return value.lower + value.upper

    return height


def lowest_place(height: Callable[[float], float], starts: Iterable[float], finest: float, reach: float = 1.0) -> float:
    """About where a function with a single valley is lowest; nothing is promised."""
    middle = min(starts, key=height)
    left, right = middle - reach, middle + reach
    while height(left) < height(middle) and left > -_OUT_OF_SIGHT:
        left, middle, right = middle - 2.0 * (right - left), left, middle
    while height(right) < height(middle) and right < _OUT_OF_SIGHT:
        left, middle, right = middle, right, middle + 2.0 * (right - left)
    widths = [math.inf, math.inf]
    while right - left > finest:
        # Where the last two steps did not halve what is left, the larger part is cut; else a parabola says where to look.
        probe = _vertex(height, left, middle, right) if right - left <= 0.5 * widths[-2] else math.nan
        if abs(probe - middle) < 0.25 * finest:
            probe = middle + math.copysign(0.25 * finest, right + left - 2.0 * middle)
        if not left < probe < right:
            probe = middle + _GOLDEN * ((right if right - middle > middle - left else left) - middle)
        if probe in (left, middle, right):
            break
        widths.append(right - left)
        better, worse = (probe, middle) if height(probe) <= height(middle) else (middle, probe)
        left, right = (left, worse) if better < worse else (worse, right)
        middle = better
    return middle


def _vertex(height: Callable[[float], float], left: float, middle: float, right: float) -> float:
    """Where the parabola through three points is lowest."""
    rise, fall = height(left) - height(middle), height(right) - height(middle)
    curvature = rise * (right - middle) + fall * (middle - left)
    if not 0.0 < curvature < math.inf:
        return math.nan
    return middle + 0.5 * (rise * (right - middle) ** 2 - fall * (middle - left) ** 2) / curvature


def _outward(at: Curve, best: float, step: float) -> list[float]:
    """Points farther and farther from the best: one past the first that is certainly higher than the one before it."""
    nodes, last, risen = [], at(best), False
    while not risen and abs(step) < _FARTHEST:
        nodes.append(best + step)
        risen = at(nodes[-1]).lower >= last.upper
        last, step = at(nodes[-1]), step * _SPREAD
    if not risen:
        return []
    return [*nodes, best + step]


def _floor(nodes: list[float], values: list[Interval], best: float) -> float:
    """A lower bound on the function everywhere; the outermost points only serve to draw lines."""
    place = nodes.index(best)
    if place == 0 or place == len(nodes) - 1:
        return -math.inf
    balls = [exp((Ball(node) - best).at_most(709.0)) for node in nodes]
    points = [ball.middle for ball in balls]
    if any(left >= right for left, right in itertools.pairwise(points)):
        return -math.inf
    # How far rounding displaces a point, as a share of itself.
    blur = max(ball.radius / ball.middle for ball in balls)
    bounds = [values[1].lower, values[-2].lower]
    for k in range(1, len(nodes) - 2):
        gaps = [right - left for left, right in itertools.pairwise(points[k - 1 : k + 3])]
        doubt = 1.0 + 4.0 * blur * max(right / gap for right, gap in zip(points[k : k + 3], gaps, strict=True))
        falling = min(0.0, (values[k].lower - values[k - 1].upper) / gaps[0]) * doubt
        rising = max(0.0, (values[k + 2].upper - values[k + 1].lower) / gaps[2]) * doubt
        bound = _meeting(values[k].lower, falling, values[k + 1].lower, rising, gaps[1] * doubt)
        # Where lines meet takes quotients and products of sums, ten roundings or so.
        bounds.append(Ball.rounded(bound, 128.0, max(abs(bound), abs(values[k].lower), abs(values[k + 1].lower))).lower)
    return min(bounds)


def _meeting(left: float, falling: float, right: float, rising: float, gap: float) -> float:
    """The lowest point of the higher of two lines between two points: one falls from the left, one rises to the right."""
    if falling == 0.0 or rising == 0.0:
        return left if falling == 0.0 else right
    if math.isinf(rising):
        return left + falling * gap
    distance = min(gap, max(0.0, (left - right + rising * gap) / (rising - falling)))
    return max(left + falling * distance, right - rising * (gap - distance))
