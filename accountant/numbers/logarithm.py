"""Logarithms of exact numbers."""

from __future__ import annotations

import math
from fractions import Fraction

from accountant.numbers.interval import Interval

_ROUNDOFF = 2.0**-53
_LOG_TWO = math.log(2.0)


def log_of(value: Fraction) -> Interval:
    """The natural logarithm of a positive rational.

    The value is 2^k (1 + r) with r between -1/2 and 1, and r is one correctly rounded division, so that the length of
    numerator and denominator does not matter.
    """
    if value == 1:
        return Interval.of(0)
    top, bottom = value.numerator, value.denominator
    power = 0 if bottom < 2 * top < 4 * bottom else top.bit_length() - bottom.bit_length()
    top, bottom = top << max(0, -power), bottom << max(0, power)
    rest = math.log1p((top - bottom) / bottom)
    return Interval.around(power * _LOG_TWO + rest, (8 * abs(rest) + 4 * abs(power)) * _ROUNDOFF)
