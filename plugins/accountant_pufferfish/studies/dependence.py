"""How far a count of dependent records moves with one of them: exactly, and as the source prints the recipe."""

from __future__ import annotations

from fractions import Fraction
from itertools import accumulate
from math import lcm
from typing import Any

from accountant import InvalidValue, fields
from accountant.commands import GridKey, Plain
from accountant.numbers import plain
from accountant_pufferfish.distance.counts import binomial_weights, chance, counts_distance
from accountant_pufferfish.distance.wasserstein import Weights
from accountant_pufferfish.facts.shared_rate import SharedRate

COMPARED = ("of the count", "of the records", "of the count, as printed")


def _records(value: Any) -> int:
    number = fields.whole(value)
    if not 1 <= number <= 1000:
        raise InvalidValue(f"expected from 1 to 1,000 records, got {number:,}")
    return number


def _rate(value: Any) -> str:
    return plain(chance(value))


KEYS = {"records": GridKey(_records), "rate_if_zero": GridKey(_rate), "rate_if_one": GridKey(_rate)}


def checked(setting: Plain) -> None:
    """Every setting can be tried: each value was looked at alone."""


def done(setting: Plain) -> Plain:
    """The distances of one setting."""
    records, zero, one = setting["records"], Fraction(setting["rate_if_zero"]), Fraction(setting["rate_if_one"])
    moved = SharedRate("others", records=records, rate_if_zero=zero, rate_if_one=one).moved
    return dict(zip(COMPARED, (int(counts_distance(records, zero, one)), moved, printed(records, zero, one)), strict=True))


def printed(records: int, zero: Fraction, one: Fraction) -> int:
    """The largest gap between quantiles at the levels of the distribution function given 0, those below 1 and 1 itself."""
    bottom = lcm(zero.denominator, one.denominator)
    first = binomial_weights(records - 1, int(zero * bottom), bottom)
    second = [(count + 1, weight) for count, weight in binomial_weights(records - 1, int(one * bottom), bottom)]
    levels = list(accumulate(weight for _, weight in first))
    return max(abs(_quantile(first, level) - _quantile(second, level)) for level in levels)


def _quantile(law: Weights, level: int) -> int:
    """The least count that is not exceeded with this chance, in units of the weights."""
    below = 0
    for count, weight in law:
        below += weight
        if below >= level:
            return int(count)
    raise AssertionError("a level is at most the whole")
