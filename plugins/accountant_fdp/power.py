"""The largest power of tests at a level.

With delta the hockey-stick curve of a loss, no test of level x has a power above delta(log y) + y x, for any y > 0: apply
the definition of delta to the event that the test says yes. The smallest of these bounds is the power that the best test
has, because power as a function of level is concave and these are its supporting lines. In this form nothing cancels, so
small powers are as sharp as large ones.
"""

from __future__ import annotations

import math
from fractions import Fraction

from accountant import Interval
from accountant.loss import PrivacyLoss, enclosed, lowest_value
from accountant.numbers import float_above, float_below
from accountant.numbers.rounding import Ball, exp

_SHARP, _ENOUGH = 1e-9, 3e-3
_LEAST_LEVEL = Fraction(1, 10**300)
_FARTHEST = 708.0


def largest_power(loss: PrivacyLoss, level: Fraction) -> Interval:
    """The largest power of any test of level `level`, in this direction of the loss."""
    return enclosed(lambda side: _power(side, level), loss, float(level))


def _power(loss: PrivacyLoss, level: Fraction) -> Interval:
    missed = loss.tradeoff(level)
    if missed.exact is not None:
        return Interval.of(1 - missed.exact)
    value = (1.0 - Ball.of(missed)).interval(0.0, 1.0)
    value = value.clamp(float_below(level), 1.0)
    precision = _SHARP if loss.precision is None else _ENOUGH
    if value.width <= precision * value.upper or not 0 < level < 1:
        return value
    found = _lowest(loss, max(level, _LEAST_LEVEL))
    # A level that doubles cannot hold is read at a larger one: power does not fall with the level.
    lower = max(value.lower, found.lower if level >= _LEAST_LEVEL else 0.0)
    return Interval(lower, max(lower, min(value.upper, found.upper)))


def _lowest(loss: PrivacyLoss, level: Fraction) -> Interval:
    low, high, supremum = float_below(level), float_above(level), loss.supremum().upper

    def bound(log_y: float) -> Interval:
        if log_y > _FARTHEST:
            return Interval(low * math.exp(_FARTHEST), math.inf)
        delta, y = loss.delta(log_y) if log_y < supremum else Interval.of(0), exp(Ball(log_y))
        return Interval((y * low + delta.lower).lower, (y * high + delta.upper).upper)

    slow = loss.precision is not None
    top, count = -math.log(high), 8 if slow else 32
    starts = [top - (top + 30.0) * (k / count) ** 2 for k in range(count)]
    return lowest_value(bound, starts, 2.0**-4 if slow else 2.0**-20)
