"""Readings that are found by searching along delta(epsilon)."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from accountant.numbers.interval import Interval, float_above, float_below
from accountant.numbers.rounding import Ball

Curve = Callable[[float], Interval]

_NO_GUESS = 1.0
_LARGEST = 2.0**100
_FINEST = 2.0**-1000
_LEAST_LEVEL = Fraction(1, 2**996)
_STEPS = 5


def smallest_epsilon(delta: Curve, target: Fraction) -> Interval:
    """The smallest epsilon >= 0 at which a non-increasing curve is at most `target`.

    Guarantee: the curve's upper end is at most the target at the interval's upper end, and its lower end is above the
    target at the interval's lower end, unless that is 0. Both were evaluated there: no monotonicity is relied on.
    """
    seen: dict[float, Interval] = {}

    def read(epsilon: float) -> Interval:
        if epsilon not in seen:
            seen[epsilon] = delta(epsilon)
        return seen[epsilon]

    return crossing(lambda epsilon: read(epsilon).upper, lambda epsilon: read(epsilon).lower, target)


def crossing(
    above: Callable[[float], float],
    below: Callable[[float], float],
    target: Fraction,
    guess: float = _NO_GUESS,
    tolerance: float = 2.0**-50,
) -> Interval:
    """`smallest_epsilon` of a curve whose ends are computed apart, near a guess, up to a relative tolerance."""
    most, least = float_below(target), float_above(target)
    if above(0.0) <= most:
        return Interval.of(0)

    def enough(epsilon: float) -> bool:
        return above(epsilon) <= most

    def too_little(epsilon: float) -> bool:
        value = below(epsilon)
        return value < least or Fraction(value) <= target

    # Whoever has no guess has the usual one, which may be far away.
    near = _straddled(above, most) if guess == _NO_GUESS else (0.0, math.inf)
    _, upper = _foreseen(enough, near, guess, tolerance)
    start = guess if math.isinf(upper) else upper
    if guess != _NO_GUESS and upper < math.inf:
        # Ends that are computed apart need not be close together.
        near = _surrounded(below, too_little, float(target), upper, tolerance)
    else:
        near = (0.0, math.inf)
    lower, _ = _foreseen(too_little, near, start, tolerance)
    return Interval(min(lower, upper), upper)


def _surrounded(
    curve: Callable[[float], float], holds: Callable[[float], bool], level: float, place: float, tolerance: float
) -> tuple[float, float]:
    """A place where a falling curve is still above a level, or 0, and one from where on it is not, from a place above it.

    Secant steps along the logarithm. Nothing is promised: both may be far away where these lead nowhere.
    """
    ends = [0.0, place if holds(place) else math.inf]

    def height(epsilon: float) -> float:
        held, value = holds(epsilon), curve(epsilon)
        ends[held] = (min if held else max)(epsilon, ends[held])
        return math.log(value) - math.log(level) if value > 0.0 < level else -math.inf

    here, at_here = place, height(place)
    there = place * (1.0 - 2.0**-20)
    for _ in range(_STEPS):
        if not math.isfinite(at_here) or not ends[0] < there < ends[1] or abs(there - here) <= tolerance * place:
            break
        at_there = height(there)
        if not (at_there - at_here) * (here - there) > 0.0:
            break
        (here, at_here), there = (there, at_there), there + at_there * (here - there) / (at_there - at_here)
    for share in (-2.0, 2.0, -64.0, 64.0):
        if ends[0] < (nearby := here + share * tolerance * here) < ends[1]:
            height(nearby)
    return ends[0], ends[1]


def _straddled(curve: Callable[[float], float], most: float) -> tuple[float, float]:
    """A place where a curve is above a level, or 0, and one where it is not, or infinity: close together if it is smooth.

    Secant steps along the logarithm, and the middle where they lead nowhere. Nothing is promised beyond that.
    """
    ends = [0.0, math.inf]
    if most <= 0.0:
        return ends[0], ends[1]
    heights: dict[float, float] = {}

    def height(epsilon: float) -> float:
        if epsilon not in heights:
            value = curve(epsilon)
            ends[value <= most] = (min if value <= most else max)(epsilon, ends[value <= most])
            heights[epsilon] = math.log(value / most) if value > 0.0 else -math.inf
        return heights[epsilon]

    here, there = 0.0, _NO_GUESS
    while height(there) > 0.0 and there < _LARGEST:
        here, there = there, 4.0 * there
    while here == 0.0 and ends[0] == 0.0 and there > 2.0**-100:
        there /= 16.0
        height(there)
    for _ in range(16):
        rise = height(there) - height(here)
        here, there = there, there - height(there) * (there - here) / rise if rise and math.isfinite(rise) else math.nan
        if not ends[0] < there < ends[1]:
            there = 0.5 * (ends[0] + min(ends[1], _LARGEST))
        if abs(there - here) <= 2.0**-24 * there:
            break
    for share in (-(2.0**-38), 2.0**-38, -(2.0**-32), 2.0**-32):
        if ends[0] < there + share * there < ends[1]:
            height(there + share * there)
    return ends[0], ends[1]


def _foreseen(
    holds: Callable[[float], bool], near: tuple[float, float], guess: float, tolerance: float
) -> tuple[float, float]:
    """What `_bracket` finds, asking only between a place where the condition failed and one where it held.

    The ends are asked in any case: where they are not what was foreseen, everything is.
    """
    low, high = _bracket(lambda point: point >= near[1] or (point > near[0] and holds(point)), guess, tolerance)
    if (low == 0.0 or not holds(low)) and (math.isinf(high) or holds(high)):
        return low, high
    return _bracket(holds, guess, tolerance)


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
    missed = Interval.of(1) - infinite
    if level == 1:
        return Interval.of(0)
    if level == 0:
        return Interval(max(0.0, missed.lower), missed.upper)
    if level < _LEAST_LEVEL:
        # The error does not rise with the level.
        return Interval(type_two_error(delta, _LEAST_LEVEL, infinite).lower, missed.upper)
    x = Interval(float_below(level), float_above(level))
    seen: dict[float, Interval] = {}

    def gain(log_y: float) -> Interval:
        if log_y not in seen:
            value, y = delta(log_y), math.exp(log_y)
            # The exponential counts for four; a product and three sums.
            slack = Ball.rounded(0.0, 10.0, 1.0 + y * x.upper).radius
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
    return Interval(lower, max(lower, min(upper, missed.upper)))


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
    # Rounding displaces the points by some roundoffs of themselves each, against gaps of `step` of themselves.
    doubt = 1.0 + Ball.rounded(0.0, 32.0, 1.0 / step).radius
    chords = [(1, 0, points[2]), (3, 4, points[2]), (1, 2, 0.0), (3, 2, points[5])]
    chords += [(k, 2 if k == 5 else k - 1, points[k + 1]) for k in range(5, len(nodes) - 1)]
    bounds = [_beyond(points[k], points[far], values[k], values[far], end, doubt) for k, far, end in chords]
    return max(0.0, *bounds)


def _beyond(near: float, far: float, at_near: Interval, at_far: Interval, end: float, doubt: float) -> float:
    """An upper bound on a concave function from `near` to `end`, on the other side of `near` than `far`.

    The doubt is far more than what the slope and the way are rounded by.
    """
    slope = max(0.0, (at_near.upper - at_far.lower) / abs(near - far)) * doubt
    return (Ball(at_near.upper) + slope * abs(end - near) * doubt).upper
