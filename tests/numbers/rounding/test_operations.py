"""Balls contain the truth at every corner, on inputs that are bad; and their radii are not larger than they must be."""

from __future__ import annotations

import importlib

import mpmath as mp
import numpy as np
import pytest

from accountant.numbers.rounding import Balls, log1p_or_most
from tests.numbers.rounding.operations import Operation
from tests.numbers.rounding.table import OPERATIONS


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: f"{operation.module}: {operation.name}")
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


def test_a_moment_of_which_only_the_size_is_known_is_not_larger_than_that_by_any_rounding() -> None:
    """Where the largest size is next to 1 its logarithm is next to 0, and is granted next to nothing."""
    turns = np.exp(2j * np.pi * np.random.default_rng(4).random(400))
    moments = Balls(-1.0 + 0.3 * turns, np.full(400, 0.7))
    found = log1p_or_most(moments)
    assert np.isinf(found.radius).all()
    with mp.workdps(40):
        for middle, most in zip(moments.middle.tolist(), found.middle.real.tolist(), strict=True):
            assert mp.log(abs(1 + mp.mpc(middle)) + mp.mpf(0.7)) <= mp.mpf(most)
