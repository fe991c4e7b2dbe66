"""Errors of the kind that noise invites are caught by the laws of mechanisms, and the honest noise passes them."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from attrs import evolve, frozen

from accountant import PrivacyLoss, default_registry
from accountant.loss import Atoms, GaussianLoss, ResponseLoss
from accountant.plugin import CASES, ConformanceCase, MechanismCase, Shift
from accountant.testing import laws
from accountant_noise import Gaussian, Geometric, Laplace, Skellam, Staircase
from accountant_noise.geometric_loss import GeometricLoss
from accountant_noise.skellam_loss import SkellamLoss
from accountant_noise.staircase_loss import StaircaseLoss


@cache
def offered() -> Mapping[str, ConformanceCase]:
    return default_registry().offered(CASES, "noise")


def honest(name: str) -> MechanismCase:
    case = offered()[name]
    assert isinstance(case, MechanismCase)
    return case


@frozen
class ExchangedStairs(StaircaseLoss):
    """The masses of the other law: the wrong direction."""

    def find_atoms(self) -> Atoms:
        atoms = super().find_atoms()
        return evolve(atoms, masses=atoms.masses[::-1], errors=atoms.errors[::-1])


@frozen
class WrongDirection(Staircase):
    """Losses seen from where they are not drawn."""

    def loss(self, shift: Shift) -> PrivacyLoss:
        return ExchangedStairs(self.epsilon, self.gamma, shift.linf)


@frozen
class CutSkellam(SkellamLoss):
    """Atoms without a tail that nobody is charged for."""

    def find_atoms(self) -> Atoms:  # type: ignore[override]
        atoms = super().find_atoms()
        kept = atoms.losses < np.max(atoms.losses[atoms.masses > 1e-2])
        return Atoms(atoms.losses[kept], atoms.masses[kept], atoms.errors[kept])


@frozen
class MissingMass(Skellam):
    """Noise whose rare large losses were left out."""

    def loss(self, shift: Shift) -> PrivacyLoss:
        return CutSkellam(self.variance, shift.linf)


@frozen
class OtherNeighbours(Geometric):
    """The sensitivity of add-remove neighbours: one cell moves, where in truth one rises and one falls."""

    def loss(self, shift: Shift) -> PrivacyLoss:
        return super().loss(Shift.along([shift.linf]))


@frozen
class ContinuousNoise(Geometric):
    """The curve of Laplace noise, which whole noise does not keep."""

    def loss(self, shift: Shift) -> PrivacyLoss:
        return Laplace(self.scale).loss(shift)


@frozen
class OneStepShort(Geometric):
    """A move counted from 0."""

    def loss(self, shift: Shift) -> PrivacyLoss:
        return GeometricLoss(1 / self.scale, int(shift.linf) - 1)


@frozen
class GaussianInstead(Skellam):
    """Gaussian noise of the same variance, which small Skellam noise is far from."""

    def loss(self, shift: Shift) -> PrivacyLoss:
        return GaussianLoss(shift.l2_squared / self.variance)


@frozen
class RoundedDown(Staircase):
    """As many stairs as fit wholly into the move."""

    def loss(self, shift: Shift) -> PrivacyLoss:
        return ResponseLoss(self.epsilon * (shift.linf // self.sensitivity))


@frozen
class DiagonalOnly(Gaussian):
    """A covariance without what correlates."""

    def loss(self, shift: Shift) -> PrivacyLoss:
        assert self.covariance is not None
        return GaussianLoss(sum((Fraction(1) / self.covariance[k][k] for k in range(2)), Fraction(0)))


@frozen
class NotInverted(Gaussian):
    """The covariance where its inverse belongs."""

    def loss(self, shift: Shift) -> PrivacyLoss:
        assert self.covariance is not None
        assert shift.placed is not None
        table, move = self.covariance, shift.placed
        return GaussianLoss(sum((move[i] * table[i][j] * move[j] for i in range(2) for j in range(2)), Fraction(0)) / 100)


@pytest.mark.parametrize(
    ("planted", "name"),
    [
        (WrongDirection("1", "1/3"), "staircase 1 1/3 by 1"),
        (RoundedDown("1/2", "2/3"), "staircase 1/2 2/3 by 5/2"),
        (MissingMass("5"), "skellam 5 by 2"),
        (GaussianInstead("1/2"), "skellam 1/2 by 1"),
        (OtherNeighbours("1"), "geometric 1 by 2 on two"),
        (ContinuousNoise("1/2"), "geometric 1/2 by 1"),
        (OneStepShort("4"), "geometric 4 by 3"),
        (DiagonalOnly(covariance=[[5, 3], [3, 5]]), "gaussian of a covariance"),
        (NotInverted(covariance=[[5, 3], [3, 5]]), "gaussian of a covariance"),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_planted_noise_is_caught(planted: Skellam | Staircase | Geometric | Gaussian, name: str) -> None:
    laws.exact_pairs_never_beat_the_claim(honest(name))
    # Some errors make a loss contradict itself already.
    words = "an exact pair of the mechanism beats its claimed loss|two ways to one value contradict each other"
    with pytest.raises(AssertionError, match=words):
        laws.exact_pairs_never_beat_the_claim(evolve(honest(name), mechanism=planted))
