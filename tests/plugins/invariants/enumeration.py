"""Swapping by full enumeration in fractions: every selection, every order of those selected."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence
from fractions import Fraction
from functools import cache

from accountant.loss import FiniteLoss
from accountant_invariants import Stratum
from accountant_invariants.repeated import deranged_sum, permuted_sum

VERSIONS = [("permute", "redraw"), ("derange", "redraw"), ("derange", "keep")]
RATES = [Fraction(1, 20), Fraction(1, 4), Fraction(1, 2), Fraction(3, 5), Fraction(9, 10), Fraction(99, 100)]

Order = tuple[int, ...]


@cache
def permuted(size: int, rate: Fraction, version: str, single: str) -> dict[Order, Fraction]:
    """The chance of each order in which the records of a stratum come out."""
    chances: defaultdict[Order, Fraction] = defaultdict(Fraction)
    for places in itertools.chain.from_iterable(itertools.combinations(range(size), k) for k in range(size + 1)):
        orders = list(itertools.permutations(places))
        if version == "derange" and not (single == "keep" and len(places) == 1):
            orders = [order for order in orders if all(a != b for a, b in zip(order, places, strict=True))]
        for order in orders:
            output = list(range(size))
            for place, source in zip(places, order, strict=True):
                output[place] = source
            chance = rate ** len(places) * (1 - rate) ** (size - len(places))
            chances[tuple(output)] += chance / len(orders)
    total = sum(chances.values())
    return {order: chances[order] / total for order in itertools.permutations(range(size))}


def law(values: Sequence[Hashable], rate: Fraction, version: str, single: str) -> dict[tuple[Hashable, ...], Fraction]:
    """The chance of each output of a stratum with these values, which may repeat."""
    chances: defaultdict[tuple[Hashable, ...], Fraction] = defaultdict(Fraction)
    for order, chance in permuted(len(values), rate, version, single).items():
        chances[tuple(values[source] for source in order)] += chance
    return dict(chances)


def pair(left: Sequence[Hashable], right: Sequence[Hashable], rate: Fraction, version: str, single: str) -> FiniteLoss:
    """The outputs of two datasets."""
    before, after = law(left, rate, version, single), law(right, rate, version, single)
    none = Fraction(0)
    return FiniteLoss((before.get(output, none), after.get(output, none)) for output in {**before, **after})


def largest_sum(stratum: Stratum, number: int) -> Fraction:
    """What two or three records of a stratum lose at most by Theorems 6 and 7, as a ratio."""
    assert stratum.rarest is not None
    counts = stratum.rarest[:number]
    if stratum.version == "permute":
        return permuted_sum(counts, stratum.size, stratum.odds)
    alone = 1 + stratum.size * stratum.odds if stratum.single == "keep" else Fraction(1)
    return deranged_sum(counts, stratum.size, stratum.odds, alone)


def distance(left: Sequence[Hashable], right: Sequence[Hashable]) -> int:
    return sum(a != b for a, b in zip(left, right, strict=True))


def chances_by_moved(size: int, rate: Fraction, version: str, single: str) -> dict[int, Fraction]:
    """w(k) by its formula, without going through permutations."""
    kept = {0, *range(2, size + 1)}
    if version == "permute":
        return {
            k: sum(_choose(size - k, j - k) * _selected(size, j, rate) / _factorial(j) for j in range(k, size + 1))
            for k in kept
        }
    found = {k: _selected(size, k, rate) / _derangements(k) for k in kept}
    if single == "keep":
        found[0] += size * _selected(size, 1, rate)
    return found


def _selected(size: int, count: int, rate: Fraction) -> Fraction:
    return rate**count * (1 - rate) ** (size - count)


def _choose(n: int, k: int) -> int:
    return _factorial(n) // (_factorial(k) * _factorial(n - k))


@cache
def _factorial(n: int) -> int:
    return 1 if n == 0 else n * _factorial(n - 1)


@cache
def _derangements(n: int) -> int:
    """By inclusion and exclusion."""
    return sum((-1) ** k * _factorial(n) // _factorial(k) for k in range(n + 1))


def exchanges(size: int) -> Iterator[tuple[Order, Order]]:
    """Datasets of distinct values with every other order of them: by symmetry, one first dataset stands for all."""
    first = tuple(range(size))
    return ((first, other) for other in itertools.permutations(first) if other != first)
