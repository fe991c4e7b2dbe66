"""Independent routes to distances of order infinity, and wrong ones that tests must catch."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import strategies as st

FiniteLaw = Mapping[Any, Fraction]


def weighted(weights: Mapping[Any, int]) -> dict[Any, Fraction]:
    total = sum(weights.values())
    return {value: Fraction(weight, total) for value, weight in weights.items() if weight}


def laws(values: st.SearchStrategy[Any], largest: int = 5) -> st.SearchStrategy[dict[Any, Fraction]]:
    return st.dictionaries(values, st.integers(1, 6), min_size=1, max_size=largest).map(weighted)


def strassen(first: FiniteLaw, second: FiniteLaw, distance: Callable[[Any, Any], int | Fraction]) -> Fraction:
    """The least t with P(A) <= Q(all within t of A) for every set A of outcomes, by going through all sets."""
    table = {(x, y): Fraction(distance(x, y)) for x in first for y in second}

    def suffices(t: Fraction) -> bool:
        for size in range(1, len(first) + 1):
            for event in itertools.combinations(first, size):
                around = sum((mass for y, mass in second.items() if any(table[x, y] <= t for x in event)), Fraction(0))
                if sum((first[x] for x in event), Fraction(0)) > around:
                    return False
        return True

    return next(t for t in sorted(set(table.values())) if suffices(t))


def binomial(trials: int, chance: Fraction, offset: int = 0) -> dict[int, Fraction]:
    masses = {k + offset: math.comb(trials, k) * chance**k * (1 - chance) ** (trials - k) for k in range(trials + 1)}
    return {k: mass for k, mass in masses.items() if mass}


def counted(records: int, given_none: Fraction, given_one: Fraction) -> tuple[dict[int, Fraction], dict[int, Fraction]]:
    return binomial(records - 1, given_none), binomial(records - 1, given_one, offset=1)


def quantile(law: FiniteLaw, level: Fraction) -> Any:
    total = Fraction(0)
    for value in sorted(law):
        total += law[value]
        if total >= level:
            return value
    raise AssertionError(level)


def levels(law: FiniteLaw) -> list[Fraction]:
    return list(itertools.accumulate(law[value] for value in sorted(law)))


def one_sided(first: FiniteLaw, second: FiniteLaw) -> Fraction:
    """As printed: only the levels that the distribution function of the first law takes."""
    return max(abs(Fraction(quantile(first, t)) - quantile(second, t)) for t in levels(first))


def wasserstein_one(first: FiniteLaw, second: FiniteLaw) -> Fraction:
    """The mean distance of the sorted coupling: order 1."""
    steps = sorted({Fraction(0), *levels(first), *levels(second)})
    return sum(
        ((t - s) * abs(Fraction(quantile(first, t)) - quantile(second, t)) for s, t in itertools.pairwise(steps)),
        Fraction(0),
    )


def kolmogorov(first: FiniteLaw, second: FiniteLaw) -> Fraction:
    """The largest difference of the distribution functions."""
    places = {*first, *second}
    return max(
        abs(
            sum((m for v, m in first.items() if v <= x), Fraction(0))
            - sum((m for v, m in second.items() if v <= x), Fraction(0))
        )
        for x in places
    )


def in_floats(records: int, given_none: float, given_one: float) -> int:
    """The same quantiles of both laws at the levels of both, in doubles."""
    counts = range(records)
    sums = [
        np.cumsum([math.comb(records - 1, k) * p**k * (1.0 - p) ** (records - 1 - k) for k in counts])
        for p in (given_none, given_one)
    ]
    none, one = (total / total[-1] for total in sums)
    points = np.concatenate([none, one])
    found = [np.minimum(np.searchsorted(side, points), records - 1) for side in (none, one)]
    return int(np.max(np.abs(found[0] - 1 - found[1])))
