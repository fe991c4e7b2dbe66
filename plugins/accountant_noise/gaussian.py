"""Gaussian noise."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

from attrs import field, frozen

from accountant import Mechanism, Shift, Theorem, fields
from accountant import loss as losses

if TYPE_CHECKING:
    from numpy.random import Generator

    from accountant.loss import Floats, PrivacyLoss

GAUSSIAN = Theorem(
    "gaussian-privacy-loss",
    "Gaussian noise of standard deviation sigma on a shift d has a normal loss with mean mu^2/2 and variance mu^2, "
    "mu = |d|/sigma in the L2 norm.",
    "balle2018gaussian",
    "Lemma 3",
    ("independent noise of the same sigma in every coordinate",),
)


@frozen
class Gaussian(Mechanism):
    """Independent Gaussian noise on every coordinate of the answer."""

    kind: ClassVar[str] = "gaussian"
    theorem: ClassVar[Theorem] = GAUSSIAN

    sigma: Fraction = field(
        converter=fields.exact,
        validator=fields.above(0),
        metadata=fields.about("the standard deviation of the noise"),
    )

    def scaled(self, factor: Fraction) -> Gaussian:
        return Gaussian(self.sigma * factor)

    def loss(self, shift: Shift) -> PrivacyLoss:
        return losses.GaussianLoss(shift.l2_squared / self.sigma**2)

    def simulate(self, answers: Floats, generator: Generator) -> Floats:
        return answers + generator.normal(scale=float(self.sigma), size=answers.shape)

    def log_ratio(self, outputs: Floats, first: Floats, second: Floats) -> Floats:
        ratios: Floats = (2 * outputs - first - second) @ (second - first) / (2 * float(self.sigma) ** 2)
        return ratios
