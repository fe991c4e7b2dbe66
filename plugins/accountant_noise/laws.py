"""Where noise is: how likely it is beyond a distance, or at a whole number."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from attrs import frozen

from accountant.loss import Floats, RealNoise, WholeNoise
from accountant.numbers.rounding import Ball, Balls, exp, expm1, tails_by_density, total
from accountant_noise.bessel import Falls
from accountant_noise.theta import log_normaliser

_DEVIATIONS, _DEEPEST = 40.0, 750.0
"""Farther out, and of e^-x from here on, there is less than what functions are charged for underflow."""
_LOG_REST = -60.0


@frozen
class NormalNoise(RealNoise):
    """Gaussian noise."""

    sigma: Fraction

    def beyond(self, distances: Floats) -> Balls:
        places = Balls(np.minimum(distances, _DEVIATIONS * float(self.sigma))) / Ball.of(self.sigma)
        return tails_by_density(places, places)[1]

    def reach(self, log_tail: float) -> float:
        return float(self.sigma) * math.sqrt(-2.0 * log_tail)


@frozen
class LaplaceNoise(RealNoise):
    """Laplace noise."""

    scale: Fraction

    def beyond(self, distances: Floats) -> Balls:
        return _fallen(Balls(distances) / Ball.of(self.scale)) * 0.5

    def reach(self, log_tail: float) -> float:
        return -float(self.scale) * log_tail


@frozen
class GeometricNoise(WholeNoise):
    """Geometric noise: k has the chance r^k (1 - r)/(1 + r)."""

    scale: Fraction

    def chances(self, numbers: Floats) -> Balls:
        step = -1.0 / Ball.of(self.scale)
        return _fallen(Balls(numbers) / Ball.of(self.scale)) * (-expm1(step) / (1.0 + exp(step)))

    def reach(self, log_tail: float) -> float:
        return -float(self.scale) * log_tail


@frozen
class DiscreteGaussianNoise(WholeNoise):
    """Discrete Gaussian noise."""

    variance: Fraction

    def chances(self, numbers: Floats) -> Balls:
        return _fallen(Balls(numbers).squared() / Ball.of(2 * self.variance) + Ball.of(log_normaliser(self.variance)))

    def reach(self, log_tail: float) -> float:
        return _whole_reach(self.variance, log_tail)


@frozen
class SkellamNoise(WholeNoise):
    """Skellam noise."""

    variance: Fraction

    def chances(self, numbers: Floats) -> Balls:
        # The places of one loss ask for much the same numbers: powers of two let them share what is found.
        most = max(int(np.max(numbers, initial=0.0)), int(self.reach(_LOG_REST)) + 1)
        falls, places = Falls.of(self.variance, 1 << most.bit_length()), np.arange(most + 1, dtype=np.int64)
        shares = _fallen(Balls.rounded(falls.between(np.zeros_like(places), places), 8.0))
        # By Bernstein's inequality no more than e^-60 lies beyond the last number on either side.
        whole = (total(shares[1:]) * 2.0 + shares.entry(0)) * Ball(1.0, 4.0 * math.exp(_LOG_REST))
        return shares[numbers.astype(np.int64)] / whole

    def reach(self, log_tail: float) -> float:
        return _whole_reach(self.variance, log_tail)


def _fallen(exponents: Balls) -> Balls:
    """e^-x; of far exponents it is not told apart how far they are."""
    far = exponents.lower > _DEEPEST
    return exp(-(exponents.replaced(far, _DEEPEST) if far.any() else exponents))


def _whole_reach(variance: Fraction, log_tail: float) -> float:
    return math.sqrt(-2.0 * log_tail * (float(variance) + 1.0)) - log_tail
