"""How concentrated the loss of a hidden report is: a bound on the supremum of Renyi(a)/a over all orders.

Moments of high order feel outcomes far rarer than doubles hold. Where c reports say "first" or "second", E_P[e^(sL)] is at
most e^(s(s + 1) epsilon^2/(2c)), and at most e^(s epsilon); and by Chernoff's inequality c is hardly ever small. See
docs/reference/mechanisms/shuffle.md.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from accountant.loss import Floats
from accountant.numbers.rounding import lowered, raised
from accountant_response.tallies import exponentials

_PIECES = 256
_ORDERS = 2048
_TIMES = 2.0**23
"""More roundings than exponents, chances and moments have together."""


def most_concentration(epsilon: Fraction, reports: int) -> Fraction:
    """An upper bound on log E_P[e^(sL)]/(s(s + 1)) for all s > 0, where only other reports may say something else.

    A log moment grows with s, so between two orders it is at most that at the larger, over the denominator at the smaller.
    Up to the first order, log E[e^(vx)]/v grows with v = s(s + 1). Beyond the last one, the largest loss is a bound.
    """
    number = float(epsilon)
    counts, log_chances = _few(epsilon, reports)
    orders = np.geomspace(min(1.0, 1.0 / number), 2.0 * reports / number + 1.0, _ORDERS)
    factors = orders * (orders + 1.0)
    exponents = np.outer(factors, 0.5 * number * number / counts)
    start = float(_log_mean(exponents[:1], log_chances)[0] / factors[0])
    moments = _log_mean(np.minimum(exponents, (number * orders)[:, None]), log_chances)
    most = max(start, float(np.max(moments[1:] / factors[:-1])), number / (float(orders[-1]) + 1.0))
    return Fraction(raised(min(most, number * math.tanh(0.5 * number)), _TIMES))


def _few(epsilon: Fraction, reports: int) -> tuple[Floats, Floats]:
    """Numbers of reports that say either, with the logarithms of chances: stochastically, they are fewer than in truth."""
    fall, rise = exponentials(epsilon)
    rate, rest = 2.0 * fall / (1.0 + fall), rise / (1.0 + fall)
    shares = np.arange(_PIECES + 1) / _PIECES
    below = rate * shares[1:]
    entropy = below * np.log(shares[1:]) + (1.0 - below) * np.log1p(rate * (1.0 - shares[1:]) / rest)
    # Bounds on the logarithms of the chances that there are fewer than the numbers after the first, and than infinity.
    fewer = np.append(-lowered((reports - 1.0) * np.maximum(entropy, 0.0), _TIMES), 0.0)
    with np.errstate(divide="ignore"):
        steps = fewer[1:] + np.log(-np.expm1(np.minimum(fewer[:-1] - fewer[1:], 0.0)))
    return 1.0 + (reports - 1.0) * rate * shares, np.append(fewer[:1], steps)


def _log_mean(exponents: Floats, log_chances: Floats) -> Floats:
    """Logarithms of means of e^exponents, by row; the exponents are not negative."""
    top = np.max(exponents + log_chances, axis=1)
    far = top + np.log(np.sum(np.exp(exponents + log_chances - top[:, None]), axis=1))
    near = np.log1p(np.sum(np.expm1(np.minimum(exponents, 1.0)) * np.exp(log_chances), axis=1))
    found: Floats = np.where(np.max(exponents, axis=1) < 1.0, near, far)
    return found
