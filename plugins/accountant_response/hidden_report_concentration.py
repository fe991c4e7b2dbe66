"""How concentrated the loss of a hidden report is: a bound on the supremum of Renyi(a)/a over all orders.

Moments of high order feel outcomes far rarer than doubles hold. Where c reports say "first" or "second", the log moment of
order s is bounded in three ways, and is at most s epsilon; and by Chernoff's inequality c is hardly ever small. See
docs/reference/mechanisms/shuffle.md.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from accountant.loss import Floats
from accountant.numbers.rounding import Balls, lowered, raised
from accountant_response.tallies import exponentials

_PIECES = 256
_ORDERS = 320
_TIMES = 2.0**23
"""More roundings than exponents, chances and moments have together."""
_MEANS = 2.0 ** -np.arange(0.5, 9.0, 0.5)
"""Means of signs up to which the loss is bounded by a line that is less steep."""
_TABLE = 1024
_LARGE = 8.0
"""Beyond such an epsilon tanh is too close to 1 for doubles."""


def most_concentration(epsilon: Fraction, reports: int) -> Fraction:
    """An upper bound on log E_P[e^(sL)]/(s(s + 1)) for all s > 0, where only other reports may say something else.

    A log moment is convex in s and 0 at 0, so between two orders it is at most its chord. Up to the first order,
    log E[e^(vx)]/v grows with v = s(s + 1). Beyond the last one, the largest loss is a bound.
    """
    number = float(epsilon)
    counts, log_chances = _few(epsilon, reports)
    orders = np.geomspace(min(1.0, 1.0 / number), 2.0 * reports / number + 1.0, _ORDERS)
    factors = orders * (orders + 1.0)
    first = float(_log_mean(np.outer(factors[:1], 0.5 * number * number / counts), log_chances)[0] / factors[0])
    first = min(first, _up_to_first(number, counts, log_chances, float(orders[0])))
    moments = _log_mean(_exponents(number, reports, orders, counts), log_chances)
    most = max(first, _largest_ratio(orders, moments), number / (float(orders[-1]) + 1.0))
    return Fraction(raised(min(most, number * math.tanh(0.5 * number)), _TIMES))


def _exponents(number: float, reports: int, orders: Floats, counts: Floats) -> Floats:
    """Bounds on the log moments given how many reports say either, by order and that number."""
    tanh = math.tanh(0.5 * number)
    squares = np.outer(orders * (orders + 1.0), 0.5 / counts)
    found = np.minimum(squares * number**2, (number * orders)[:, None])
    if number > _LARGE:
        return found
    for mean in _MEANS.tolist():
        inside, outside = squares * _slope(tanh, mean) ** 2, _outside(number, mean, orders, counts)
        near = np.log1p(np.expm1(np.minimum(inside, 1.0)) + np.exp(np.minimum(outside, 1.0)))
        both = np.where(np.maximum(inside, outside) < 1.0, near, np.logaddexp(inside, outside))
        found = np.minimum(found, both)
    ratios = np.outer(orders, 1.0 / counts)
    table, steepest = _rare(tanh)
    rare = math.log(reports + 2.0) + counts * np.interp(ratios, table, steepest, left=math.inf, right=math.inf)
    # Differences are off by what both terms are, however little is left of them.
    rare = rare + Balls.rounded(np.zeros(1), 64.0, counts * (1.0 + ratios * number)).radii
    return np.minimum(found, rare)


def _slope(tanh: float, mean: float) -> float:
    """What epsilon may be replaced by where the mean of all signs is not larger: 2 artanh(u tanh)/u grows with u."""
    return 2.0 * math.atanh(mean * tanh) / mean


def _outside(number: float, mean: float, orders: Floats, counts: Floats) -> Floats:
    """Bounds on the logarithm of what means beyond that add, by Chernoff's inequality."""
    gain = number * mean * orders[:, None]
    found = math.log(2.0) + gain - counts * float(_entropy(np.array(mean)))
    # A difference is off by what both terms are, and an entropy by what its own two are, which are about the mean.
    found = found + Balls.rounded(np.zeros(1), 32.0, 1.0 + gain + counts * mean).radii
    return np.where(number * orders[:, None] <= math.atanh(mean) * counts, found, math.inf)


def _entropy(means: Floats) -> Floats:
    """The rate at which chances of such a mean of fair signs fall: ((1 + u) log(1 + u) + (1 - u) log(1 - u))/2."""
    rest = np.maximum(1.0 - means, 1e-300)
    found: Floats = 0.5 * ((1.0 + means) * np.log1p(means) + (1.0 - means) * np.log(rest))
    return found


def _rare(tanh: float) -> tuple[Floats, Floats]:
    """The largest 2 k artanh(u tanh) - entropy(u) over all u, at some k: it is convex in k, so that chords bound it."""
    means = np.linspace(0.0, 1.0, _TABLE + 1)
    table = np.geomspace(1e-3, 1e3, _TABLE)
    # Both functions of u grow.
    steepest = np.max(2.0 * np.outer(table, np.arctanh(means[1:] * tanh)) - _entropy(means[:-1]), axis=1)
    return table, steepest


def _up_to_first(number: float, counts: Floats, log_chances: Floats, order: float) -> float:
    """A bound on the ratio at all orders up to one.

    What moments exceed 1 by is at most e^(vx) - 1 inside some mean of signs, which over v grows with v; outside it is
    convex in s and 0 at 0, so that over s it is at most what it is at the largest s.
    """
    tanh, factor = math.tanh(0.5 * number), order * (order + 1.0)
    rises = np.expm1(np.minimum(factor * 0.5 * number**2 / counts, 700.0)) / factor
    for mean in _MEANS.tolist() if number <= _LARGE else ():
        inside = np.expm1(np.minimum(factor * 0.5 * _slope(tanh, mean) ** 2 / counts, 700.0)) / factor
        outside = np.exp(np.minimum(_outside(number, mean, np.array([order]), counts)[0], 700.0)) / order
        rises = np.minimum(rises, inside + outside)
    return float(np.sum(np.exp(np.log(rises) + log_chances)))


def _largest_ratio(orders: Floats, moments: Floats) -> float:
    """A bound on moment/(s(s + 1)) between the first and the last order, by chords: at their ends, or where one is best."""
    ends = float(np.max(moments / (orders * (orders + 1.0))))
    slopes = np.diff(moments) / np.diff(orders)
    below = np.maximum(slopes * orders[:-1] - moments[:-1], 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        best = np.where(slopes > 0.0, (below + np.sqrt(below * (below + slopes))) / slopes, orders[:-1])
    best = np.clip(best, orders[:-1], orders[1:])
    chords = moments[:-1] + slopes * (best - orders[:-1])
    return max(ends, float(np.max(chords / (best * (best + 1.0)))))


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
