"""Logarithms of exact numbers."""

from __future__ import annotations

from fractions import Fraction

from accountant.numbers.interval import Interval
from accountant.numbers.rounding.ball import Ball
from accountant.numbers.rounding.ball_functions import log1p_of, log_of_ball

_LOG_TWO = log_of_ball(Ball(2.0))


def log_of(value: Fraction) -> Interval:
    """The natural logarithm of a positive rational."""
    return Interval.of(0) if value == 1 else log_ball(value).interval()


def log_ball(value: Fraction) -> Ball:
    """The natural logarithm of a positive rational.

    The value is 2^k (1 + r) with r between -1/2 and 1, and r is one correctly rounded division, so that the length of
    numerator and denominator does not matter.
    """
    top, bottom = value.numerator, value.denominator
    power = 0 if bottom < 2 * top < 4 * bottom else top.bit_length() - bottom.bit_length()
    top, bottom = top << max(0, -power), bottom << max(0, power)
    rest = log1p_of(Ball.rounded((top - bottom) / bottom))
    return _LOG_TWO * power + rest if power else rest
