"""Discrete Gaussian noise on a window of whole numbers, with a bound on all that was left out or rounded."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from attrs import frozen

from accountant import Interval, InvalidValue
from accountant.loss import Floats
from accountant.numbers.rounding import Ball

_REACH = 100
"""Noise whose chance is below e^-100 of the largest one is left out."""
_WIDEST = 2**22


@frozen(eq=False)
class NoiseMasses:
    """Chances of the noise -n, ..., n.

    Guarantee: any set of values has the sum of its `masses`, times 1 -+ `spread`, for a chance, up to `missing` for all
    that lies beyond n and all that does not scale.
    """

    masses: Floats
    spread: float
    missing: float

    @classmethod
    def discrete_gaussian(cls, scale: Fraction, reach: int = _REACH) -> NoiseMasses:
        """Chances proportional to e^(-k^2/(2 scale))."""
        last = math.isqrt(math.floor(2 * reach * scale)) + 1
        if last > _WIDEST:
            raise InvalidValue(f"noise of scale {float(scale):.3g} is too wide for this attack; at most 4e10 is followed")
        rate = float(1 / (2 * scale))
        places = np.arange(-last, last + 1, dtype=np.float64)
        exponents = rate * places**2
        weights = np.exp(-exponents)
        total = math.fsum(weights)
        # Beyond the window e^(-rate k^2) falls at least by e^(-rate (2 last + 1)) at every step.
        beyond = 2.0 * math.exp(-min(rate * (last + 1.0) ** 2, 700.0)) / -math.expm1(-rate * (2.0 * last + 1.0))
        missing = 2.0 * beyond / total
        # The exponent is rounded by 4 roundoffs of itself, the exponential by 8; the total likewise.
        spread = Ball.rounded(1.0, 8.0 * float(exponents.max()) + 64.0).widened(missing).radius
        return cls(weights / total, spread, missing)

    @property
    def last(self) -> int:
        """The largest noise of the window."""
        return len(self.masses) // 2

    def narrowed(self, last: int) -> NoiseMasses:
        """The same on a smaller window; what is left out is charged."""
        if last >= self.last:
            return self
        cut = self.last - last
        outside = math.fsum(self.masses[:cut]) + math.fsum(self.masses[-cut:])
        left_out = Ball.rounded(outside, 4.0).widened(outside * self.spread).upper
        return NoiseMasses(self.masses[cut:-cut], self.spread, Ball.rounded(self.missing + left_out).upper)

    def at_least(self, place: int) -> Interval:
        """The chance of `place` or more; the smaller side is summed."""
        if place > 0:
            return self._beyond(place)
        other = self._beyond(1 - place)
        return (1.0 - Ball.of(other)).interval(0.0, 1.0)

    def chance(self, place: int) -> Interval:
        """The chance of one value."""
        if abs(place) > self.last:
            return Interval(0.0, self.missing)
        value = float(self.masses[self.last + place])
        return Ball(value).widened(value * self.spread + self.missing).interval(0.0, 1.0)

    def _beyond(self, place: int) -> Interval:
        value = math.fsum(self.masses[self.last + place :]) if place <= self.last else 0.0
        return Ball.rounded(value, 8.0).widened(value * self.spread + self.missing).interval(0.0, 1.0)
