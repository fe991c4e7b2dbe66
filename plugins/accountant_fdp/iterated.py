"""What tests reach between datasets several steps apart: the power of one step is the level of the next."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

Point = tuple[Fraction, Fraction]
_LONGEST, _DIGITS = 512, 256


def iterated(points: Iterable[Point], level: Fraction, steps: int) -> Fraction:
    """The most power that tests of a level have after so many steps, given some (level, power) of each step; rounded up.

    A test says yes on the second dataset with at most the largest power of its level, and that is its level for the next
    step. The largest power grows with the level, so each may be rounded up.
    """
    known = [point for level, power in points if power < 1 for point in ((level, power), (1 - power, 1 - level))]
    for _ in range(steps):
        level = _rounded(min((_reached(point, level) for point in known), default=Fraction(1)))
        if level >= 1:
            return Fraction(1)
    return level


def _reached(point: Point, level: Fraction) -> Fraction:
    """The most power at a level that one known elsewhere allows, since power is a concave function of it that ends at 1."""
    known, power = point
    return power / known * level if level >= known else 1 - (1 - level) * (1 - power) / (1 - known)


def _rounded(value: Fraction) -> Fraction:
    """A number that is not smaller, and has not many more digits than are worth keeping."""
    if value.denominator.bit_length() <= _LONGEST:
        return value
    shift = _DIGITS + value.denominator.bit_length() - value.numerator.bit_length()
    return Fraction(-(-(value.numerator << shift) // value.denominator), 1 << shift)
