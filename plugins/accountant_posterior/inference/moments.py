"""Mean and variance of bounded data, released with noise."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from attrs import field, frozen

from accountant import InvalidValue, ShiftError, fields
from accountant_posterior.inference.noise import LaplaceNoise, StatisticNoise
from accountant_posterior.inference.public import PublicFigure

if TYPE_CHECKING:
    from numpy.random import Generator

_COVERED = "replace-one"
_FINEST = 1e-12
_COARSEST = 1e12


@frozen
class BoundedMoments(ABC):
    """How the mean and the variance, with divisor n - 1, of n values between two public bounds are released."""

    count: int = field(
        converter=fields.whole,
        validator=fields.at_least(2),
        metadata=fields.about("how many values there are, a public number"),
    )
    lower: Fraction = field(converter=fields.exact, metadata=fields.about("the smallest value that is possible"))
    upper: Fraction = field(converter=fields.exact, metadata=fields.about("the largest value that is possible"))

    def __attrs_post_init__(self) -> None:
        if self.lower >= self.upper:
            raise InvalidValue("the largest possible value must be above the smallest")

    @property
    def width(self) -> float:
        """How far the bounds lie from each other."""
        return float(self.upper - self.lower)

    @property
    @abstractmethod
    def noise(self) -> tuple[StatisticNoise, StatisticNoise]:
        """The noise on the mean, and that on the variance."""

    @property
    def unit_noise(self) -> tuple[StatisticNoise, StatisticNoise]:
        """Both on data moved to between 0 and 1."""
        mean, variance = self.noise
        return mean.scaled(1.0 / self.width), variance.scaled(self.width**-2.0)


@frozen
class StatedMoments(BoundedMoments):
    """A mean and a variance, with divisor n - 1, released with stated noise; what they spend is said elsewhere."""

    mean_noise: StatisticNoise
    variance_noise: StatisticNoise

    def __attrs_post_init__(self) -> None:
        super().__attrs_post_init__()
        if min(noise.within(0.5) for noise in self.unit_noise) < _FINEST:
            raise InvalidValue(
                f"noise below {_FINEST:g} of what data between the bounds can do is too small to be followed; give such a "
                "number at least the noise of its rounding"
            )
        if max(noise.within(0.5) for noise in self.unit_noise) > _COARSEST:
            raise InvalidValue(
                f"noise above {_COARSEST:g} of what data between the bounds can do leaves nothing to be learned from the "
                "number; leave it out"
            )

    @property
    def noise(self) -> tuple[StatisticNoise, StatisticNoise]:
        return self.mean_noise, self.variance_noise


@frozen
class MomentsRelease(BoundedMoments):
    """How the mean and the variance of n values between two public bounds are released.

    Definition: the mean and the variance with divisor n - 1 get Laplace noise of scales (b - a)/(n e1) and
    (b - a)^2/(n e2). Guarantee: between replace-one neighbours the two move by at most (b - a)/n and (b - a)^2/n, so that
    the releases together are (e1 + e2)-differentially private. The number of values is public.
    """

    mean_epsilon: Fraction = field(
        converter=fields.exact, validator=fields.above(0), metadata=fields.about("what the mean spends")
    )
    variance_epsilon: Fraction = field(
        converter=fields.exact, validator=fields.above(0), metadata=fields.about("what the variance spends")
    )
    neighbours: str = field(
        default=_COVERED, converter=fields.text, metadata=fields.about("the neighbour relation that is promised about")
    )

    def __attrs_post_init__(self) -> None:
        super().__attrs_post_init__()
        if self.neighbours != _COVERED:
            raise ShiftError(
                f"how far the two statistics move is known between '{_COVERED}' neighbours only, for which the number of "
                f"values is public; between '{self.neighbours}' ones it may differ, and dividing by it would tell"
            )

    @property
    def noise(self) -> tuple[StatisticNoise, StatisticNoise]:
        return (
            LaplaceNoise(self.mean_sensitivity / self.mean_epsilon),
            LaplaceNoise(self.variance_sensitivity / self.variance_epsilon),
        )

    @property
    def mean_sensitivity(self) -> Fraction:
        """How far the mean moves at most."""
        return (self.upper - self.lower) / self.count

    @property
    def variance_sensitivity(self) -> Fraction:
        """How far the variance moves at most."""
        return (self.upper - self.lower) ** 2 / self.count

    @property
    def epsilon(self) -> Fraction:
        """What both releases spend together."""
        return self.mean_epsilon + self.variance_epsilon

    def simulate(self, values: Sequence[float], generator: Generator) -> NoisyMoments:
        """A release drawn in floating point, for studies. Never release data with it."""
        if len(values) != self.count:
            raise InvalidValue(f"expected {self.count} values, got {len(values)}")
        if min(values) < self.lower or max(values) > self.upper:
            raise InvalidValue("a value lies outside the public bounds; clip the data first")
        mean = math.fsum(values) / self.count
        variance = math.fsum((value - mean) ** 2 for value in values) / (self.count - 1)
        on_mean, on_variance = (float(noise.draw(generator, ())) for noise in self.noise)
        return NoisyMoments(self, mean + on_mean, variance + on_variance)


def _finite(value: float) -> float:
    number = float(value)
    if not math.isfinite(number):
        raise InvalidValue(f"expected a finite number, got {value!r}")
    return number


@frozen
class NoisyMoments:
    """What was released: a noisy mean and a noisy variance. Either may lie outside its range, the variance below zero."""

    release: BoundedMoments
    mean: float = field(converter=_finite)
    variance: float = field(converter=_finite)
    public: PublicFigure | None = None
    """What a public source says of the mean of the same values."""

    @property
    def unit_public(self) -> PublicFigure | None:
        """The public figure on data moved to between 0 and 1."""
        return self.public and self.public.moved(float(self.release.lower), 1.0 / self.release.width)

    @property
    def unit(self) -> tuple[float, float]:
        """Both on data moved to between 0 and 1, where inference works; noise and sensitivities move along."""
        width = self.release.width
        return (self.mean - float(self.release.lower)) / width, self.variance / width**2

    def mean_interval(self, level: float = 0.95) -> tuple[float, float]:
        """The interval that holds the mean of the data, not of the law behind them, with this probability.

        Definition: with a flat prior the mean of the data has the law of the noise around the noisy one, so that the
        interval of either kind, Bayesian or frequentist, is the same: for Laplace noise log(1/(1 - level)) scales on both
        sides.
        """
        if not 0.0 < level < 1.0:
            raise InvalidValue(f"a level lies strictly between 0 and 1, got {level!r}")
        half = self.release.noise[0].within(level)
        return self.mean - half, self.mean + half
