"""What strata lose at most in which values come again: a sum over which records stay in place, at its largest.

See docs/explanation/swapping.md, Theorems 6 and 7.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache

from accountant_invariants.derangements import derangements

_FEW = 8
"""Up to so many records all that may be deranged is gone through; of more a bound on derangements will do."""
_NEARLY = 1 + Fraction(1, 10**4)
"""By how much d_k/d_(k - j) exceeds k(k - 1)...(k - j + 1) at most, for k above `_FEW` and j up to three."""
Orders = Callable[[int, int], Fraction]


def permuted_sum(counts: Sequence[int], size: int, odds: Fraction) -> Fraction:
    """What records with different values lose at most, as a ratio, where those selected are permuted.

    `counts` says how often the two or three rarest values come among `size` records.
    """
    return _at_corners(counts, size, odds, lambda size, kept: Fraction(math.perm(size, kept)))


def deranged_sum(counts: Sequence[int], size: int, odds: Fraction, alone: Fraction) -> Fraction:
    """The same where those selected are deranged; `alone` weighs that nobody is moved."""
    others = size - sum(counts)
    few = _of_few(tuple(min(count, _FEW) for count in counts), min(others, _FEW), odds, alone)
    if size <= _FEW:
        return few
    often = max(Fraction(1), odds)
    return max(few, _at_corners(counts, size, odds, lambda size, kept: _NEARLY * math.perm(size, kept), often))


def _at_corners(
    counts: Sequence[int], size: int, odds: Fraction, orders: Orders, often: Fraction = Fraction(1)
) -> Fraction:
    """The largest sum where of each of the rarest values one record is selected, or all, and all others are."""
    others = size - sum(counts)
    corners = itertools.product(*({1, count} for count in counts))
    return max(_sum(corner, others + sum(corner), odds, orders, often) for corner in corners)


@lru_cache(maxsize=4096)
def _of_few(counts: tuple[int, ...], others: int, odds: Fraction, alone: Fraction) -> Fraction:
    """The largest sum where few records are deranged; `alone` weighs that none is selected."""

    def orders(size: int, kept: int) -> Fraction:
        # A single record cannot be deranged.
        ratio = Fraction(derangements(size), derangements(size - kept)) if size - kept != 1 else Fraction(0)
        return ratio * alone if size == kept else ratio

    often = max(Fraction(1), odds)
    return max(_sum(chosen, size, odds, orders, often) for chosen, size in _few_selected(counts, others))


def _few_selected(counts: tuple[int, ...], others: int) -> Iterator[tuple[tuple[int, ...], int]]:
    for chosen in itertools.product(*(range(1, count + 1) for count in counts)):
        for size in range(sum(chosen), min(sum(chosen) + others, _FEW) + 1):
            yield chosen, size


def _sum(chosen: Sequence[int], size: int, odds: Fraction, orders: Orders, often: Fraction) -> Fraction:
    """Over which of several records stay in place, each with a value that so many of those selected have."""
    total = Fraction(0)
    for kept in range(len(chosen) + 1):
        each = sum((Fraction(1, math.prod(some)) for some in itertools.combinations(chosen, kept)), Fraction(0))
        total += often ** (len(chosen) - kept) * orders(size, kept) * each / odds**kept
    return total
