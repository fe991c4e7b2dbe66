"""Rational bounds on e^x, without a floating-point number."""

from __future__ import annotations

import math
from fractions import Fraction

from accountant.errors import ReadingError

_BITS = 160
_ONE = 1 << _BITS
_TERMS = 40
_LARGEST = 100_000


def exponential(power: Fraction) -> tuple[Fraction, Fraction]:
    """Rationals below and above e^power.

    Definition: Taylor's series of e^(power / 2^k) with its remainder, squared k times, each step
    rounded outward.
    Guarantee: lower <= e^power <= upper, and both are 1 at power 0.
    """
    if power == 0:
        return Fraction(1), Fraction(1)
    if power < 0:
        low, high = exponential(-power)
        return 1 / high, 1 / low
    if power > _LARGEST:
        raise ReadingError(f"e^x is bounded by rationals only for x up to {_LARGEST}")
    halvings = int(power).bit_length() + 1
    step = power / 2**halvings
    lower = _series(math.floor(step * _ONE), upward=False)
    upper = _series(math.ceil(step * _ONE), upward=True)
    for _ in range(halvings):
        lower, upper = lower * lower // _ONE, -(-upper * upper // _ONE)
    return Fraction(lower, _ONE), Fraction(upper, _ONE)


def _series(step: int, *, upward: bool) -> int:
    """The series at a fixed-point step of at most 1/2, rounded down, or up and with its remainder."""
    total = term = _ONE
    for index in range(1, _TERMS + 1):
        product, scale = term * step, index * _ONE
        term = -(-product // scale) if upward else product // scale
        total += term
    # What is left of the series is at most its last term, since each term is at most half of the one before.
    return total + term if upward else total
