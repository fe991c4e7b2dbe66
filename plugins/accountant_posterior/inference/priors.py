"""Prior beliefs about mean and variance, and whether anything follows from them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from fractions import Fraction

from attrs import field, frozen

from accountant import InvalidValue, fields
from accountant_posterior.inference.moments import BoundedMoments, NoisyMoments


@frozen
class ScaledPrior:
    """A prior as the sampler needs it, for data between 0 and 1.

    Definition: the density is proportional to (sigma^2)^-(shape + 1) e^(-(rate + weight (mu - mean)^2/2)/sigma^2).
    """

    mean: float
    weight: float
    shape: float
    rate: float


@frozen
class MomentsPrior(ABC):
    """A prior for the mean and the variance of Gaussian data."""

    @abstractmethod
    def check(self, release: BoundedMoments, *, constrained: bool) -> None:
        """Raise InvalidValue if no posterior law follows from this prior and such a release."""

    @abstractmethod
    def scaled(self, release: BoundedMoments) -> ScaledPrior:
        """The prior for data moved to between 0 and 1."""


@frozen
class Flat(MomentsPrior):
    """A density proportional to (sigma^2)^-power; power 0 is flat in mean and variance.

    Guarantee: refused where the posterior has infinite mass. Unlike for exact data, power 1 never works: noise lets the
    variance of the data be arbitrarily small, and there the density integrates like 1/S^2. Without constraints a large
    sigma^2 must be ruled out by the data too, which takes more than 3 - 2 power values.
    """

    power: Fraction = field(
        default=Fraction(0),
        converter=fields.exact,
        metadata=fields.about("the density falls like the variance to minus this power"),
    )

    def check(self, release: BoundedMoments, *, constrained: bool) -> None:
        if self.power >= 1:
            raise InvalidValue(
                f"with a prior density (sigma^2)^-{self.power} the posterior has infinite mass near sigma^2 = 0, because "
                "noise leaves it possible that the data do not vary at all; use power 0 or a proper prior"
            )
        if release.count <= 2 - 2 * self.power:
            raise InvalidValue(
                f"with this prior the sampler needs more than {float(2 - 2 * self.power):g} values, got {release.count}; "
                "use a proper prior"
            )
        if not constrained and release.count <= 3 - 2 * self.power:
            raise InvalidValue(
                f"with this prior the posterior of {release.count} values has infinite mass at large sigma^2; it takes "
                f"more than {float(3 - 2 * self.power):g} values, the constraints of bounded data, or a proper prior"
            )

    def scaled(self, release: BoundedMoments) -> ScaledPrior:
        return ScaledPrior(0.0, 0.0, float(self.power) - 1.0, 0.0)

    def mass(self, released: NoisyMoments) -> float:
        """The integral of the chance of the noisy variance over all sigma^2, for power 0 and data between 0 and 1.

        Definition: (n - 1)/(n - 3) times the chance that the noisy variance with fresh noise of the same law is positive.
        It is finite, so that the posterior is a law.
        """
        self.check(released.release, constrained=False)
        if self.power != 0:
            raise InvalidValue("the mass is known in closed form for power 0 only")
        count = released.release.count
        return (count - 1) / (count - 3) * released.release.noise[1].below(released.variance)


@frozen
class Conjugate(MomentsPrior):
    """sigma^2 is inverse gamma with parameters k/2 and k s/2, and the mean given it is Gaussian with variance sigma^2/w."""

    mean: Fraction = field(converter=fields.exact, metadata=fields.about("where the mean is believed to be"))
    variance: Fraction = field(
        converter=fields.exact, validator=fields.above(0), metadata=fields.about("how large the variance is believed to be")
    )
    mean_weight: Fraction = field(
        default=Fraction(1),
        converter=fields.exact,
        validator=fields.above(0),
        metadata=fields.about("how many values the belief about the mean is worth"),
    )
    variance_weight: Fraction = field(
        default=Fraction(1),
        converter=fields.exact,
        validator=fields.above(0),
        metadata=fields.about("how many values the belief about the variance is worth"),
    )

    def check(self, release: BoundedMoments, *, constrained: bool) -> None:
        """A proper prior always has a posterior."""

    def scaled(self, release: BoundedMoments) -> ScaledPrior:
        width = release.upper - release.lower
        weight = float(self.variance_weight)
        variance = float(self.variance / width**2)
        mean = float((self.mean - release.lower) / width)
        # The law of the mean given sigma^2 takes one more power of sigma.
        return ScaledPrior(mean, float(self.mean_weight), (weight + 1) / 2, weight * variance / 2)
