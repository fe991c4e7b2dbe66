"""Readings that are found by searching along delta(epsilon)."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from accountant.numbers.interval import Interval, float_above, float_below

Curve = Callable[[float], Interval]

_LARGEST = 2.0**100
_FINEST = 2.0**-1000
_LEAST_LEVEL = Fraction(1, 2**996)


def smallest_epsilon(delta: Curve, target: Fraction) -> Interval:
    """The smallest epsilon >= 0 at which a non-increasing curve is at most `target`.

    Guarantee: the curve's upper end is at most the target at the interval's upper end, and its lower end is above the
    target at the interval's lower end, unless that is 0. Both were evaluated there: no monotonicity is relied on.
    """
    return crossing(lambda epsilon: delta(epsilon).upper, lambda epsilon: delta(epsilon).lower, target)


def crossing(
    above: Callable[[float], float],
    below: Callable[[float], float],
    target: Fraction,
    guess: float = 1.0,
    tolerance: float = 2.0**-50,
) -> Interval:
    """`smallest_epsilon` of a curve whose ends are computed apart, near a guess, up to a relative tolerance."""
    most, least = float_below(target), float_above(target)
    if above(0.0) <= most:
        return Interval.of(0)
    _, upper = _bracket(lambda epsilon: above(epsilon) <= most, guess, tolerance)
    start = guess if math.isinf(upper) else upper
    lower, _ = _bracket(lambda epsilon: below(epsilon) < least or Fraction(below(epsilon)) <= target, start, tolerance)
    return Interval(min(lower, upper), upper)


def _bracket(holds: Callable[[float], bool], guess: float, tolerance: float) -> tuple[float, float]:
    """A point where a condition fails, or 0, and one above it where it holds, or infinity, close together."""
    gap = max(guess * tolerance, _FINEST)
    if holds(guess):
        low, high = guess - gap, guess
        while low > 0.0 and holds(low):
            gap *= 8.0
            low, high = low - gap, low
        low = max(low, 0.0)
    else:
        low, high = guess, guess + gap
        while not holds(high):
            if high > _LARGEST:
                return high, math.inf
            gap *= 8.0
            low, high = high, high + gap
    while high - low > high * tolerance:
        # Orders of magnitude first: a bracket that starts at 0 would otherwise creep towards it.
        middle = 0.5 * (low + high) if low > 0.25 * high else max(math.sqrt(low) * math.sqrt(high), 2.0**-30 * high)
        if not low < middle < high or high < _FINEST:
            break
        if holds(middle):
            high = middle
        else:
            low = middle
    return low, high


def type_two_error(delta: Curve, level: Fraction, infinite: Interval) -> Interval:
    """sup over y > 0 of G(y) = 1 - delta(log y) - y level, which is concave in y.

    Any y gives a lower bound. The upper bound extends chords of G past their ends, where a concave function lies below.
    `infinite` is the limit of delta, which alone matters at level 0.
    """
    most = math.nextafter(1.0 - infinite.lower, 2.0)
    if level == 1:
        return Interval.of(0)
    if level == 0:
        return Interval(max(0.0, math.nextafter(1.0 - infinite.upper, 0.0)), most)
    if level < _LEAST_LEVEL:
        # The error does not rise with the level.
        return Interval(type_two_error(delta, _LEAST_LEVEL, infinite).lower, most)
    x = Interval(float_below(level), float_above(level))
    seen: dict[float, Interval] = {}

    def gain(log_y: float) -> Interval:
        if log_y not in seen:
            value, y = delta(log_y), math.exp(log_y)
            slack = 2.0**-50 * (1.0 + y * x.upper)
            seen[log_y] = Interval(1.0 - value.upper - y * x.upper - slack, 1.0 - value.lower - y * x.lower + slack)
        return seen[log_y]

    def height(log_y: float) -> float:
        value = gain(log_y)
        return value.lower + value.upper

    # A coarse scan finds the peak, since rounding hides it far away; a golden section then closes in on it.
    top = -math.log(x.upper)
    scan = [top - (top + 40.0) * (k / 40.0) ** 2 for k in range(41)]
    peak = max(range(1, 40), key=lambda k: height(scan[k]))
    low, high = scan[peak + 1], scan[peak - 1]
    left, right = low + _GOLDEN * (high - low), high - _GOLDEN * (high - low)
    for _ in range(30):
        if height(left) <= height(right):
            low, left = left, right
            right = high - _GOLDEN * (high - low)
        else:
            high, right = right, left
            left = low + _GOLDEN * (high - low)
    best = 0.5 * (low + high)
    upper = min(_ceiling(gain, best, step, -math.log(x.lower) + 1e-9) for step in (1e-2, 1e-4, 1e-6))
    lower = max(0.0, *(value.lower for value in seen.values()))
    return Interval(lower, max(lower, min(upper, most)))


_GOLDEN = 0.5 * (3.0 - math.sqrt(5.0))


def _ceiling(gain: Curve, best: float, step: float, top: float) -> float:
    """An upper bound on G everywhere, from points around its peak: every y > 0 lies beyond a chord.

    From e^top = 1/level on, G is not positive. A chord over a short gap says little far to the right, so wider and wider
    ones take over there.
    """
    wide = max(3.0, (top - best) / 12.0)
    nodes = [best + k * step for k in (-2, -1, 0, 1, 2)]
    nodes += [min(best + k * wide, 709.0) for k in range(1, max(2, math.ceil((top - best) / wide) + 1))]
    values = [gain(node) for node in nodes]
    points = [math.exp(node) for node in nodes]
    # Rounding displaces the points by 2^-52 of themselves each, against gaps of `step` of themselves.
    doubt = 1.0 + 2.0**-48 / step
    chords = [(1, 0, points[2]), (3, 4, points[2]), (1, 2, 0.0), (3, 2, points[5])]
    chords += [(k, 2 if k == 5 else k - 1, points[k + 1]) for k in range(5, len(nodes) - 1)]
    bounds = [_beyond(points[k], points[far], values[k], values[far], end, doubt) for k, far, end in chords]
    return max(0.0, *bounds) * (1.0 + 2.0**-50)


def _beyond(near: float, far: float, at_near: Interval, at_far: Interval, end: float, doubt: float) -> float:
    """An upper bound on a concave function from `near` to `end`, on the other side of `near` than `far`."""
    slope = max(0.0, (at_near.upper - at_far.lower) / abs(near - far)) * doubt
    return at_near.upper + slope * abs(end - near) * doubt
