"""Discrete Gaussian noise."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

from attrs import field, frozen

from accountant import Theorem, fields, loss as losses
from accountant.plugin import Mechanism, Shift
from accountant_noise.gaussian import SIGMA
from accountant_noise.moves import GATHERED, whole_moves, whole_norms

if TYPE_CHECKING:
    from numpy.random import Generator

    from accountant.loss import Floats, Noise, PrivacyLoss

DISCRETE_GAUSSIAN = Theorem(
    "discrete-gaussian-privacy-loss",
    "Discrete Gaussian noise k, with chances proportional to e^(-k^2/(2 variance)), on a whole shift d has the loss "
    "(d^2 - 2 k d)/(2 variance) in every coordinate, independently.",
    "canonne2020discrete",
    "Theorems 4 and 7",
    ("independent noise of the same variance in every coordinate", "whole answers"),
)


@frozen
class DiscreteGaussian(Mechanism):
    """Independent discrete Gaussian noise on every coordinate of a whole-numbered answer; give sigma or variance."""

    kind: ClassVar[str] = "discrete-gaussian"
    theorem: ClassVar[Theorem] = DISCRETE_GAUSSIAN
    instead: ClassVar[Mapping[str, str]] = SIGMA
    alternatives: ClassVar[tuple[str, ...]] = ("sigma", "variance")

    sigma: Fraction | None = field(
        default=None,
        converter=fields.optional_exact,
        validator=fields.above(0),
        metadata=fields.about("the scale of the noise, hardly more than its standard deviation"),
    )
    variance: Fraction | None = field(
        default=None,
        converter=fields.optional_exact,
        validator=fields.above(0),
        metadata=fields.about("the square of the scale, instead of sigma"),
    )

    def scaled(self, factor: Fraction) -> DiscreteGaussian:
        if self.variance is not None:
            return DiscreteGaussian(variance=self.variance * factor**2)
        assert self.sigma is not None
        return DiscreteGaussian(sigma=self.sigma * factor)

    def loss(self, shift: Shift) -> PrivacyLoss:
        from accountant_noise.discrete_gaussian_loss import DiscreteGaussianLoss

        moves = whole_moves(self.kind, shift, "gaussian")
        if moves is not None:
            return losses.compose((DiscreteGaussianLoss(self._variance, move), 1) for move in moves)
        above, below = (DiscreteGaussianLoss(self._variance, move) for move in whole_norms(shift))
        # Rho adds up over coordinates, so that of every move is known from its norm.
        return losses.BracketLoss(above, below, shift.l2_squared / (2 * self._variance))

    def added_noise(self) -> Noise:
        from accountant_noise.laws import DiscreteGaussianNoise

        return DiscreteGaussianNoise(self._variance)

    def attained(self, shift: Shift) -> tuple[PrivacyLoss, ...]:
        return () if shift.heaviest is None else (self.loss(shift),)

    def settled_by(self, shift: Shift) -> tuple[Theorem, ...]:
        return (GATHERED,) if shift.coordinates is None else ()

    @property
    def _variance(self) -> Fraction:
        variance = self.variance if self.sigma is None else self.sigma**2
        assert variance is not None
        return variance

    def simulate(self, answers: Floats, generator: Generator) -> Floats:
        from accountant_noise.simulation import discrete_gaussian

        return answers + discrete_gaussian(float(self._variance), answers.size, generator).reshape(answers.shape)

    def log_ratio(self, outputs: Floats, first: Floats, second: Floats) -> Floats:
        ratios: Floats = (2 * outputs - first - second) @ (second - first) / (2 * float(self._variance))
        return ratios
