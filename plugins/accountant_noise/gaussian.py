"""Gaussian noise."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

from attrs import field, frozen

from accountant import Mechanism, Shift, Theorem, fields
from accountant import loss as losses
from accountant_noise.covariance import Rows, positive_definite, squared_distances

if TYPE_CHECKING:
    from accountant.loss import PrivacyLoss

GAUSSIAN = Theorem(
    "gaussian-privacy-loss",
    "Gaussian noise of covariance C on a shift d has a normal loss with mean mu^2/2 and variance mu^2, mu^2 = d' C^-1 d; "
    "for independent noise of standard deviation sigma, mu = |d|/sigma in the L2 norm.",
    "balle2018gaussian",
    "Lemma 3",
    ("independent noise of the same sigma in every coordinate, or noise of the given covariance",),
)


@frozen
class Gaussian(Mechanism):
    """Gaussian noise on every coordinate of the answer; give sigma, for independent noise, or covariance."""

    kind: ClassVar[str] = "gaussian"
    theorem: ClassVar[Theorem] = GAUSSIAN
    alternatives: ClassVar[tuple[str, ...]] = ("sigma", "covariance")

    sigma: Fraction | None = field(
        default=None,
        converter=fields.optional_exact,
        validator=fields.above(0),
        metadata=fields.about("the standard deviation of the noise, the same in every coordinate"),
    )
    covariance: Rows | None = field(
        default=None,
        converter=fields.exact_table,
        validator=positive_definite,
        metadata=fields.about("the covariance of the noise, a row for each coordinate of the answer, instead of sigma"),
    )

    def scaled(self, factor: Fraction) -> Gaussian:
        if self.covariance is not None:
            return Gaussian(covariance=[[value * factor**2 for value in row] for row in self.covariance])
        assert self.sigma is not None
        return Gaussian(self.sigma * factor)

    def loss(self, shift: Shift) -> PrivacyLoss:
        if self.covariance is None:
            assert self.sigma is not None
            return losses.GaussianLoss(shift.l2_squared / self.sigma**2)
        least, most = squared_distances(self.kind, self.covariance, shift)
        above = losses.GaussianLoss(most)
        return above if least == most else losses.BracketLoss(above, losses.GaussianLoss(least))
