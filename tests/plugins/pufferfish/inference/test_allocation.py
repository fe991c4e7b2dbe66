"""Exact draws of counts with a public total, against enumeration."""

from __future__ import annotations

import itertools
import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from accountant import InvalidValue
from accountant_pufferfish.inference import CountLaw


def enumerated(weights: np.ndarray) -> dict[tuple[int, ...], float]:
    cells, total = len(weights), weights.shape[1] - 1
    tables = [table for table in itertools.product(range(total + 1), repeat=cells) if sum(table) == total]
    return {table: math.prod(math.exp(weights[j, y]) for j, y in enumerate(table)) for table in tables}


@settings(deadline=None, max_examples=40)
@given(st.integers(1, 4), st.integers(0, 5), st.data())
def test_the_normaliser_and_every_chance_agree_with_enumeration(cells: int, total: int, data: st.DataObject) -> None:
    rows = data.draw(
        st.lists(st.lists(st.floats(-8, 8), min_size=total + 1, max_size=total + 1), min_size=cells, max_size=cells)
    )
    weights = np.array(rows)
    allocation, wanted = CountLaw(weights), enumerated(weights)
    normaliser = math.fsum(wanted.values())
    assert allocation.log_normaliser == pytest.approx(math.log(normaliser), abs=1e-9)
    for table, weight in wanted.items():
        assert math.exp(allocation.log_chance(np.array(table))) == pytest.approx(weight / normaliser, rel=1e-8)


def test_draws_follow_the_enumerated_law() -> None:
    generator = np.random.default_rng(17)
    weights = generator.normal(0, 1, (3, 5))
    weights[1, 2] = -np.inf
    size = 20_000
    found = Counter(map(tuple, CountLaw(weights).draw(generator, size).tolist()))
    wanted = enumerated(weights)
    normaliser = sum(wanted.values())
    chances = {table: weight / normaliser for table, weight in wanted.items() if weight}
    assert set(found) <= set(chances)
    statistic = sum((found[table] - size * p) ** 2 / (size * p) for table, p in chances.items())
    # A chi-square number with as many degrees of freedom as tables but one.
    freedom = len(chances) - 1
    assert abs(statistic - freedom) < 4 * math.sqrt(2 * freedom)


def dirichlet_multinomial(previous: tuple[int, ...], alpha: float, total: int) -> np.ndarray:
    counts = range(total + 1)
    return np.array(
        [[math.lgamma(y + alpha * x) - math.lgamma(alpha * x) - math.lgamma(y + 1) for y in counts] for x in previous]
    )


def test_a_dirichlet_multinomial_prior_is_normalised_and_has_its_mean() -> None:
    previous, alpha, total = (1, 2, 4), 0.5, 6
    allocation = CountLaw(dirichlet_multinomial(previous, alpha, total))
    concentration = alpha * sum(previous)
    known = math.lgamma(total + concentration) - math.lgamma(concentration) - math.lgamma(total + 1)
    assert allocation.log_normaliser == pytest.approx(known, abs=1e-10)
    tables = [table for table in itertools.product(range(total + 1), repeat=3) if sum(table) == total]
    mean = sum(math.exp(allocation.log_chance(np.array(table))) * np.array(table) for table in tables)
    assert mean == pytest.approx(np.array([6 / 7, 12 / 7, 24 / 7]), abs=1e-10)


def test_weights_far_out_of_range_of_floats_are_no_obstacle() -> None:
    """Cells that all prefer the whole total: without tilting every sum would underflow."""
    total = 600
    steep = 40.0 * np.arange(total + 1) - 0.5 * np.arange(total + 1) ** 2 / 50
    allocation = CountLaw(np.tile(steep, (5, 1)))
    draws = allocation.draw(np.random.default_rng(2), 400)
    assert (draws.sum(axis=1) == total).all()
    # Five normal cells of variance 50, tied to their sum: mean 120, variance 40.
    assert draws[:, 0].mean() == pytest.approx(120, abs=4 * math.sqrt(40 / 400))
    assert draws[:, 4].var() == pytest.approx(40, rel=0.3)


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        (np.zeros(4), "a row of log weights for each cell"),
        (np.array([[0.0, np.nan]]), "a row of log weights for each cell"),
        (np.array([[0.0, 0.0], [-np.inf, -np.inf]]), "every count a weight of 0"),
        (np.array([[0.0, -np.inf, -np.inf], [0.0, 0.0, -np.inf]]), "no counts that add up to 2"),
    ],
)
def test_weights_that_make_no_law_are_refused(weights: np.ndarray, words: str) -> None:
    with pytest.raises(InvalidValue, match=words):
        CountLaw(weights)
