"""Derangements: permutations that leave nothing in place, how many there are of so many things."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

_EXACT = 32
MOST_COUNTED = 200
"""Of how many things derangements are counted."""


def derangements(count: int) -> int:
    """The number of permutations of a few things that leave none in place: 1, 0, 1, 2, 9, 44, ..."""
    return _derangements()[count]


@lru_cache(maxsize=1)
def _derangements() -> tuple[int, ...]:
    numbers = [1, 0]
    for count in range(2, MOST_COUNTED + 1):
        numbers.append((count - 1) * (numbers[-1] + numbers[-2]))
    return tuple(numbers)


def derangements_over(count: int) -> tuple[Fraction, Fraction]:
    """d_k/d_(k-1) = k + (-1)^k/d_(k-1) for k of at least 3, from below and above."""
    if count <= _EXACT:
        exact = Fraction(derangements(count), derangements(count - 1))
        return exact, exact
    doubt = Fraction(1, derangements(_EXACT))
    return count - doubt, count + doubt
