"""Sums above a point on a grid contain what 40 digits say, whichever way they were added up."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
from attrs import evolve

from accountant.loss.engine.grid_tails import Tails
from accountant.numbers.rounding import Ball

SIZE = 4100


def truth(tails: Tails, first: int, distance: float) -> mpmath.mpf:
    """The sum of all weights times e^(-tilt d) (1 - e^-d), by mpmath."""
    found = mpmath.mpf(0)
    for place, weight in enumerate(tails.weights[first:].tolist()):
        here = mpmath.mpf(distance) + mpmath.mpf(tails.step) * place
        if here > 0:
            found += mpmath.mpf(weight) * mpmath.exp(-tails.tilt * here) * -mpmath.expm1(-here)
    return found


def random_tails(tilt: float, step: float, seed: int) -> Tails:
    draw = np.random.default_rng(seed)
    weights = draw.random(SIZE) * np.exp(-10.0 * draw.random(SIZE))
    return Tails.of(weights, step, tilt)


def contains(found: Ball, value: mpmath.mpf, room: float) -> bool:
    return abs(mpmath.mpf(found.middle) - value) <= mpmath.mpf(found.radius) + room * value


@pytest.mark.parametrize(("tilt", "step"), [(0.0, 1e-3), (0.7, 1e-2), (40.0, 1e-4), (3.0, 2.0), (0.0, 1e-12)])
def test_a_sum_above_a_point_contains_the_truth(tilt: float, step: float) -> None:
    tails = random_tails(tilt, step, 1)
    with mpmath.workdps(40):
        for first, share in ((700, -0.7), (1023, -0.5), (1024, 0.3), (4099, -0.2)):
            found, value = tails.total(first, share * step), truth(tails, first, share * step)
            # Functions and products of single terms are charged to the law that the sums are taken of.
            assert contains(found, value, 2.0**-53 * (20.0 + (1.0 + tilt) * step * SIZE))
            assert found.radius <= 2.0**-34 * found.middle + 1e-290


def test_blocks_are_summed_once_and_terms_by_themselves_where_a_difference_is_blunt() -> None:
    sharp, blunt = random_tails(0.0, 1e-3, 2), random_tails(0.0, 1e-13, 2)
    for tails, by_blocks in ((sharp, True), (blunt, False)):
        other = evolve(tails, above=tuple(tuple(1.001 * value for value in sums) for sums in tails.above))
        assert (other.total(5, 0.0).middle != tails.total(5, 0.0).middle) is by_blocks


def test_sums_of_blocks_that_are_off_by_more_than_they_are_charged_for_are_caught() -> None:
    tails = random_tails(0.0, 1e-3, 3)
    planted = evolve(tails, above=tuple(tuple((1.0 + 2.0**-38) * value for value in sums) for sums in tails.above))
    with mpmath.workdps(40):
        value = truth(tails, 0, 0.5e-3)
        assert contains(tails.total(0, 0.5e-3), value, 0.0)
        assert not contains(planted.total(0, 0.5e-3), value, 0.0)


def test_weights_that_are_nothing_add_up_to_nothing() -> None:
    assert Tails.of(np.zeros(SIZE), 1e-3, 0.0).total(0, 1.0).upper <= 1e-290
    assert math.isfinite(Tails.of(np.zeros(SIZE), 5.0, 600.0).total(0, 1.0).upper)
