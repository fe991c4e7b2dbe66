"""The noise of a sum of counts: discrete Gaussian to a good approximation when it is wide, and summed exactly when not."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cached_property

import numpy as np
from attrs import frozen

from accountant import Interval
from accountant.loss import Floats
from accountant.numbers.rounding import Ball
from accountant_posterior.attacks.transforms import fast_length
from accountant_posterior.attacks.whole_noise import NoiseMasses

WIDE = Fraction(1)
"""From this scale on (rho at most 1/2 for one count) a sum of discrete Gaussians is taken for one of that many times the
scale. The total variation between the two is below 1e-3 there; at a tenth of that scale it can be 0.4."""

FAINT = -570.0
"""The log of a chance below which the exact law of a sum is not followed."""

_REACH = 600
_SHORT = 2**13


@frozen
class NoiseSum:
    """The noise of the sum of `number` counts, each with discrete Gaussian noise of the same scale."""

    scale: Fraction
    number: int

    @property
    def approximated(self) -> bool:
        """Whether the sum is taken for discrete Gaussian."""
        return self.number > 1 and self.scale >= WIDE

    @cached_property
    def law(self) -> NoiseMasses:
        """The chances that the attack uses."""
        if self.number == 1 or self.approximated:
            return NoiseMasses.discrete_gaussian(self.scale * self.number)
        return self.exact

    def log_weights(self, places: Floats) -> Floats:
        """The logs of weights proportional to the chances; minus infinity where an exact law is too faint."""
        if self.number == 1 or self.approximated:
            return -(places**2) / (2.0 * float(self.scale * self.number))
        law = self.exact
        inside = np.abs(places) <= law.last
        chances = np.where(inside, law.masses[np.where(inside, places, 0.0).astype(np.int64) + law.last], 0.0)
        faint = chances < math.exp(FAINT)
        return np.where(faint, -math.inf, np.log(np.where(faint, 1.0, chances)))

    @property
    def log_error(self) -> float:
        """How far off the log of an exact chance that is not faint may be."""
        if self.number == 1 or self.approximated:
            return 0.0
        return 2.0 * (self.exact.spread + self.exact.missing * math.exp(-FAINT))

    @cached_property
    def total_variation(self) -> Interval:
        """The total variation between the exact law of the sum and the discrete Gaussian that would stand for it."""
        exact, single = self.exact, NoiseMasses.discrete_gaussian(self.scale * self.number)
        last = max(exact.last, single.last)
        difference = math.fsum(np.abs(_padded(exact, last) - _padded(single, last)))
        error = exact.spread + exact.missing + single.spread + single.missing
        return Ball.rounded(0.5 * difference, 8.0, 1.0).widened(error).interval(0.0, 1.0)

    @cached_property
    def exact(self) -> NoiseMasses:
        """The chances of the sum, added up."""
        reach = _REACH if self.scale < WIDE else 100
        single = NoiseMasses.discrete_gaussian(self.scale, reach)
        length = 2 * single.last * self.number + 1
        missing = self.number * single.missing
        if length <= _SHORT:
            masses, left, power = np.ones(1), self.number, single.masses
            while left:
                masses = np.convolve(masses, power) if left & 1 else masses
                left >>= 1
                power = np.convolve(power, power) if left else power
            # Sums of positive products: every addition rounds once.
            return NoiseMasses(masses, Ball.rounded(1.0, 2.0 * length).widened(self.number * single.spread).radius, missing)
        size = fast_length(length)
        masses = np.maximum(np.fft.irfft(np.fft.rfft(single.masses, size) ** self.number, size)[:length], 0.0)
        rounded = Ball.rounded(0.0, 8.0 * (math.log2(size) + 2.0), math.sqrt(size) * (self.number + 1)).radius
        return NoiseMasses(masses, self.number * single.spread, missing + rounded)


def _padded(noise: NoiseMasses, last: int) -> Floats:
    return np.pad(noise.masses, last - noise.last)
