"""Counts that agree with a public total, near given ones: against enumeration, and what they leak."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from accountant import InvalidValue
from accountant_pufferfish import dirichlet_multinomial, with_parts
from accountant_pufferfish.inference import CongenialCounts, Counts
from accountant_pufferfish.mechanisms.wasserstein_exponential import exponential_law

Table = tuple[tuple[int, ...], tuple[int, ...]]
CELLS, TOTAL = 2, 3
TABLES = list(with_parts(CELLS, TOTAL))


def distance(left: Table, right: Table) -> int:
    return sum(abs(a - b) for one, two in zip(left, right, strict=True) for a, b in zip(one, two, strict=True))


def exact_chances(centre: Table, rate: Fraction, prior: dict[tuple[int, ...], Fraction] | None) -> dict[Table, float]:
    """By enumeration in rationals, from the mechanism that is certified."""
    base = {table: Fraction(1) if prior is None else prior[table[0]] for table in TABLES}
    bounds = exponential_law(base, {table: Fraction(distance(centre, table)) for table in TABLES}, rate)
    return {table: float(low) for table, (low, _) in bounds.items()}


@pytest.mark.parametrize("shaped", [False, True])
def test_draws_follow_the_exponential_mechanism_on_all_tables_that_agree(shaped: bool) -> None:
    centre: Table = ((2, 1), (1, 0))
    prior = dirichlet_multinomial(TOTAL, (1, 4), "1/2") if shaped else None
    chances = exact_chances(centre, Fraction(1, 2), prior)
    mechanism = CongenialCounts(Counts(*centre), TOTAL, 0.5, (0.5, 2.0) if shaped else None)
    size = 20_000
    drawn = mechanism.draw(np.random.default_rng(8), size)
    assert all(counts.agrees(TOTAL) for counts in drawn)
    found = Counter((counts.cases, counts.deaths) for counts in drawn)
    statistic = sum((found[table] - size * p) ** 2 / (size * p) for table, p in chances.items())
    freedom = len(chances) - 1
    assert abs(statistic - freedom) < 4 * math.sqrt(2 * freedom)


def test_it_is_the_posterior_given_noisy_counts_outside_what_agrees() -> None:
    """Noise may leave the centre anywhere; negative deaths and more deaths than cases are no obstacle."""
    centre: Table = ((-2, 1), (4, -3))
    chances = exact_chances(centre, Fraction(1, 4), None)
    drawn = CongenialCounts(Counts(*centre), TOTAL, 0.25).draw(np.random.default_rng(3), 20_000)
    found = Counter((counts.cases, counts.deaths) for counts in drawn)
    for table, p in chances.items():
        assert found[table] / 20_000 == pytest.approx(p, abs=4 * math.sqrt(p / 20_000))


def worst_leak(rate: float, shapes: tuple[float, ...] | None) -> float:
    """The largest log ratio of chances between tables in which one case has another county or another fate."""
    log_normalisers = {
        table: CongenialCounts(Counts(*table), TOTAL, rate, shapes).allocation.log_normaliser for table in TABLES
    }
    return max(
        rate * (distance(second, seen) - distance(first, seen)) + log_normalisers[second] - log_normalisers[first]
        for first, second in itertools.permutations(TABLES, 2)
        if distance(first, second) <= 4
        for seen in TABLES
    )


def enumerated_leak(rate: float) -> float:
    """The same without a prior, from the sums themselves."""
    chances = {}
    for table in TABLES:
        weights = [math.exp(-rate * distance(table, seen)) for seen in TABLES]
        chances[table] = [math.log(weight / math.fsum(weights)) for weight in weights]
    return max(
        max(one - other for one, other in zip(chances[first], chances[second], strict=True))
        for first, second in itertools.permutations(TABLES, 2)
        if distance(first, second) <= 4
    )


@pytest.mark.parametrize("shapes", [None, (0.1, 0.1), (5.0, 0.5)])
def test_half_the_rate_keeps_the_budget(shapes: tuple[float, ...] | None) -> None:
    assert worst_leak(2.0 / 8, shapes) <= 2.0


def test_the_full_rate_does_not() -> None:
    """Since counts cannot fall below 0 the normalising sum depends on the data, and the published scale forgets it."""
    assert worst_leak(2.0 / 4, None) == pytest.approx(enumerated_leak(2.0 / 4))
    assert worst_leak(2.0 / 4, None) > 2.6
    assert worst_leak(2.0 / 4, (5.0, 0.5)) > 3.6


@pytest.mark.parametrize(
    ("total", "rate", "shapes", "words"),
    [
        (3, math.nan, None, "finite number"),
        (3, -1.0, None, "at least 0"),
        (-1, 1.0, None, "cannot be negative"),
        (3, 1.0, (1.0,), "for each of 2 cells"),
        (3, 1.0, (1.0, 0.0), "need a floor"),
    ],
)
def test_bad_parameters_are_one_clear_error(total: int, rate: float, shapes: tuple[float, ...] | None, words: str) -> None:
    with pytest.raises(InvalidValue, match=words):
        CongenialCounts(Counts((2, 1), (0, 0)), total, rate, shapes)
