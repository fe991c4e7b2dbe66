"""Where noise is: how likely it is beyond a distance, or at a whole number."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from attrs import frozen

from accountant.loss import Floats, NormalNoise as NormalNoise, RealNoise, WholeNoise
from accountant.numbers.rounding import Ball, Balls, exp, expm1, total
from accountant_noise.bessel import Falls
from accountant_noise.theta import log_normaliser

_DEEPEST = 750.0
"""Of e^-x from here on there is less than what functions are charged for underflow."""
_LOG_REST = -60.0


@frozen
class LaplaceNoise(RealNoise):
    """Laplace noise."""

    scale: Fraction

    @property
    def near(self) -> Fraction:
        # Less than log 2.
        return self.scale * Fraction(69, 100)

    def beyond(self, distances: Floats) -> Balls:
        return _fallen(Balls(distances) / Ball.of(self.scale)) * 0.5

    def reach(self, log_tail: float) -> float:
        return -float(self.scale) * log_tail


@frozen
class StaircaseNoise(RealNoise):
    """Noise whose density falls by e^-epsilon at gamma, gamma + 1, ... times the sensitivity, on both sides of 0."""

    epsilon: Fraction
    gamma: Fraction
    sensitivity: Fraction

    def beyond(self, distances: Floats) -> Balls:
        found = [self._beyond(Fraction(float(place)) / self.sensitivity) for place in distances]
        return Balls(np.array([item.middle for item in found]), np.array([item.radius for item in found]))

    def _beyond(self, place: Fraction) -> Ball:
        """The chance of more than so many stairs, by the first density h: h (gamma + e^-epsilon/(1 - e^-epsilon)) = 1/2."""
        step = -Ball.of(self.epsilon)
        rest = exp(step) / -expm1(step)
        half = 0.5 / (Ball.of(self.gamma) + rest)
        if place < self.gamma:
            return half * (Ball.of(self.gamma - place) + rest)
        passed = (place - self.gamma) // 1
        left = Ball.of(1 - (place - self.gamma - passed))
        fallen = exp(-Ball.of(min((passed + 1) * self.epsilon, Fraction(_DEEPEST))))
        return half * fallen * (left + rest)

    def reach(self, log_tail: float) -> float:
        return float(self.sensitivity) * (2.0 - log_tail / float(self.epsilon))


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
