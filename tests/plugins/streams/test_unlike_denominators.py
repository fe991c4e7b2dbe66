"""Weights that have no denominator in common are added up exactly."""

from __future__ import annotations

from fractions import Fraction

import pytest

from accountant_streams.matrix import _denominator, _sensitivity_squared

WEIGHTS = (Fraction(1, 2), Fraction(1, 3), Fraction(2, 5), Fraction(3, 7), Fraction(1, 11))


def test_one_step_costs_the_squares_of_all_of_its_weights() -> None:
    rows = tuple((weight,) for weight in WEIGHTS)
    ends = _sensitivity_squared(rows, 1, 1)
    assert tuple(ends) == (sum(weight**2 for weight in WEIGHTS),) * 2


@pytest.mark.parametrize("participations", [2, 3])
def test_several_steps_cost_the_square_of_their_sum(participations: int) -> None:
    rows = (tuple(WEIGHTS),)
    largest = sum(sorted(WEIGHTS)[-participations:])
    ends = _sensitivity_squared(rows, participations, 1)
    assert tuple(ends) == (largest**2, largest**2)


def test_the_denominator_is_one_of_all_weights() -> None:
    found = _denominator((WEIGHTS,))
    assert found == 2 * 3 * 5 * 7 * 11
    assert all((weight * found).denominator == 1 for weight in WEIGHTS)
