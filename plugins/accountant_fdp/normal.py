"""Normal quantiles and square roots, rounded outward."""

from __future__ import annotations

import math
from fractions import Fraction
from statistics import NormalDist

from accountant import Interval
from accountant.numbers import float_above, float_below
from accountant.numbers.rounding import Ball, log, sqrt

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
        return Interval(tail_quantile(_LEAST).lower, sqrt(log(Ball(2.0)) * (2 * bits)).upper)
    start = -_STANDARD.inv_cdf(float(tail))
    return Interval(_moved(start, float_above(tail), -1.0), _moved(start, float_below(tail), 1.0))


def _moved(z: float, tail: float, direction: float) -> float:
    """The nearest z found that has certainly at most (upwards) or at least (downwards) the given tail."""
    step = Ball.rounded(0.0, 4.0, 1.0 + abs(z)).radius
    while not (_tail(z).upper <= tail if direction > 0.0 else _tail(z).lower >= tail):
        z, step = z + direction * step, 2.0 * step
    return z


def _tail(z: float) -> Ball:
    """The probability that a standard normal variable exceeds a number.

    The function is granted 16. Its argument rounds twice, and that is felt at most z^2 + 1 times as much: by so much, at
    most, z times the density exceeds the tail.
    """
    return Ball.rounded(0.5 * math.erfc(z / _ROOT), 20.0 + 2.0 * z * z)


def root(square: Fraction) -> Interval:
    """The square root of an exact number that is not negative."""
    top, bottom = math.isqrt(square.numerator), math.isqrt(square.denominator)
    if top * top == square.numerator and bottom * bottom == square.denominator:
        return Interval.of(Fraction(top, bottom))
    # Scaled so that the whole part of the root has many more digits than a double.
    shift = max(0, 128 - (square.numerator.bit_length() - square.denominator.bit_length()) // 2)
    whole = math.isqrt((square.numerator << (2 * shift)) // square.denominator)
    return Interval(float_below(Fraction(whole, 1 << shift)), float_above(Fraction(whole + 1, 1 << shift)))
