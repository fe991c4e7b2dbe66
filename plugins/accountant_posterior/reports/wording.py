"""Numbers as people read them, in the language of the page. Every number is rounded outward."""

from __future__ import annotations

import math
from fractions import Fraction

from accountant import Interval
from accountant.report import say, spoken

_MOST_DECIMALS = 3


class Written(str):
    """A number as it is written, which knows the number that was written."""

    value: Fraction

    @classmethod
    def of(cls, text: str, value: Fraction) -> Written:
        """A text that stands for a number."""
        written = cls(text)
        written.value = value
        return written


def most(value: Interval) -> Fraction:
    """The upper end, exactly as it is known."""
    return Fraction(value.upper) if value.exact is None else value.exact


def of_100(value: Interval) -> int:
    """Of how many in a hundred at most, rounded up."""
    return min(100, math.ceil(100 * most(value)))


def out_of_100(value: Interval) -> Written:
    """The same in words."""
    count = of_100(value)
    return Written.of(say("number.of_hundred", part=count), Fraction(count, 100))


def frequency(value: Interval) -> Written:
    """How many at most of a hundred, or of as many more as it takes not to say all."""
    share = most(value)
    for whole in (100, 1_000, 10_000, 100_000):
        count = math.ceil(whole * share)
        if count < whole:
            return Written.of(say("number.in_whole", part=count, whole=whole), Fraction(count, whole))
    return Written.of(say("number.in_whole", part=100, whole=100), Fraction(1))


def percent(share: float | Fraction, *, up: bool, least: int = 1) -> Written:
    """A share as a percentage, rounded up or down; with more decimals where it would pass for none or all."""
    exact = 100 * Fraction(share)
    for decimals in range(least, _MOST_DECIMALS + 1):
        scaled = exact * 10**decimals
        rounded = Fraction(math.ceil(scaled) if up else math.floor(scaled), 10**decimals)
        if rounded in (0, 100) and rounded != exact:
            continue
        return Written.of(spoken().percent(Interval.of(rounded).rounded(9)[up]), rounded / 100)
    return Written.of(spoken().percent("100" if up else "0"), Fraction(up))


def ends(value: Interval, least: int = 1) -> tuple[Written, Written]:
    """A share from both sides."""
    low, high = (value.lower, value.upper) if value.exact is None else (value.exact, value.exact)
    return percent(low, up=False, least=least), percent(high, up=True, least=least)


def between(value: Interval, least: int = 1) -> str:
    """A share between its two ends."""
    low, high = ends(value, least)
    if low.value == 0 and high.value == 1:
        return say("number.anything")
    return low if low == high else say("number.to", low=low, high=high)


def decimal(value: float | Fraction, digits: int = 4, *, up: bool = True) -> str:
    """A number of a few figures, rounded up or down, as computers read it."""
    if isinstance(value, float) and math.isinf(value):
        return "infinite"
    return Interval.of(Fraction(value)).rounded(digits)[up]


def number(value: float | Fraction, digits: int = 4, *, up: bool = True) -> str:
    """A number of a few figures, rounded up or down."""
    plain = decimal(value, digits, up=up)
    return say("number.infinite") if plain == "infinite" else Written.of(spoken().number(plain), Fraction(plain))


def chance(probability: Fraction) -> str:
    """A probability as natural frequencies: 1 in 20."""
    whole = 1 / probability
    if whole.denominator == 1:
        return say("number.one_in", whole=whole.numerator)
    return spoken().number(f"{float(probability):g}")


def unless(probability: Fraction) -> str:
    """How often something holds that fails with a probability: 19 of 20."""
    whole = 1 / probability
    if whole.denominator == 1:
        return say("number.of_whole", part=whole.numerator - 1, whole=whole.numerator)
    return f"{1 - probability}"
