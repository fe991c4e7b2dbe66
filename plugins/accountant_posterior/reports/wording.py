"""Numbers and names as people read them. Every number is rounded outward."""

from __future__ import annotations

import math
from fractions import Fraction

from accountant import Interval

_MOST_DECIMALS = 3


def most(value: Interval) -> Fraction:
    """The upper end, exactly as it is known."""
    return Fraction(value.upper) if value.exact is None else value.exact


def of_100(value: Interval) -> int:
    """Of how many in a hundred at most, rounded up."""
    return min(100, math.ceil(100 * most(value)))


def frequency(value: Interval) -> str:
    """How many at most of a hundred, or of as many more as it takes not to say all."""
    share = most(value)
    for whole in (100, 1_000, 10_000, 100_000):
        count = math.ceil(whole * share)
        if count < whole:
            return f"{count:,}\u00a0in\u00a0{whole:,}"
    return "100\u00a0in\u00a0100"


def percent(share: float | Fraction, *, up: bool, least: int = 1) -> str:
    """A share as a percentage, rounded up or down; with more decimals where it would pass for none or all."""
    exact = 100 * Fraction(share)
    for decimals in range(least, _MOST_DECIMALS + 1):
        scaled = exact * 10**decimals
        rounded = Fraction(math.ceil(scaled) if up else math.floor(scaled), 10**decimals)
        if rounded in (0, 100) and rounded != exact:
            continue
        return f"{Interval.of(rounded).rounded(9)[up]}%"
    return "100%" if up else "0%"


def between(value: Interval) -> str:
    """A share between its two ends."""
    ends = (value.lower, value.upper) if value.exact is None else (value.exact, value.exact)
    low, high = percent(ends[0], up=False), percent(ends[1], up=True)
    return low if low == high else f"{low} to {high}"


def number(value: float | Fraction, digits: int = 4, *, up: bool = True) -> str:
    """A number of a few figures, rounded up or down."""
    if isinstance(value, float) and math.isinf(value):
        return "infinite"
    return Interval.of(Fraction(value)).rounded(digits)[up]


def chance(probability: Fraction) -> str:
    """A probability as natural frequencies: 1 in 20."""
    whole = 1 / probability
    return f"1 in {whole.numerator:,}" if whole.denominator == 1 else f"{float(probability):g}"


def unless(probability: Fraction) -> str:
    """How often something holds that fails with a probability: 19 of 20."""
    whole = 1 / probability
    return f"{whole.numerator - 1:,} of {whole.numerator:,}" if whole.denominator == 1 else f"{1 - probability}"


def counted(count: int, one: str, many: str | None = None) -> str:
    """So many of something."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"
