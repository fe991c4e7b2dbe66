"""Sums over all whole k of e^(-(k + x)^2/(2 variance)): the normaliser of discrete Gaussian noise, and its moments.

With a = 1/(2 variance), theta(x) = sum e^(-a (k + x)^2). By Poisson's summation it is also sqrt(pi/a) times
1 + 2 sum over n >= 1 of e^(-pi^2 n^2/a) cos(2 pi n x). Either series is cut where its terms fall faster than a geometric
series whose remainder is negligible beside the rounding that is charged.
"""

from __future__ import annotations

import math
from fractions import Fraction

from accountant import Interval
from accountant.loss import ROUNDOFF, TINY

WIDE = 0.25
"""From this variance on the dual series is used: its term n is at most e^(-4.9 n^2), negligible from n = 13 on. Below it,
term n of the other one is at most e^(-2 n^2 + n), negligible from n = 22 on."""


def log_normaliser(variance: Fraction) -> Interval:
    """log theta(0)."""
    number = float(variance)
    if number >= WIDE:
        rest = 2.0 * math.fsum(math.exp(-2.0 * math.pi**2 * number * n * n) for n in range(1, 13))
        value = 0.5 * (math.log(2.0 * math.pi) + math.log(number)) + math.log1p(rest)
        return Interval.around(value, ROUNDOFF * (64.0 + 8.0 * abs(math.log(number))))
    rest = 2.0 * math.fsum(math.exp(-0.5 * n * n / number) for n in range(1, 22))
    return Interval.around(math.log1p(rest), 4096 * ROUNDOFF * rest + TINY)


def log_ratio(variance: Fraction, place: Fraction) -> Interval:
    """log(theta(x)/theta(0)), which is never positive and 0 at whole x."""
    x = place - round(place)
    if x == 0:
        return Interval.of(0)
    number, at = float(variance), float(x)
    if number >= WIDE:
        terms = [math.exp(-2.0 * math.pi**2 * number * n * n) for n in range(1, 13)]
        whole = 1.0 + 2.0 * math.fsum(terms)
        lack = 4.0 * math.fsum(term * math.sin(math.pi * n * at) ** 2 for n, term in enumerate(terms, start=1))
        # Exponents are rounded by 4 roundoffs of themselves, at most 4 * 745, and sines by 8 of their argument.
        value = math.log1p(-lack / whole)
        return Interval.around(value, 2**14 * ROUNDOFF * abs(value) + TINY).clamp(-math.inf, 0.0)
    # The largest term is that of k = 0, since |x| <= 1/2: all are measured by it, in exponents of fixed sign.
    scale = 0.5 / number
    total = math.fsum(math.exp(-min(scale * n * (n + 2.0 * at), 800.0)) for n in range(1, 22))
    total += math.fsum(math.exp(-min(scale * n * (n - 2.0 * at), 800.0)) for n in range(1, 22))
    whole = 2.0 * math.fsum(math.exp(-min(scale * n * n, 800.0)) for n in range(1, 22))
    value = -scale * at * at + math.log1p(total) - math.log1p(whole)
    error = 2**13 * ROUNDOFF * (scale * at * at + total + whole) + TINY
    return Interval.around(value, error).clamp(-math.inf, 0.0)
