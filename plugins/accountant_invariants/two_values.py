"""What strata of two values lose: chances depend on how many records got the other value, and on nothing else.

See docs/explanation/swapping.md, Theorem 8.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from operator import add, mul

from accountant_invariants.derangements import MOST_COUNTED, derangements
from accountant_invariants.versions import Version

_MOST_BITS = 64
"""Odds of longer numbers take long to multiply."""
_KEPT_BITS = 64
"""How closely the weight of each number of selected records is known."""


def counted(size: int, odds: Fraction) -> bool:
    """Whether all that two values may lose is gone through; of many records it would take long."""
    return size <= MOST_COUNTED and max(odds.numerator, odds.denominator).bit_length() <= _MOST_BITS


@lru_cache(maxsize=4096)
def largest_step(counts: tuple[int, ...], odds: Fraction, version: Version, alone: Fraction) -> Fraction:
    """How many times as likely it is at most that so many records got the other value as one more, or the other way.

    `counts` says how often the two values come; `alone` weighs that nobody is moved.
    Guarantee: from above, and by no more than some 2^-60 of it.
    """
    fewer, more = counts
    arrangements = _arrangements(more, version)
    weights = _weights(fewer + more, odds, version, alone)
    chances = []
    for changed in range(fewer + 1):
        ways = next(arrangements)
        # One summand for each number of selected records that have the first value, and one for each that have the other.
        left, right = (
            [math.comb(count - changed, kept) * ways[kept + changed] for kept in range(count - changed + 1)]
            for count in (fewer, more)
        )
        low = sum(one * sum(map(mul, right, weights[2 * changed + kept :])) for kept, one in enumerate(left))
        chances.append((low, low + sum(left) * sum(right)))
    steps = itertools.chain(itertools.pairwise(chances), itertools.pairwise(reversed(chances)))
    return max(Fraction(high, low) for (_, high), (low, _) in steps)


def _arrangements(most: int, version: Version) -> Iterator[list[int]]:
    """For so many changed records: in how many ways each number of places receives the values that it gets in the end.

    Where records are deranged no unchanged one keeps its own; if one more is changed it may, so that there are as many
    ways as before and as many as without it.
    """
    ways = [(math.factorial if version == "permute" else derangements)(number) for number in range(most + 1)]
    while True:
        yield ways
        if version == "derange":
            ways = [0, *map(add, ways[1:], ways)]


def _weights(size: int, odds: Fraction, version: Version, alone: Fraction) -> list[int]:
    """The odds of each number of selected records over all their orders, rounded down on one scale."""
    orders = [(math.factorial if version == "permute" else derangements)(number) for number in range(size + 1)]
    scale = 2 ** (_KEPT_BITS + orders[-1].bit_length() + size * int(1 / odds).bit_length())
    weights = [int(scale * odds**number / count) if count else 0 for number, count in enumerate(orders)]
    return [int(scale * alone), *weights[1:]]
