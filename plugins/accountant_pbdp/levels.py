"""The smallest level at which tests reach a power, and the power at which they gain no more than a factor.

With delta the hockey-stick curve of a loss, a test of power b has at least the level (b - delta(log y))/y for every y > 0,
and the largest of these bounds is the smallest level at which power b is reached. In terms of u = 1/y the bound is
concave, so its largest value is enclosed from both sides. Logarithms of levels are kept: the level itself may be far below
what doubles hold.
"""

from __future__ import annotations

import math
from fractions import Fraction

from accountant import Interval
from accountant.loss import FiniteLoss, PrivacyLoss, lowest_place, lowest_value
from accountant.numbers import float_above, float_below
from accountant.numbers.rounding import Ball, exp, expm1, log

_FARTHEST = 700.0
_NONE, _UNKNOWN = Interval(-math.inf, -math.inf), Interval(-math.inf, 0.0)


def exact_level(loss: FiniteLoss, power: Fraction) -> Fraction:
    """The smallest level at which tests of a finite pair reach a power: outcomes in order of falling likelihood ratio."""
    level, left = Fraction(0), power
    for p, q in loss.atoms:
        share = min(Fraction(1), left / p) if p else Fraction(0)
        level, left = level + share * q, left - share * p
    return level


def log_level(loss: PrivacyLoss, power: Fraction, *, near: float | None = None, least: float = 0.0) -> Interval:
    """The logarithm of the smallest level at which some test has the given power, in this direction of the loss.

    The search is shorter for whoever knows an epsilon `near` which the bound on the level is largest, or about the `least`
    epsilon at which delta is the power.
    """
    infinite = loss.infinite()
    if infinite.lower >= float_above(power) or infinite.exact == power:
        return _NONE
    if near is not None and loss.delta(near).upper < float_below(power):
        return _highest(loss, power, near, near, peak=2.0).clamp(-math.inf, 0.0)
    start = _start(loss, power, infinite)
    if start is None:
        return _UNKNOWN
    return _highest(loss, power, start, *_best(start, least)).clamp(-math.inf, 0.0)


def _start(loss: PrivacyLoss, power: Fraction, infinite: Interval) -> float | None:
    """A place where delta is surely below the power, near the best one."""
    if Fraction(infinite.upper) >= power:
        return None
    found = loss.epsilon((power + Fraction(infinite.upper)) / 2).upper
    return None if math.isinf(found) else found


def _best(start: float, least: float) -> tuple[float, float]:
    """About where (power - delta) e^-epsilon is largest and how wide its peak is, if delta falls on like an exponential.

    From the power to a half of it, it falls between the two epsilons; it is best where it is 1/(1 + fall) of the power.
    """
    fall = max(math.log(2.0) / max(start - least, 1e-6), 1.0)
    return start + math.log(0.5 * (1.0 + fall)) / fall, 1.0 / fall


def _highest(loss: PrivacyLoss, power: Fraction, start: float, best: float, peak: float) -> Interval:
    low, high, top = float_below(power), float_above(power), loss.supremum().upper

    def bound(log_u: float) -> Interval:
        """Minus (power - delta) u, as a share of what u is at the start."""
        delta = loss.delta(-log_u) if -log_u < top else Interval.of(0)
        share = exp((Ball(log_u) + start).at_most(_FARTHEST))
        lower, upper = ((Ball(delta.lower) - high) * share).lower, ((Ball(delta.upper) - low) * share).upper
        return Interval(lower, upper if log_u + start < _FARTHEST else math.inf)

    # Points so far apart leave an error of about the square of that.
    finest = 2.0**-20 if loss.precision is None else math.sqrt(loss.precision) / 3.5
    value = lowest_value(bound, [-best], finest, max(0.5 * peak, 2.0 * finest))
    lower = (log(Ball(-value.upper)) - start).lower if value.upper < 0.0 else -math.inf
    upper = (log(Ball(-value.lower)) - start).upper if -math.inf < value.lower < 0.0 else math.inf
    return Interval(lower, upper if value.lower < 0.0 else -math.inf)


def crossing_power(loss: PrivacyLoss, epsilon: Fraction) -> tuple[float, float]:
    """A power from which on no test has more than e^epsilon times its level, close to the smallest: an upper bound.

    With it comes the epsilon that it was found at.

    A test of level x whose power is at least e^epsilon x has a power of at most delta(e)/(1 - e^(e - epsilon)), for every
    e below epsilon: its power is at most delta(e) + e^e x, and x at most power times e^-epsilon.
    """
    slow = loss.precision is not None

    def bound(log_distance: float) -> tuple[float, float]:
        place = float_below(epsilon - Fraction(math.exp(min(log_distance, 600.0))))
        gap = float_below(epsilon - Fraction(place))
        return (Ball(loss.delta(place).upper) / -expm1(Ball(-gap))).upper, place

    seen: dict[float, tuple[float, float]] = {}

    def height(log_distance: float) -> float:
        if log_distance not in seen:
            seen[log_distance] = bound(max(log_distance, -30.0))
        return seen[log_distance][0]

    lowest_place(height, [0.0] if slow else [-4.0, -2.0, 0.0, 1.0, 2.0, 3.0, 4.0], 2.0**-4 if slow else 2.0**-20)
    power, place = min(seen.values())
    return min(1.0, power), place
