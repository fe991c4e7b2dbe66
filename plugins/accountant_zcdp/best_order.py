"""The epsilon of a zCDP parameter at the best order of the optimised conversion.

For a given epsilon the logarithm of delta is convex in the order a. The best one solves rho (a - 1)^2 + log a =
log(1/delta), and there epsilon = (2 a - 1) rho + log(1 - 1/a). Both grow with a: an order below the best one bounds the
best epsilon from below, and any order bounds it from above.
"""

from __future__ import annotations

import math
from fractions import Fraction

from accountant import Interval
from accountant.numbers import float_above, float_below, log_of
from accountant.numbers.rounding import Ball, raised


def best_epsilon(rho: Fraction, delta: Fraction) -> Interval:
    """The smallest rho a + log(1/(a delta))/(a - 1) + log(1 - 1/a) over all orders a above 1."""
    if not rho:
        return Interval.of(0)
    nats = log_of(1 / delta)
    below, above = _best(float_above(rho), nats.lower)
    lower = _least(float_below(rho), below) if below else 0.0
    upper = _valid(float_above(rho), above, nats.upper)
    return Interval(min(lower, upper), upper).clamp(0.0, math.inf)


def _best(rho: float, nats: float) -> tuple[float, float]:
    """Two neighbouring orders less 1, the first certainly below the best one, or 0."""
    low, high = 0.0, min(math.sqrt(nats) / math.sqrt(rho), math.expm1(min(nats, 700.0)))
    while low < (middle := 0.5 * (low + high)) < high:
        # Two products, a logarithm that counts for four, and a sum.
        if raised(rho * middle * middle + math.log1p(middle), 7) <= nats:
            low = middle
        else:
            high = middle
    return low, high


def _least(rho: float, step: float) -> float:
    """(2 a - 1) rho + log(1 - 1/a) at the order 1 + step, rounded down."""
    terms = (1.0 + 2.0 * step) * rho, math.log(step), -math.log1p(step)
    return _sum(terms).lower


def _valid(rho: float, step: float, nats: float) -> float:
    """The conversion at the order 1 + step, rounded up."""
    if not step:
        return math.inf
    terms = (1.0 + step) * rho, nats / step, -math.log1p(step) / step, math.log(step), -math.log1p(step)
    return _sum(terms).upper


def _sum(terms: tuple[float, ...]) -> Ball:
    """The sum of terms that are rounded up to 5 times each, and once together."""
    return Ball.rounded(math.fsum(terms), 6.0, math.fsum(map(abs, terms)))
