"""Sums over all whole k of e^(-(k + x)^2/(2 variance)): the normaliser of discrete Gaussian noise, and its moments.

With a = 1/(2 variance), theta(x) = sum e^(-a (k + x)^2). By Poisson's summation it is also sqrt(pi/a) times
1 + 2 sum over n >= 1 of e^(-pi^2 n^2/a) cos(2 pi n x). Either series is cut where its terms fall faster than a geometric
series whose remainder is negligible beside the rounding that is charged.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

from accountant import Interval
from accountant.numbers.rounding import Ball, log, log1p

WIDE = 0.25
"""From this variance on the dual series is used: its term n is at most e^(-4.9 n^2), negligible from n = 13 on. Below it,
term n of the other one is at most e^(-2 n^2 + n), negligible from n = 22 on."""


@lru_cache(maxsize=256)
def log_normaliser(variance: Fraction) -> Interval:
    """log theta(0)."""
    number = float(variance)
    if number >= WIDE:
        rest = 2.0 * math.fsum(math.exp(-2.0 * math.pi**2 * number * n * n) for n in range(1, 13))
        # Exponents x from 4.9 on round 7 times and exponentials 4 times: (7 x + 4) e^-x is at most 0.3 and falls fast.
        rising = log1p(Ball.rounded(rest, 1.0, 1.0))
        return (0.5 * (log(Ball.rounded(2.0 * math.pi, 2.0)) + log(Ball.of(variance))) + rising).interval()
    rest = 2.0 * math.fsum(math.exp(-0.5 * n * n / number) for n in range(1, 22))
    # Exponents round by 4 roundoffs of themselves, at most 4 * 745.
    return log1p(Ball.evaluated(rest, 4096.0)).interval(0.0)


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
        return Ball.evaluated(value, 2.0**14).interval(-math.inf, 0.0)
    # The largest term is that of k = 0, since |x| <= 1/2: all are measured by it, in exponents of fixed sign.
    scale = 0.5 / number
    total = math.fsum(math.exp(-min(scale * n * (n + 2.0 * at), 800.0)) for n in range(1, 22))
    total += math.fsum(math.exp(-min(scale * n * (n - 2.0 * at), 800.0)) for n in range(1, 22))
    whole = 2.0 * math.fsum(math.exp(-min(scale * n * n, 800.0)) for n in range(1, 22))
    value = -scale * at * at + math.log1p(total) - math.log1p(whole)
    # Exponents round by 8 roundoffs of themselves, at most 8 * 800.
    return Ball.evaluated(value, 2.0**13, scale * at * at + total + whole).interval(-math.inf, 0.0)
