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

Moment = Callable[[float], Interval]

_ROUNDED = 2.0**-46
_SMALL = 2.0**-16
_LARGEST, _MOST = 300.0, 1e150
_LEAST_ORDER = 2.0**-20
_DOUBT = 2.0**-30  # how much more than itself a rounded 1 + order may be above 1, at orders from the least on
_CUTS = (0.5, 1.0, 2.0, 3.0)


def response_moment(top: float, order: float) -> float:
    """The log moment of randomised response, which dominates every pair with losses between -top and top; rounded up."""
    if top == math.inf:
        return math.inf
    rest = math.log1p(math.exp(-top * (1.0 + 2.0 * order))) - math.log1p(math.exp(-top))
    return max(0.0, top * order + rest + _ROUNDED * (1.0 + top * order))


def compared_with_squares(own: Moment, back: Moment, tops: tuple[float, float], order: float) -> Iterator[Interval]:
    """Bounds on the log moment of an order by those of order 1 in both directions.

    `tops` bound the losses in both directions. A law without such a bound is cut where few squares lie beyond.
    """
    top, bottom = tops
    if order >= _LEAST_ORDER:
        squares = own(1.0)
        yield _times_squares(_extremes(1.0 + order, -bottom, top), squares)
        if top > _CUTS[-1] and order < 1.0:
            yield _without_the_tail(squares, own(2.0), order)
    squares = back(1.0)
    # If Q has mass where P has none, the mean of Y is below 1 and nothing follows; a finite moment excludes it.
    if squares.upper < math.inf:
        yield _times_squares(_extremes(-order, -top, bottom), squares)


def _extremes(power: float, lowest: float, highest: float) -> tuple[float, float]:
    """The smallest and the largest value of C between two places, given by their logarithms, rounded outward."""
    ends = [_average(power, place) for place in (lowest, highest)]
    return min(low for low, _ in ends), max(high for _, high in ends)


def _average(power: float, log_x: float) -> tuple[float, float]:
    """C at a place, from both sides, for powers that may be off by one rounding."""
    middle = 0.5 * power * (power - 1.0)
    if log_x == -math.inf and power > 1.0:
        return (power - 1.0) * (1.0 - _DOUBT), (power - 1.0) * (1.0 + _DOUBT)
    if log_x > _LARGEST or power * log_x > _LARGEST:
        # Out of reach: all that is left is on which side of its value at 1 it lies.
        return (0.0, middle * (1.0 + _DOUBT)) if power < 2.0 < log_x else (middle * (1.0 - _DOUBT), math.inf)
    if abs(log_x) < _SMALL:
        # Between 1 and x the second derivative moves by no more than this factor.
        spread = math.exp(abs((power - 2.0) * log_x)) * (1.0 + _DOUBT)
        return middle / spread, middle * spread
    rise, gap = math.expm1(power * log_x), math.expm1(log_x)
    value = (rise - power * gap) / (gap * gap)
    # Each term is off by a few roundoffs of itself and, through its exponent, of what that moves it by.
    doubt = 2.0**-50 * (abs(rise) + (1.0 + rise) * abs(power * log_x) + abs(power * gap)) / (gap * gap)
    return max(0.0, (value - doubt) * (1.0 - _ROUNDED)), (value + doubt) * (1.0 + _ROUNDED)


def _times_squares(factors: tuple[float, float], squares: Interval) -> Interval:
    """log(1 + factor (e^squares - 1)), from both sides."""
    lower = _log_of_share(factors[0], squares.lower) * (1.0 - _ROUNDED)
    upper = _log_of_share(factors[1], squares.upper, up=True) * (1.0 + _ROUNDED)
    return Interval(max(0.0, min(lower, upper)), upper)


def _log_of_share(factor: float, log_moment: float, *, up: bool = False) -> float:
    """log(1 + factor (e^log_moment - 1)); where that is beyond doubles, a bound on the side that is asked for."""
    if log_moment <= 0.0 or factor <= 0.0:
        return math.inf if factor == math.inf else 0.0
    if math.inf in (factor, log_moment):
        return math.inf
    if log_moment <= _LARGEST and factor <= _MOST:
        return math.log1p(factor * math.expm1(log_moment))
    value = log_moment + math.log(factor)
    return max(value, 0.0) + 1.0 if up else max(0.0, value - 1.0)


def _without_the_tail(squares: Interval, cubes: Interval, order: float) -> Interval:
    """A lower bound by those X that are at most b.

    E[(X - 1)^2; X > b] is at most E[(X - 1)^2 (X + 2)]/(b + 2), and that mean is E[X^3] - 1.
    """
    best = 0.0
    if cubes.upper < _LARGEST:
        whole, more = math.expm1(squares.lower) * (1.0 - _ROUNDED), math.expm1(cubes.upper) * (1.0 + _ROUNDED)
        kept = [(whole - more / (math.exp(cut) + 2.0) * (1.0 + _ROUNDED), cut) for cut in _CUTS]
        best = max(0.0, *(_average(1.0 + order, cut)[0] * rest * (1.0 - _ROUNDED) for rest, cut in kept))
    return Interval(math.log1p(best) * (1.0 - _ROUNDED), math.inf)


def log_largest_gain(tilt: float) -> float:
    """The logarithm of the largest e^(-tilt x) (1 - e^-x), rounded up.

    Chernoff: delta(e) is at most that gain times e^(K(tilt) - tilt e), K the log moment.
    """
    if tilt <= 0.0:
        return 0.0
    value = -tilt * math.log1p(1.0 / tilt) - math.log1p(tilt)
    return min(0.0, value * (1.0 - 2.0**-48))
