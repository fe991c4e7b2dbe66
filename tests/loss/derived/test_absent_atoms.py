"""Losses of a record that is absent from the first law, from values that hold less than all of it."""

from __future__ import annotations

import itertools
import math
import random
from fractions import Fraction

import numpy as np
import pytest

from accountant.loss import PrivacyLoss, SampledLoss, compose
from accountant.loss.derived.merged import under
from accountant.loss.derived.sampled_atoms import lifted_back
from accountant.loss.families.atomic import Atoms
from accountant.numbers.rounding import Ball, Balls
from accountant_noise.discrete_gaussian_loss import DiscreteGaussianLoss
from accountant_noise.geometric_loss import GeometricLoss
from accountant_noise.laplace_loss import LaplaceLoss


def test_a_swapped_sample_of_many_continuous_releases_is_known_as_well_as_the_other_order() -> None:
    """delta of (Q, R) at e is e^e (delta of (R, Q) at -e less 1 - e^-e): either order tells of the other."""
    loss = compose([(SampledLoss(LaplaceLoss(1), "0.01"), 10_000)])
    found, other = loss.reverse().delta(1), loss.delta(-1)
    ends = [math.e * (end - 1.0 + math.exp(-1.0)) for end in (other.lower, other.upper)]
    assert found.width <= 1e-4 * found.upper
    assert found.lower <= ends[1] + 1e-12
    assert found.upper >= ends[0] - 1e-12


@pytest.mark.parametrize("base", [LaplaceLoss("0.7"), GeometricLoss("0.4", 1), DiscreteGaussianLoss(3, 1)])
@pytest.mark.parametrize("rate", ["0.3", "0.01"])
def test_what_stands_below_a_swapped_sample_loses_no_more(base: PrivacyLoss, rate: str) -> None:
    """Also where losses have no bound: it had no moments then, so that thousands of releases were read from grids."""
    whole = SampledLoss(base, rate, swapped=True)
    below = whole.with_moments(upper=False)
    assert isinstance(below, SampledLoss)
    assert below.analytic() is not None
    losses, masses = (balls.middle for balls in below.finite_atoms())
    assert math.isclose(float(masses.sum()), 1.0, rel_tol=1e-12)
    for epsilon in (-1.0, -0.1, 0.0, 0.001, 0.05):
        lower = float(masses @ np.maximum(-np.expm1(epsilon - losses), 0.0))
        assert lower <= whole.delta(epsilon).upper + 1e-12
    for order in (0.5, 2.0, 30.0):
        assert math.log(float(masses @ np.exp(order * losses))) <= whole._log_moment_at(order).upper + 1e-12


def _delta(values: list[tuple[float, float]], epsilon: float, copies: int) -> float:
    found = 0.0
    for drawn in itertools.product(values, repeat=copies):
        chance, total = math.prod(mass for _, mass in drawn), sum(loss for loss, _ in drawn)
        found += chance * max(0.0, -math.expm1(epsilon - total))
    return found


def _worlds() -> list[tuple[list[Fraction], list[Fraction]]]:
    draw = random.Random(7)
    worlds = []
    for _ in range(40):
        p, q = ([Fraction(draw.randint(1, 9)) for _ in range(4)] for _ in range(2))
        worlds.append(([mass / sum(p) for mass in p], [mass / sum(q) for mass in q]))
    return worlds


def test_what_is_missing_of_the_first_law_is_merged_with_its_lowest_loss() -> None:
    rate, caught = 0.3, 0
    for p, q in _worlds():
        losses = np.array([math.log(b / a) for a, b in zip(p, q, strict=True)])
        order = np.argsort(losses)
        first, second = (np.array([float(law[k]) for k in order]) for law in (q, p))
        whole = Atoms(losses[order], first, np.full(4, 1e-15))
        # The least lossy outcome of the first law is not told, and a little of all others.
        known = under(Balls(first[1:] * 0.99), Balls(second[1:]))
        planted = Atoms(np.append(0.0, whole.losses[1:]), np.append(1.0 - first[1:].sum(), first[1:]), np.zeros(4))
        found = [lifted_back(atoms, Ball(rate), Ball(1.0 - rate)) for atoms in (whole, known, planted)]
        laws = [
            list(zip(atoms.values.middle.tolist(), atoms.masses.middle.tolist(), strict=True))
            for atoms in found
            if atoms is not None
        ]
        assert math.isclose(sum(mass for _, mass in laws[1]), 1.0, rel_tol=1e-12)
        for epsilon, copies in itertools.product((-0.2, 0.0, 0.05, 0.2), (1, 2, 3)):
            truth, lower, high = (_delta(law, epsilon, copies) for law in laws)
            assert lower <= truth + 1e-12
            caught += high > truth + 1e-9
    assert caught
