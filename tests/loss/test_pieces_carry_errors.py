"""Pieces that put masses and moments together carry every error on: what operands may be off by, the result may be off by.

Each operand in turn has an error, and its truth at the end of it. Errors are large, so that nothing else can hide one.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from accountant.loss import Atoms
from accountant.loss.derived.masses import Masses, mixed, scaled
from accountant.loss.engine.atom_route import _common, _either, _together
from accountant.loss.engine.contour_law import _added, _sum
from accountant.loss.readings.base import Cells
from accountant.numbers.interval import Interval
from accountant.numbers.rounding import Balls

OFF = 2.0**-10
SIGNS = [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, -1)]


def balls(values: list[float], error: float) -> Balls:
    return Balls(np.array(values), np.full(len(values), error))


def contains(found: Balls, place: int, truth: Fraction) -> bool:
    return abs(Fraction(float(found.middle[place])) - truth) <= Fraction(float(found.radii[place]))


@pytest.mark.parametrize(("first", "second"), SIGNS)
def test_mixed_masses_are_off_by_what_either_row_is_off_by(first: int, second: int) -> None:
    one, other = balls([0.3, 0.1, 0.0], abs(first) * OFF), balls([0.7, 0.0, 0.2], abs(second) * OFF)
    found = mixed(one, 0.75, other, 0.25)
    for place in range(3):
        truths = [
            Fraction(float(row.middle[place])) + sign * Fraction(OFF) for row, sign in ((one, first), (other, second))
        ]
        assert contains(found, place, Fraction(3, 4) * truths[0] + Fraction(1, 4) * truths[1])
        assert found.radii[place] <= (0.75 * abs(first) + 0.25 * abs(second)) * OFF * 1.001 + 1e-14


@pytest.mark.parametrize("sign", [-1, 0, 1])
def test_scaled_masses_are_off_by_as_much_as_they_are_scaled(sign: int) -> None:
    values = balls([0.3, 0.1, 0.7], abs(sign) * OFF)
    found = scaled(values, np.array([3.0, 0.01, 1e-5]))
    for place, factor in enumerate((3.0, 0.01, 1e-5)):
        truth = (Fraction(float(values.middle[place])) + sign * Fraction(OFF)) * Fraction(factor)
        assert contains(found, place, truth)
        assert found.radii[place] <= abs(sign) * OFF * factor * 1.001 + 1e-14


def test_masses_that_underflow_are_not_lost() -> None:
    least = 1e-200
    for found in (scaled(Balls(np.array([least])), least), mixed(Balls(np.array([least])), least, Balls(np.zeros(1)), 0.5)):
        assert found.middle[0] == 0.0
        assert 0 < Fraction(least) ** 2 <= Fraction(float(found.radii[0])) < Fraction(1, 10**290)
    nothing = scaled(Balls(np.zeros(1)), 0.5)
    assert (nothing.middle[0], nothing.radii[0]) == (0.0, 0.0)


def test_masses_of_cells_keep_their_errors() -> None:
    p, q, gap = np.array([0.1, 0.4]), np.array([0.2, 0.3]), np.array([0.05, 0.1])
    cells = Cells(p, q, p / 8, q / 8, Interval.of(0), gap, gap / 8, 0.5)
    kept = Masses.of(cells).cells(Interval.of(0), 0.5)
    assert [kept.p_error.tolist(), kept.q_error.tolist()] == [(p / 8).tolist(), [0.0, 0.3 / 8]]
    assert kept.gap_error is not None
    assert kept.gap_error.tolist() == (gap / 8).tolist()
    assert kept.slack == 0.5
    by_subtraction = Masses.of(Cells(p, q, p / 8, q / 8, Interval.of(0))).gap
    assert (by_subtraction.radii >= p / 8 + q / 8).all()


@pytest.mark.parametrize(("first", "second"), SIGNS)
def test_products_of_atoms_are_off_by_what_either_is_off_by(first: int, second: int) -> None:
    left = Atoms(np.array([-1.0, 0.5]), np.array([0.4, 0.6]), np.full(2, abs(first) * OFF), grain=0.0)
    right = Atoms(np.array([-0.3, 2.0]), np.array([0.3, 0.7]), np.full(2, abs(second) * OFF), grain=0.0)
    found = _together(left, right)
    pairs = sorted(
        (float(a + b), (Fraction(float(m)) + first * Fraction(OFF)) * (Fraction(float(n)) + second * Fraction(OFF)))
        for (a, m), (b, n) in product(
            zip(left.losses, left.masses, strict=True), zip(right.losses, right.masses, strict=True)
        )
    )
    known = Balls(found.masses, found.errors)
    for place, (loss, mass) in enumerate(pairs):
        assert contains(known, place, mass)
        assert abs(found.losses[place] - loss) <= 1e-15
        assert found.errors[place] <= 1.2 * OFF * (abs(first) + abs(second)) + 1e-15


@pytest.mark.parametrize(("first", "second"), [(3.0, 0.0), (0.0, 5.0), (2.0, 2.0)])
def test_losses_of_products_are_known_as_well_as_both_and_no_better(first: float, second: float) -> None:
    left = Atoms(np.array([0.0, 0.5]), np.array([0.4, 0.6]), np.zeros(2), grain=first)
    right = Atoms(np.array([0.0, 0.25]), np.array([0.3, 0.7]), np.zeros(2), grain=second)
    # Sums that can hardly be told apart are taken as one: by up to 64 roundoffs of the largest, 8 of which are granted.
    assert first + second + 8 * 0.75 <= _together(left, right).grain <= first + second + 12 * 0.75


def test_rare_atoms_count_as_lost_with_their_errors() -> None:
    atoms = Atoms(
        np.array([0.0, 1.0, 2.0]), np.array([0.5, 1e-60, 0.5]), np.array([0.0, 1e-50, 1e-9]), Interval(0.0, 1e-55)
    )
    found = _common(atoms)
    assert found.losses.tolist() == [0.0, 2.0]
    assert found.errors.tolist() == [0.0, 1e-9]
    assert Fraction(1e-50) + Fraction(1e-55) + Fraction(1e-60) <= Fraction(found.infinite.upper) < Fraction(2, 10**50)
    # As seen from Q the mass is e^-1 of it, at most.
    assert Fraction(1e-50) / 3 <= Fraction(found.absent.upper) < Fraction(1, 10**50)


def test_rare_atoms_are_seen_from_the_other_side_with_what_is_not_known_of_their_values() -> None:
    grain = 2.0**50  # values are known up to 1
    atoms = Atoms(np.array([0.0, 1.0]), np.array([0.5, 1e-60]), np.zeros(2), grain=grain)
    found = _common(atoms)
    assert found.grain == grain
    assert 0.99e-60 <= found.absent.upper < 1.1e-60


def test_atoms_answer_for_values_that_are_hardly_known_and_masses_that_may_be_there() -> None:
    blurred = Atoms(np.array([0.5]), np.array([0.5]), np.array([0.25]), grain=2.0**40)
    off = 8 * 2.0**-53 * 2.0**40
    assert blurred.blur.upper >= 0.75 * off
    assert blurred.reaches[0] >= 0.5 + off
    maybe = Atoms(np.array([0.5, 3.0]), np.array([1.0, 0.0]), np.array([0.0, 1e-3]))
    assert maybe.supremum.upper >= 3.0
    assert maybe.supremum.lower <= 0.5


def test_one_of_two_chances_is_enclosed_at_both_ends() -> None:
    first, second = Interval(0.25, 0.5), Interval(0.125, 0.75)
    found = _either(first, second)
    least, most = (1 - (1 - Fraction(a)) * (1 - Fraction(b)) for a, b in ((0.25, 0.125), (0.5, 0.75)))
    assert Fraction(found.lower) <= least < Fraction(found.lower) + Fraction(1, 10**12)
    assert Fraction(found.upper) >= most > Fraction(found.upper) - Fraction(1, 10**12)
    assert _either(Interval.of(0), second) == second == _either(second, Interval.of(0))


@pytest.mark.parametrize("size", [1, 2, 7])
def test_sums_of_log_moments_are_off_by_what_each_is_off_by(size: int) -> None:
    dice = np.random.default_rng(size)
    values = dice.normal(size=(size, 3)) + 1j * dice.normal(size=(size, 3))
    counts = dice.integers(1, 50, size).astype(np.float64)
    for row in range(size):
        errors = np.zeros((size, 3))
        errors[row] = OFF
        found, lost = _sum(values, errors, counts)
        assert not lost.any()
        # The truth lies off by the error in any direction.
        shifts = OFF * np.exp(1j * np.array([0.0, 2.0, math.pi]))
        truth = counts @ values + counts[row] * shifts
        assert (np.abs(found.middle - truth) <= found.radii + 1e-12).all()
        assert (found.radii >= counts[row] * OFF).all()
        assert (found.radii <= counts[row] * OFF * 1.001 + 1e-12).all()


def test_moments_whose_phase_is_lost_bound_the_size() -> None:
    values, counts = np.array([[1.0 + 1.0j, 2.0 - 1.0j], [0.5 + 0.0j, 0.25 + 2.0j]]), np.array([2.0, 3.0])
    whole, lost = _sum(values, np.array([[OFF, np.inf], [OFF, OFF]]), counts)
    assert lost.tolist() == [False, True]
    middle, errors = _added(None, whole, lost)
    assert errors[0] >= 5 * OFF
    assert math.isinf(errors[1])
    assert middle[1].real >= 4.75 + 3 * OFF
    before = Balls(np.array([0.5 + 0.0j, 0.25 + 0.0j]), np.array([OFF, np.inf]))
    middle, errors = _added(before, *_sum(values, np.full((2, 2), OFF), counts))
    assert errors[0] >= 6 * OFF
    assert math.isinf(errors[1])
    assert middle[1].real >= 5.0 + 5 * OFF


def test_of_one_moment_whose_phase_is_lost_the_size_is_kept() -> None:
    whole, lost = _sum(np.array([[1.0 + 1.0j, 2.0 - 1.0j]]), np.array([[OFF, np.inf]]), np.array([2.0]))
    assert lost.tolist() == [False, True]
    _, errors = _added(None, whole, lost)
    assert errors[0] >= 2 * OFF
    assert math.isinf(errors[1])
