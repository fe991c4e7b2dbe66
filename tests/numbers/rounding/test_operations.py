"""Balls contain the truth at every corner, on inputs that are bad; and their radii are not larger than they must be."""

from __future__ import annotations

import importlib
from fractions import Fraction

import numpy as np
import pytest

from accountant.numbers.rounding import Balls, log1p_or_most, lowered, raised
from tests.numbers.rounding.operations import Operation
from tests.numbers.rounding.table import OPERATIONS


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)
def test_every_truth_lies_in_its_ball_and_some_truth_needs_most_of_it(operation: Operation) -> None:
    worst = operation.worst(importlib.import_module(f"accountant.numbers.rounding.{operation.module}"))
    assert operation.felt <= worst <= 1.0


def test_a_moment_that_is_too_uncertain_is_bounded_from_above_and_otherwise_unknown() -> None:
    moments = Balls(np.array([-1.0 + 1e-3j, -0.5, 3.0j, -1.0]), np.array([1e-3, 0.4, 0.5, 0.0]))
    found = log1p_or_most(moments)
    assert np.isinf(found.radius).tolist() == [True, True, False, True]
    turns = np.exp(2j * np.pi * np.arange(64) / 64)
    for middle, radius, most in list(zip(moments.middle, moments.radii, found.middle.real, strict=True))[:2]:
        largest = np.log(np.abs(1.0 + middle + radius * turns).max())
        assert largest <= most <= largest + 0.01
    assert found.middle[3].real < -600.0


@pytest.mark.parametrize("times", [0, 1, 2, 3, 8, 64, 10**6])
def test_what_was_rounded_some_times_lies_between_the_lowered_and_the_raised(times: int) -> None:
    numbers = [0.0, 2.0**-1022, 1.0, 1.0 + 2.0**-52, 1.5, 2.0 - 2.0**-52, 3.7, 1e300, *np.random.default_rng(1).random(500)]
    share = Fraction(times, 2**53)
    for number in numbers:
        most, least = Fraction(float(number)) / (1 - share), Fraction(float(number)) / (1 + share)
        assert Fraction(lowered(float(number), times)) <= least <= most <= Fraction(raised(float(number), times))
        assert Fraction(raised(float(number), times)) <= most * (1 + Fraction(10, 2**53))
