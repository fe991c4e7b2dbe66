"""Moments of losses that lie in an interval of given length: the largest over all places of the interval.

With x = epsilon/2 and G(y) = log(sinh(y)/y), the largest log moment of order a is

    K(a) = (1 + a) G((1 + a) x) - a G(a x) - G(x),

and K(a)/(a (1 + a)) falls from rho = K'(0) = G(x) + x coth(x) - 1, which is at most epsilon^2/8.
See docs/explanation/choosing-one-of-many.md.
"""

from __future__ import annotations

import itertools
import math
import operator

from accountant import Interval
from accountant.numbers.rounding import TINY, Ball, down

_TIMES = 64.0
"""Each of the positive terms below rounds less often than this; sums of series round once each."""
_TERMS = 20
_NEAR = 2.0
_LARGEST = down(math.inf)


def largest_concentration(epsilon: float) -> Interval:
    """The largest sup over orders of Renyi(order)/order of any loss in an interval of length epsilon."""
    value = _log_sinhc(0.5 * epsilon) + _cothc(0.5 * epsilon)
    return Ball.evaluated(value, _TIMES).interval(0.0, epsilon)


def largest_log_moment(epsilon: float, order: float) -> Interval:
    """The largest log E_P[e^(order L)] of any loss L in an interval of length epsilon."""
    if order * epsilon == math.inf:
        return Interval(_LARGEST, math.inf)
    found = (_far(epsilon, order) if order * epsilon >= _NEAR else _near(epsilon, order)).widened(TINY)
    rho = largest_concentration(epsilon)
    # K is convex, so it lies above its tangent at 0.
    low, high = down(order * rho.lower), Ball.rounded(min(order * (1.0 + order) * rho.upper, order * epsilon), 4.0).upper
    upper = min(found.upper, high)
    return Interval(min(upper, max(0.0, found.lower, low)), upper)


def _near(epsilon: float, order: float) -> Ball:
    """(1 + a)(G((1 + a) x) - G(x)) + a (G(x) - G(a x)), the first difference as a sum of positive terms."""
    x = 0.5 * epsilon
    inner = math.expm1(_log_sinhc(order * x))
    half, away = math.sinh(0.5 * order * x), _cothc(x)
    rise = (1.0 + order) * math.log1p((2.0 * half * half + order * (away + inner + away * inner)) / (1.0 + order))
    here, there = order * _log_sinhc(x), order * _log_sinhc(order * x)
    return Ball.rounded(rise + (here - there), _TIMES, rise + here + there)


def _far(epsilon: float, order: float) -> Ball:
    """a epsilon - log(1 + a) - a log(1 + 1/a) and what e^-2y adds in each G(y) = y - log(2y) + log(1 - e^-2y)."""
    x = 0.5 * epsilon
    fall = math.log1p(order) + order * math.log1p(1.0 / order)
    rest = (-_log_rest(x), -order * _log_rest(order * x), (1.0 + order) * _log_rest((1.0 + order) * x))
    value = order * epsilon - fall + math.fsum(rest)
    return Ball.rounded(value, _TIMES, order * epsilon + fall + math.fsum(map(abs, rest)))


def _log_rest(y: float) -> float:
    """log(1 - e^-2y)."""
    return math.log(-math.expm1(-2.0 * y)) if y < 0.5 else math.log1p(-math.exp(-2.0 * y))


def _log_sinhc(y: float) -> float:
    """log(sinh(y)/y)."""
    return math.log1p(math.fsum(_powers(y))) if y < _NEAR else y - math.log(2.0 * y) + _log_rest(y)


def _cothc(y: float) -> float:
    """y coth(y) - 1."""
    if y >= _NEAR:
        return y / math.tanh(y) - 1.0
    powers = _powers(y)
    return math.fsum(2 * k * power for k, power in enumerate(powers, start=1)) / (1.0 + math.fsum(powers))


def _powers(y: float) -> list[float]:
    """y^(2k)/(2k + 1)! for k = 1, 2, ...: what sinh(y)/y is more than 1."""
    return list(itertools.accumulate((y * y / (2 * k * (2 * k + 1)) for k in range(1, _TERMS + 1)), operator.mul))
