"""Delta between two doubles, and transforms of few atoms, each in one pass."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import numpy as np
import pytest

from accountant.loss import GaussianLoss, SampledLoss, compose
from accountant.loss.engine.composition import ComposedLoss
from accountant.loss.engine.convolution import Tilted, transformed
from accountant.numbers.interval import float_above, float_below

SAMPLED = compose([(SampledLoss(GaussianLoss(1), "0.01"), 10_000)])


@pytest.mark.parametrize("place", ["0.06", "0.1", "1/3", "2.7", "11.9", "-0.3"])
def test_delta_between_two_doubles_lies_between_what_it_is_at_both(place: str) -> None:
    point = Fraction(place)
    low, high = SAMPLED.delta(Fraction(float_above(point))), SAMPLED.delta(Fraction(float_below(point)))
    found = SAMPLED.delta(point)
    assert found.lower <= low.upper
    assert found.upper >= high.lower
    assert found.lower <= high.upper
    assert found.upper >= low.lower
    assert found.width <= 1.1 * max(low.width, high.width) + 4.0 * 2.0**-50 * found.upper


def test_a_reading_for_a_stretch_holds_all_over_it_and_one_for_its_end_does_not() -> None:
    assert isinstance(SAMPLED, ComposedLoss)
    contour = SAMPLED._contour
    assert contour is not None
    for apart in (1e-6, 1e-3):
        stretch, start = contour.delta(2.0, 1e-4, apart), contour.delta(2.0, 1e-4)
        assert stretch is not None
        assert start is not None
        for share in (0.0, 0.5, 1.0):
            there = SAMPLED.delta(2.0 + share * apart)
            assert stretch.lower <= there.lower
            assert there.upper <= stretch.upper
        assert not start.lower <= SAMPLED.delta(2.0 + apart).upper


@pytest.mark.parametrize("length", [3000, 80_000])
def test_transforms_of_few_atoms_contain_the_truth_and_not_that_of_moved_ones(length: int) -> None:
    offsets, masses = np.array([-7.0, 0.0, 2.0, 1500.0]), np.array([0.1, 0.25, 0.4, 0.25])
    part = Tilted(offsets, masses, 0, 10**9, 0.0, 0.0, 0.0)
    spectrum, error = transformed(part, length)
    assert spectrum.size == length // 2 + 1
    assert error <= 1e-13
    planted = 0
    with mpmath.workdps(40):
        for index in (0, 1, 38, 39, 40, 700, 1499, 1500):
            for moved in (0, 1):
                truth = sum(
                    mpmath.mpf(mass)
                    * mpmath.expjpi(mpmath.mpf(-2 * index * int(offset + moved * (offset == 2.0))) / length)
                    for offset, mass in zip(offsets.tolist(), masses.tolist(), strict=True)
                )
                held = abs(mpmath.mpc(complex(spectrum[index])) - truth) <= error
                assert held or moved
                planted += bool(moved and not held)
    assert planted >= 6
