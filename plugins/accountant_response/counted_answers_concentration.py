"""How concentrated the loss of counted answers is at least: some terms of moments of high order.

A moment is a sum of positive terms, so any of them are a bound from below. At high orders the largest ones stand where the
count is far from usual, beyond what doubles hold; their logarithms are not. See docs/reference/mechanisms/shuffle.md.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from accountant.loss import Floats
from accountant.numbers.rounding import Ball, lowered
from accountant_response.tallies import exponentials

_ORDERS = 96
_COUNTS = 4096


def least_concentration(epsilon: Fraction, reports: int) -> float:
    """A lower bound on the largest log E_P[e^(sL)]/(s(s + 1)) of counted answers, of either order; 0 where none is known.

    Under Q the number k of yeses is binomial with odds f = e^-epsilon, and the likelihood ratio is (k/f + (n - k) f)/n.
    """
    number = float(epsilon)
    if not 0.01 <= number <= 30.0:
        return 0.0
    fall, _ = exponentials(epsilon)
    counts = np.unique(np.round(np.linspace(0.0, float(reports), _COUNTS + 1)))
    rest = reports - counts
    # Of n!, the smaller of Stirling's two bounds.
    ways = _most_factorial(np.array([float(reports)])) - 1.0 / (12.0 * reports * (12.0 * reports + 1.0))
    logs = ways - _most_factorial(counts) - _most_factorial(rest) - counts * number - reports * math.log1p(fall)
    ratios = np.log((counts / fall + rest * fall) / reports)
    orders = np.geomspace(0.05 * reports / number, 20.0 * reports / number, _ORDERS)
    # No number is larger than n log n + n epsilon, and none is rounded so often.
    size = reports * (math.log(reports) + number + 1.0) + float(orders[-1] + 1.0) * (number + 1.0)
    off = Ball.rounded(0.0, 256.0, size).radius
    # One term of each moment.
    terms = [np.max(logs + np.outer(powers, ratios), axis=1) - off for powers in (1.0 + orders, -orders)]
    # A sum, a product and a quotient.
    return lowered(max(0.0, float(np.max(np.array(terms) / (orders * (orders + 1.0))))), 3)


def _most_factorial(counts: Floats) -> Floats:
    """Stirling's upper bounds on the logarithms of factorials."""
    some = np.maximum(counts, 1.0)
    bounds = 0.5 * np.log(2.0 * math.pi * some) + some * np.log(some) - some + 1.0 / (12.0 * some)
    return np.where(counts > 0.0, bounds, 0.0)
