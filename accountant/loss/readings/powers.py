"""Moments of the likelihood ratio, bounded by other moments of it.

Let X be P's density over Q's, so that E_Q[X] = 1 and log moments of the loss are K(t) = log E_Q[X^(1 + t)]. With
C(x) = (x^p - 1 - p (x - 1))/(x - 1)^2, E_Q[X^p] - 1 is the mean under Q of C(X) (X - 1)^2. C is an average of the second
derivative p (p - 1) y^(p - 2)/2 over y between 1 and x, with more weight near 1; so it rises in x where p > 2 and falls
where p < 2, and its values at the smallest and at the largest X are bounds on the ratio of E_Q[X^p] - 1 to E_Q[X^2] - 1.
The same holds with P and Q exchanged, where K(t) = log E_P[Y^-t] with Y = 1/X.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from accountant.numbers.interval import Interval
from accountant.numbers.rounding import Ball, exp, expm1, log, log1p

Moment = Callable[[float], Interval]

_SMALL = 2.0**-16
_LARGEST, _MOST = 300.0, 1e150
_LEAST_ORDER = 2.0**-20
_CUTS = (0.5, 1.0, 2.0, 3.0)


def response_moment(top: float, order: float) -> float:
    """The log moment of randomised response, which dominates every pair with losses between -top and top; rounded up."""
    if top == math.inf:
        return math.inf
    rise = Ball(top) * order
    rest = log1p(exp(-(2.0 * rise + top))) - log1p(exp(Ball(-top)))
    return max(0.0, (rise + rest).upper)


def compared_with_squares(own: Moment, back: Moment, tops: tuple[float, float], order: float) -> Iterator[Interval]:
    """Bounds on the log moment of an order by those of order 1 in both directions.

    `tops` bound the losses in both directions. A law without such a bound is cut where few squares lie beyond.
    """
    top, bottom = tops
    if order >= _LEAST_ORDER:
        squares = own(1.0)
        yield _times_squares(_extremes(Ball(order) + 1.0, -bottom, top), squares)
        if top > _CUTS[-1] and order < 1.0:
            yield _without_the_tail(squares, own(2.0), order)
    squares = back(1.0)
    # If Q has mass where P has none, the mean of Y is below 1 and nothing follows; a finite moment excludes it.
    if squares.upper < math.inf:
        yield _times_squares(_extremes(Ball(-order), -top, bottom), squares)


def _extremes(power: Ball, lowest: float, highest: float) -> tuple[float, float]:
    """The smallest and the largest value of C between two places, given by their logarithms, rounded outward."""
    ends = [_average(power, place) for place in (lowest, highest)]
    return min(low for low, _ in ends), max(high for _, high in ends)


def _average(power: Ball, log_x: float) -> tuple[float, float]:
    """C at a place, from both sides."""
    middle = 0.5 * power * (power - 1.0)
    if log_x == -math.inf and power.middle > 1.0:
        return (power - 1.0).lower, (power - 1.0).upper
    if log_x > _LARGEST or power.middle * log_x > _LARGEST:
        # Out of reach: all that is left is on which side of its value at 1 it lies. Below 1 only negative powers get here.
        rises, falls = log_x < 0.0 or power.lower >= 2.0, log_x > 0.0 and power.upper <= 2.0
        return middle.lower if rises else 0.0, middle.upper if falls else math.inf
    if abs(log_x) < _SMALL:
        # Between 1 and x the second derivative moves by no more than this factor.
        spread = exp(Ball(((power - 2.0) * log_x).most))
        return max(0.0, (middle / spread).lower), (middle * spread).upper
    gap = expm1(Ball(log_x))
    value = (expm1(power * log_x) - power * gap) / (gap * gap)
    return max(0.0, value.lower), value.upper


def _times_squares(factors: tuple[float, float], squares: Interval) -> Interval:
    """log(1 + factor (e^squares - 1)), from both sides."""
    lower, upper = _log_of_share(factors[0], squares.lower).lower, _log_of_share(factors[1], squares.upper).upper
    return Interval(max(0.0, min(lower, upper)), max(0.0, upper))


def _log_of_share(factor: float, log_moment: float) -> Ball:
    """log(1 + factor (e^log_moment - 1)); less is known of it where that is beyond doubles."""
    if log_moment <= 0.0 or factor <= 0.0:
        return Ball(math.inf if factor == math.inf else 0.0)
    if math.inf in (factor, log_moment):
        return Ball(math.inf)
    if log_moment <= _LARGEST and factor <= _MOST:
        return log1p(expm1(Ball(log_moment)) * factor)
    value = (log(Ball(factor)) + log_moment).at_least(0.0)
    return value.widened(1.0)


def _without_the_tail(squares: Interval, cubes: Interval, order: float) -> Interval:
    """A lower bound by those X that are at most b.

    E[(X - 1)^2; X > b] is at most E[(X - 1)^2 (X + 2)]/(b + 2), and that mean is E[X^3] - 1.
    """
    best = 0.0
    if cubes.upper < _LARGEST:
        whole, more = expm1(Ball(squares.lower)), expm1(Ball(cubes.upper))
        kept = [((whole - more / (exp(Ball(cut)) + 2.0)).lower, cut) for cut in _CUTS]
        best = max(0.0, *((Ball(rest) * _average(Ball(order) + 1.0, cut)[0]).lower for rest, cut in kept))
    return Interval(max(0.0, log1p(Ball(best)).lower), math.inf)


def log_largest_gain(tilt: float) -> float:
    """The logarithm of the largest e^(-tilt x) (1 - e^-x), rounded up.

    Chernoff: delta(e) is at most that gain times e^(K(tilt) - tilt e), K the log moment.
    """
    if tilt <= 0.0:
        return 0.0
    whole = Ball(tilt)
    return min(0.0, (-whole * log1p(1.0 / whole) - log1p(whole)).upper)
