"""Bounds that families state of themselves, against long arithmetic on what they were given."""

from __future__ import annotations

from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest
from attrs import frozen

from accountant.loss import GaussianLoss
from accountant.loss.families.linear_bounds import CutLoss
from accountant.loss.families.noise import RealNoise
from accountant.loss.readings.arrays import Floats
from accountant.loss.readings.moments import log_of_moments
from accountant.numbers.rounding import Balls

EPSILONS = np.linspace(0.0, 4.0, 40)
OFF = 1e-12


def cuts(mu_squared: str, told: float) -> Floats:
    """Upper ends of the curve of Gaussian noise, and of something that tells everything."""
    loss = GaussianLoss(Fraction(mu_squared))
    return np.array([min(1.0, told + (1.0 - told) * loss.delta(float(epsilon)).upper) for epsilon in EPSILONS])


def delta_of(loss: CutLoss, epsilon: float) -> mp.mpf:
    """The delta of exactly the losses and masses that are written down."""
    rows = zip(loss.losses.tolist(), loss.masses.tolist(), strict=True)
    gains = (mp.mpf(mass) * -mp.expm1(mp.mpf(epsilon) - value) for value, mass in rows if value > epsilon)
    return mp.fsum(gains) + mp.mpf(loss.infinite_mass)


@pytest.mark.parametrize("told", [0.0, 0.01])
@pytest.mark.parametrize("mu_squared", ["0.1", "1", "7/3"])
def test_a_loss_through_cuts_reaches_all_of_them(mu_squared: str, told: float) -> None:
    deltas = cuts(mu_squared, told)
    loss = CutLoss.through(EPSILONS, deltas)
    for epsilon, delta in zip(EPSILONS.tolist(), deltas.tolist(), strict=True):
        assert mp.mpf(delta) <= delta_of(loss, epsilon) <= mp.mpf(delta) * (1 + mp.mpf(10) ** -6) + mp.mpf(10) ** -11
    # As little as can be, but no law has less than all of its mass.
    whole = mp.fsum(map(mp.mpf, loss.masses.tolist())) + mp.mpf(loss.infinite_mass)
    assert 1 <= whole <= 1 + mp.mpf(10) ** -9
    assert mp.mpf(loss.infinite_mass) >= min(deltas)


@pytest.mark.parametrize("told", [0.0, 0.01])
def test_readings_of_a_loss_through_cuts_enclose_those_of_its_masses(told: float) -> None:
    loss = CutLoss.through(EPSILONS, cuts("1", told) if told else np.append(cuts("1", told)[:-1], 0.0))
    for epsilon in np.linspace(-1.0, 3.9, 60).tolist():
        found = loss.delta_formula(epsilon)
        assert mp.mpf(found.lower) <= min(delta_of(loss, epsilon), mp.mpf(1)) <= mp.mpf(found.upper)
    errors = loss.atoms.errors
    assert (errors > 0.0)[loss.masses > 0.0].all()
    if told:
        assert loss.infinite_formula().lower <= loss.infinite_mass <= loss.infinite_formula().upper
        assert loss.atoms.infinite.upper >= loss.infinite_mass
        return
    top = max(value for value, mass in zip(loss.losses.tolist(), loss.masses.tolist(), strict=True) if mass > 0.0)
    assert loss.supremum_formula().lower <= top <= loss.supremum_formula().upper
    for order in (0.1, 0.7, 3.0, 11.3, 200.0):
        rows = zip(loss.losses.tolist(), loss.masses.tolist(), strict=True)
        truth = mp.log(mp.fsum(mp.mpf(mass) * mp.exp(mp.mpf(order) * value) for value, mass in rows))
        found = loss.log_moment_formula(order)
        assert mp.mpf(found.lower) <= max(truth, mp.mpf(0)) <= mp.mpf(found.upper)


@frozen
class Off(RealNoise):
    """Noise whose tails e^-x/2 are off by as much as they say, near ones to one side and far ones to the other."""

    sign: int

    def beyond(self, distances: Floats) -> Balls:
        tails, signs = 0.5 * np.exp(-distances), np.where(distances < 1.0, self.sign, -self.sign)
        return Balls(tails * (1.0 + signs * (1.0 - 2.0**-8) * OFF), OFF * tails)

    def reach(self, log_tail: float) -> float:
        return -log_tail


@pytest.mark.parametrize("sign", [-1, 1])
def test_chances_of_noise_answer_for_tails_that_are_off(sign: int) -> None:
    edges = np.array([-3.0, -1.5, -0.5, 0.0, 0.75, 1.25, 4.0])
    for centre in (0.0, 0.3):
        lower, upper = Off(sign).masses(edges, centre)
        for k in range(edges.size - 1):
            ends = [mp.mpf(float(edge)) - centre for edge in edges[k : k + 2]]
            below = [mp.exp(end) / 2 if end < 0 else 1 - mp.exp(-end) / 2 for end in ends]
            assert mp.mpf(float(lower[k])) <= below[1] - below[0] <= mp.mpf(float(upper[k]))
            assert upper[k] - lower[k] <= 3.0 * OFF


@pytest.mark.parametrize("error", [0.0, 1e-3])
def test_logarithms_of_moments_are_off_by_what_the_moments_are_off_by(error: float) -> None:
    dice = np.random.default_rng(4)
    excess = dice.normal(size=20) + 1j * dice.normal(size=20)
    excess[np.abs(1.0 + excess) < 0.2] = 0.5j
    values, errors = log_of_moments(excess, np.full(20, error))
    for w, value, granted in zip(excess.tolist(), values.tolist(), errors.tolist(), strict=True):
        for turn in range(8):
            moved = mp.mpc(w) + mp.mpf(error) * mp.expjpi(mp.mpf(turn) / 4)
            assert abs(mp.log(1 + moved) - mp.mpc(value)) <= mp.mpf(granted)
        assert granted <= 2.0 * error / abs(1.0 + w) + 1e-14
