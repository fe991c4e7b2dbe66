"""Gaussian noise."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

from attrs import field, frozen

from accountant import Interval, Theorem, fields, loss as losses
from accountant.plugin import Mechanism, Shift
from accountant_noise.covariance import Rows, positive_definite, squared_distances, widest

if TYPE_CHECKING:
    from numpy.random import Generator

    from accountant.loss import Floats, Noise, PrivacyLoss

GAUSSIAN = Theorem(
    "gaussian-privacy-loss",
    "Gaussian noise of covariance C on a shift d has a normal loss with mean mu^2/2 and variance mu^2, mu^2 = d' C^-1 d; "
    "for independent noise of standard deviation sigma, mu = |d|/sigma in the L2 norm.",
    "balle2018gaussian",
    "Lemma 3",
    ("independent noise of the same sigma in every coordinate, or noise of the given covariance",),
)


SIGMA: Mapping[str, str] = {
    "noise_multiplier": "give the noise itself: 'sigma' is the multiplier times how far the query moves",
    "epsilon": "give the noise, not what it costs: 'sigma' is its standard deviation, and calibrating finds the least",
    **dict.fromkeys(("noise", "noise_scale", "scale", "std", "stddev", "standard_deviation"), "did you mean 'sigma'?"),
}
"""What to write for words that people expect noise of a standard deviation to be given by."""


@frozen
class Gaussian(Mechanism):
    """Gaussian noise on every coordinate of the answer; give sigma, for independent noise, or covariance."""

    kind: ClassVar[str] = "gaussian"
    theorem: ClassVar[Theorem] = GAUSSIAN
    alternatives: ClassVar[tuple[str, ...]] = ("sigma", "covariance")
    in_training: ClassVar[str | None] = "sigma"
    instead: ClassVar[Mapping[str, str]] = {**SIGMA, "variance": "'sigma' is its square root"}

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

    def added_noise(self) -> Noise | None:
        return None if self.sigma is None else losses.NormalNoise(self.sigma)

    def error(self, share: Fraction) -> Interval | None:
        if self.covariance is None:
            return super().error(share)
        from accountant.plugin import distance

        # Each coordinate by itself is normal; the least distance that serves all is that of the widest one.
        below, above = (distance(losses.NormalNoise(deviation), share) for deviation in widest(self.covariance))
        return None if below is None or above is None else Interval(below.lower, above.upper)

    def attained(self, shift: Shift) -> tuple[PrivacyLoss, ...]:
        loss = self.loss(shift)
        return () if shift.heaviest is None or isinstance(loss, losses.BracketLoss) else (loss,)

    def simulate(self, answers: Floats, generator: Generator) -> Floats:
        import numpy as np

        if self.sigma is not None:
            return answers + float(self.sigma) * generator.standard_normal(answers.shape)
        size = answers.shape[-1]
        noise = generator.multivariate_normal(np.zeros(size), self._covariance(size), answers.shape[:-1])
        return answers + noise.reshape(answers.shape)

    def log_ratio(self, outputs: Floats, first: Floats, second: Floats) -> Floats:
        import numpy as np

        direction = np.linalg.solve(self._covariance(first.size), second - first)
        ratios: Floats = (outputs - 0.5 * (first + second)) @ direction
        return ratios

    def _covariance(self, size: int) -> Floats:
        """The covariance of the first coordinates."""
        import numpy as np

        if self.covariance is None:
            assert self.sigma is not None
            return np.eye(size) * float(self.sigma) ** 2
        return np.array([[float(value) for value in row[:size]] for row in self.covariance[:size]])
