"""How likely noise is beyond a distance."""

from __future__ import annotations

import math
from abc import abstractmethod
from fractions import Fraction

import numpy as np
from attrs import frozen

from accountant.loss import Floats, Noise


@frozen
class NormalNoise(Noise):
    """Gaussian noise."""

    sigma: Fraction

    def beyond(self, distances: Floats) -> Floats:
        from scipy.special import ndtr

        tails: Floats = ndtr(-distances / float(self.sigma))
        return tails

    def reach(self, log_tail: float) -> float:
        return float(self.sigma) * math.sqrt(-2.0 * log_tail)


@frozen
class LaplaceNoise(Noise):
    """Laplace noise."""

    scale: Fraction

    def beyond(self, distances: Floats) -> Floats:
        tails: Floats = 0.5 * np.exp(-distances / float(self.scale))
        return tails

    def reach(self, log_tail: float) -> float:
        return -float(self.scale) * log_tail


@frozen
class WholeNoise(Noise):
    """Noise on whole numbers."""

    @property
    def whole(self) -> bool:
        return True


@frozen
class GeometricNoise(WholeNoise):
    """Geometric noise: of k and more, r^k/(1 + r)."""

    scale: Fraction

    def beyond(self, distances: Floats) -> Floats:
        ratio = math.exp(-1.0 / float(self.scale))
        tails: Floats = np.exp(-(np.floor(distances) + 1.0) / float(self.scale)) / (1.0 + ratio)
        return tails

    def reach(self, log_tail: float) -> float:
        return -float(self.scale) * log_tail


@frozen
class _Added(WholeNoise):
    """Noise whose chances are added up from far out, where they fall faster than those of Laplace noise."""

    variance: Fraction

    def beyond(self, distances: Floats) -> Floats:
        # Far beyond every distance asked for there is nothing that doubles would add.
        last = int(np.max(distances, initial=0.0) + self.reach(-60.0)) + 2
        chances = self._chances(np.arange(1.0, last + 1.0))
        tails = np.append(np.cumsum(chances[::-1])[::-1], 0.0)
        found: Floats = tails[np.floor(distances).astype(np.int64)]
        return found

    @abstractmethod
    def _chances(self, numbers: Floats) -> Floats:
        """The chance of each of these numbers, which are above 0."""

    def reach(self, log_tail: float) -> float:
        return math.sqrt(-2.0 * log_tail * (float(self.variance) + 1.0)) - log_tail


@frozen
class DiscreteGaussianNoise(_Added):
    """Discrete Gaussian noise."""

    def _chances(self, numbers: Floats) -> Floats:
        sizes: Floats = np.exp(-0.5 * numbers * numbers / float(self.variance))
        far = np.exp(-0.5 * np.square(np.arange(1.0, self.reach(-60.0) + 2.0)) / float(self.variance))
        return sizes / (1.0 + 2.0 * float(far.sum()))


@frozen
class SkellamNoise(_Added):
    """Skellam noise."""

    def _chances(self, numbers: Floats) -> Floats:
        from scipy.special import ive

        chances: Floats = ive(numbers, float(self.variance))
        return chances
