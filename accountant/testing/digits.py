"""Digits: two numbers written with as many figures as tell them apart."""

from __future__ import annotations

from fractions import Fraction

from accountant.numbers.interval import Interval, float_above, float_below

_FEWEST, _MOST = 6, 17


def apart(smaller: Interval, larger: Interval) -> tuple[str, str]:
    """Two values in words, of which the first is surely below the second: the words show it."""
    digits = next((count for count in range(_FEWEST, _MOST) if _told(smaller, larger, count)), _MOST)
    return smaller.shown(digits), larger.shown(digits)


def _told(smaller: Interval, larger: Interval, digits: int) -> bool:
    ends = smaller.rounded(digits)[1], larger.rounded(digits)[0]
    if any("inf" in end for end in ends):
        return True
    return Fraction(ends[0]) < Fraction(ends[1])


def at_least(value: Fraction) -> Interval:
    """What is known to be at least a value, written as that value."""
    return Interval(float_below(value), float_above(value))
