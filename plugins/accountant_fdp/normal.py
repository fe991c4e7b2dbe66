"""Normal quantiles and square roots, rounded outward."""

from __future__ import annotations

import math
from fractions import Fraction
from statistics import NormalDist

from accountant import Interval
from accountant.numbers import float_above, float_below

_STANDARD = NormalDist()
_ROOT = math.sqrt(2.0)
_LEAST = Fraction(1, 10**300)


def tail_quantile(tail: Fraction) -> Interval:
    """The number that a standard normal variable exceeds with probability `tail`.

    Below what doubles hold, only P(Z > z) <= e^(-z^2/2)/2 is used.
    """
    if tail <= 0:
        return Interval.infinite()
    if tail > Fraction(1, 2):
        other = tail_quantile(1 - tail)
        return Interval(-other.upper, -other.lower)
    if tail < _LEAST:
        bits = tail.denominator.bit_length() - tail.numerator.bit_length() + 1
        return Interval(tail_quantile(_LEAST).lower, math.sqrt(2.0 * bits * math.log(2.0)) * (1.0 + 2.0**-40))
    start = -_STANDARD.inv_cdf(float(tail))
    return Interval(_moved(start, float_above(tail), -1.0), _moved(start, float_below(tail), 1.0))


def _moved(z: float, tail: float, direction: float) -> float:
    """The nearest z found that has certainly at most (upwards) or at least (downwards) the given tail."""
    step = 2.0**-50 * (1.0 + abs(z))
    while True:
        # The error granted is many times what the C library has, and what rounding the argument costs.
        value = 0.5 * math.erfc(z / _ROOT) * (1.0 + direction * 2.0**-48 * (4.0 + z * z))
        if direction * (tail - value) >= 0.0:
            return z
        z, step = z + direction * step, 2.0 * step


def root(square: Fraction) -> Interval:
    """The square root of an exact number that is not negative."""
    top, bottom = math.isqrt(square.numerator), math.isqrt(square.denominator)
    if top * top == square.numerator and bottom * bottom == square.denominator:
        return Interval.of(Fraction(top, bottom))
    # Scaled so that the whole part of the root has many more digits than a double.
    shift = max(0, 128 - (square.numerator.bit_length() - square.denominator.bit_length()) // 2)
    whole = math.isqrt((square.numerator << (2 * shift)) // square.denominator)
    return Interval(float_below(Fraction(whole, 1 << shift)), float_above(Fraction(whole + 1, 1 << shift)))
