"""Readings that are found by searching along delta(epsilon)."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from accountant.interval import Interval, float_above, float_below

Curve = Callable[[float], Interval]

_LARGEST = 2.0**40


def smallest_epsilon(delta: Curve, target: Fraction) -> Interval:
    """The smallest epsilon >= 0 at which a non-increasing curve is at most `target`.

    Guarantee: the curve's upper end is at most the target at the interval's upper end, and its lower end is above the
    target just below the interval's lower end.
    """

    def holds(epsilon: float) -> bool:
        return Fraction(delta(epsilon).upper) <= target

    def fails(epsilon: float) -> bool:
        return Fraction(delta(epsilon).lower) > target

    if holds(0.0):
        return Interval.of(0)
    upper = _first(holds)
    lower = _first(lambda epsilon: not fails(epsilon), start=0.0 if math.isinf(upper) else upper)
    return Interval(min(lower, upper), upper)


def _first(holds: Callable[[float], bool], start: float = 0.0) -> float:
    """The end of the range [0, x) on which a monotone condition fails; infinite if it never holds.

    `start` is a point near which the end is expected.
    """
    if start:
        high, low = start, 0.0
        gap = max(start * 2.0**-40, 2.0**-60)
        while not holds(high):
            high += gap
            gap *= 4.0
        gap = max(start * 2.0**-40, 2.0**-60)
        while high - gap > 0.0 and holds(high - gap):
            high -= gap
            gap *= 4.0
        low = max(0.0, high - gap)
    else:
        low, high = 0.0, 1.0
        while not holds(high):
            low, high = high, 2.0 * high
            if high > _LARGEST:
                return math.inf
    while True:
        middle = 0.5 * (low + high)
        if not low < middle < high or high - low <= high * 2.0**-50:
            return high
        if holds(middle):
            high = middle
        else:
            low = middle


def type_two_error(delta: Curve, level: Fraction, infinite: Interval) -> Interval:
    """sup over y > 0 of G(y) = 1 - delta(log y) - y level, which is concave in y.

    Any y gives a lower bound. The upper bound extends chords of G past their ends, where a concave function lies below.
    `infinite` is the limit of delta, which alone matters at level 0.
    """
    if level == 1:
        return Interval.of(0)
    if level == 0:
        return Interval(max(0.0, math.nextafter(1.0 - infinite.upper, 0.0)), math.nextafter(1.0 - infinite.lower, 2.0))
    x = Interval(float_below(level), float_above(level))

    def gain(log_y: float) -> Interval:
        value, y = delta(log_y), math.exp(log_y)
        slack = 2.0**-50 * (1.0 + y * x.upper)
        return Interval(1.0 - value.upper - y * x.upper - slack, 1.0 - value.lower - y * x.lower + slack)

    # Below e^-40 the gain is at most e^-40. A coarse scan finds the peak, since rounding hides it far away.
    top = math.log(1.0 / x.upper)
    scan = [top - (top + 40.0) * (k / 64.0) ** 2 for k in range(65)]
    peak = max(range(1, 64), key=lambda k: sum(_ends(gain(scan[k]))))
    low, high = scan[peak + 1], scan[peak - 1]
    for _ in range(60):
        left, right = low + 0.382 * (high - low), low + 0.618 * (high - low)
        if sum(_ends(gain(left))) <= sum(_ends(gain(right))):
            low = left
        else:
            high = right
    best = 0.5 * (low + high)
    step = 1e-3
    nodes = [best - 2 * step, best - step, best, best + step, best + 2 * step]
    values = [gain(node) for node in nodes]
    points = [math.exp(node) for node in nodes]
    lower = max(0.0, *(value.lower for value in values))
    upper = max(
        _beyond(points[1], points[0], values[1], values[0], points[2]),
        _beyond(points[3], points[4], values[3], values[4], points[2]),
        _beyond(points[1], points[2], values[1], values[2], 0.0),
        _beyond(points[3], points[2], values[3], values[2], max(points[3], 1.0 / x.lower)),
    )
    return Interval(lower, max(lower, upper) + 2.0**-50)


def _ends(value: Interval) -> tuple[float, float]:
    return value.lower, value.upper


def _beyond(near: float, far: float, at_near: Interval, at_far: Interval, end: float) -> float:
    """An upper bound on a concave function from `near` to `end`, on the other side of `near` than `far`."""
    slope = max(0.0, (at_near.upper - at_far.lower) / abs(near - far))
    return at_near.upper + slope * abs(end - near)
