"""Least squares with totals and without negative counts, against all whole candidates."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from accountant_posterior.attacks.cells.processing import adding_up, nearest, processed
from tests.plugins.posterior.attacks.cells.test_attacks_on_cells import world


def distance(values: np.ndarray, noisy: np.ndarray) -> float:  # type: ignore[type-arg]
    return float(((values - noisy) ** 2).sum())


@pytest.mark.parametrize("seed", range(40))
def test_no_whole_numbers_that_add_up_are_nearer_than_the_nearest_numbers(seed: int) -> None:
    generator = np.random.default_rng(seed)
    noisy, total = generator.normal(1.0, 3.0, 3), int(generator.integers(0, 7))
    near = nearest(noisy, np.array(total))
    assert near.sum() == pytest.approx(total, abs=1e-9)
    assert near.min() >= 0.0
    found = adding_up(noisy, np.array(total))
    assert found.sum() == total
    assert found.min() >= 0
    assert np.abs(found - near).max() < 1.0
    best = min(distance(np.array(each), noisy) for each in product(range(total + 1), repeat=3) if sum(each) == total)
    assert distance(near, noisy) <= best + 1e-9
    # Cutting off what is negative and sharing out the rest is not nearest, unless nothing is cut off.
    cut = np.maximum(noisy - (noisy.sum() - total) / 3.0, 0.0)
    if total and cut.sum() > total + 1e-9:
        assert distance(near, noisy) < distance(cut * total / cut.sum(), noisy) + 1e-9
        assert not np.allclose(near, cut)


def test_every_level_adds_up_to_the_one_above() -> None:
    small = world(4, ("geometric", "laplace", "discrete-gaussian"))
    found = processed(small.cells, small.released)
    assert found.shape == small.released.counts[0].shape
    top = np.maximum(np.rint(small.released.noisy(2)), 0)
    for area in range(len(small.cells.names[2])):
        assert (found[small.cells.above[2] == area].sum(axis=0) == top[area]).all()
    assert found.min() >= 0


def test_counts_that_have_no_noise_stay_as_they_are() -> None:
    small = world(4, ("geometric", "laplace", "discrete-gaussian"))
    for noise in small.released.noise:
        noise[:] = 0.0
    assert (processed(small.cells, small.released) == small.cells.counts).all()
