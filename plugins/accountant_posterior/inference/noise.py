"""Noise on a statistic, as the samplers weigh it."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from fractions import Fraction

import numpy as np
from attrs import field, frozen
from numpy.random import Generator
from scipy import special

from accountant import InvalidValue
from accountant.loss import Floats

_CLOSEST = 1e-9
"""Below this ratio of distance to noise scale the law of 1/w is that of distance zero to all digits."""


def _positive(value: float | Fraction) -> float:
    number = float(value)
    if not (math.isfinite(number) and number > 0.0):
        raise InvalidValue(f"expected a finite number above 0, got {value!r}")
    return number


@frozen
class StatisticNoise(ABC):
    """Noise that is as likely on either side of zero, and the less likely the farther it is."""

    @abstractmethod
    def scaled(self, factor: float) -> StatisticNoise:
        """The noise of a statistic that is multiplied by a factor above zero."""

    @abstractmethod
    def log_weights(self, places: Floats) -> Floats:
        """The logs of its density at these places, less that at zero."""

    @abstractmethod
    def draw(self, generator: Generator, shape: tuple[int, ...]) -> Floats:
        """Noise for studies, drawn in floating point. Never release data with it."""

    @abstractmethod
    def below(self, place: float) -> float:
        """The chance to be at most this."""

    @abstractmethod
    def within(self, level: float) -> float:
        """The distance from zero that the noise keeps with this probability."""

    @abstractmethod
    def precisions(self, distances: Floats, generator: Generator) -> Floats:
        """One over the variance of Gaussian noise that this noise may be a mixture of, given how far it went."""

    @abstractmethod
    def reaches(self, distances: Floats, generator: Generator) -> Floats:
        """How far noise reaches whose density exceeds a uniform share of that at these distances."""


@frozen
class LaplaceNoise(StatisticNoise):
    """Laplace noise."""

    scale: float = field(converter=_positive)

    def scaled(self, factor: float) -> LaplaceNoise:
        return LaplaceNoise(self.scale * factor)

    def log_weights(self, places: Floats) -> Floats:
        return -np.abs(places) / self.scale

    def draw(self, generator: Generator, shape: tuple[int, ...]) -> Floats:
        return generator.laplace(0.0, self.scale, shape)

    def below(self, place: float) -> float:
        half = 0.5 * math.exp(-abs(place) / self.scale)
        return 1.0 - half if place > 0.0 else half

    def within(self, level: float) -> float:
        return -math.log1p(-level) * self.scale

    def precisions(self, distances: Floats, generator: Generator) -> Floats:
        """Inverse Gaussian with mean 1/(scale distance) and shape 1/scale^2."""
        rate = 1.0 / self.scale
        shape = rate**2
        close = distances * rate < _CLOSEST
        draws = generator.wald(rate / np.where(close, 1.0, distances), shape)
        # At distance zero the inverse Gaussian law of infinite mean is left: shape over the square of a Gaussian.
        return np.where(close, shape / generator.standard_normal(len(distances)) ** 2, draws)

    def reaches(self, distances: Floats, generator: Generator) -> Floats:
        return distances + self.scale * generator.standard_exponential(distances.shape)


@frozen
class GaussianNoise(StatisticNoise):
    """Gaussian noise."""

    deviation: float = field(converter=_positive)

    def scaled(self, factor: float) -> GaussianNoise:
        return GaussianNoise(self.deviation * factor)

    def log_weights(self, places: Floats) -> Floats:
        logs: Floats = -0.5 * (places / self.deviation) ** 2
        return logs

    def draw(self, generator: Generator, shape: tuple[int, ...]) -> Floats:
        return generator.normal(0.0, self.deviation, shape)

    def below(self, place: float) -> float:
        return float(special.ndtr(place / self.deviation))

    def within(self, level: float) -> float:
        return float(self.deviation * special.ndtri(0.5 + 0.5 * level))

    def precisions(self, distances: Floats, generator: Generator) -> Floats:
        return np.full(distances.shape, self.deviation**-2.0)

    def reaches(self, distances: Floats, generator: Generator) -> Floats:
        far: Floats = np.hypot(distances, self.deviation * np.sqrt(2.0 * generator.standard_exponential(distances.shape)))
        return far
