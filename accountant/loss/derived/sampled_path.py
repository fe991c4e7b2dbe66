"""How fast moments of Gaussian noise on a Poisson sample fall far up their line: the path of outcomes is moved.

The moment at z = t + i y is the integral of a(x)^(1 + z) beside the normal density, a = 1 - rate + rate e^(u x - u^2/2).
From some outcome on let the path leave the real line for x + i s(x), with s rising from 0 and u s at most pi/2. On it |a|
is at most a(x), the normal density grows by e^(s^2/2), and the angle of a is at least its sine, which is at least the share
of the taken record in a(x) times sin(u s). So the integrand falls like e^(-y share sin(u s)), by more the farther up y is,
wherever the record is seen. Where the law is cut off the path returns straight to the real line.
"""

from __future__ import annotations

import math

import numpy as np
from attrs import frozen

from accountant.loss.readings.arrays import Floats
from accountant.numbers.rounding import Ball, Balls, dot, exp, log1p, lowered, sqrt

_SHIFTS = (0.15, 0.3, 0.6, 1.0)
_STEEPEST = 1.5
"""No angle along a path is more than this, which is less than a quarter of a turn."""
_SEEN = (0.1, 0.3, 1.0, 3.0)
"""About by what the integrand falls where paths reach their full height."""
_SLOPE = 1.0


@frozen(eq=False)
class MovedPaths:
    """A tilted law between outcomes: bounds on the chance of each cell, and the record's share at its left end."""

    move: float
    edges: Floats
    most: Floats
    least: Floats
    shares: Floats
    doubt: float
    """How often shares are rounded."""
    first: float
    last: float
    """Bounds on the tilted density where the law is cut off."""

    def fall(self, height: float) -> float:
        """An upper bound on the logarithm of the size of the transform at all heights from this one on."""
        return min((self._along(shift, seen, height) for shift in _SHIFTS for seen in _SEEN), default=0.0)

    def drop(self, height: float, shares: Floats, sines: Floats | float) -> Floats:
        """By what the logarithm of the integrand falls at least, from sines of angles that are rounded twice."""
        # A sine is granted 8 roundings, and there are two products.
        return lowered(height * shares * sines, self.doubt + 12.0)

    def back(self, height: float, shift: float) -> Ball:
        """What the way back to the real line adds at the end of the law, but for the growth of the density along it.

        Up to an angle c the sine of an angle is at least sin(c)/c of it, so that the integrand falls like an exponential.
        """
        steep = lowered(height * float(self.shares[-1]) * math.sin(self.move * shift), self.doubt + 12.0)
        return Ball(self.last) * shift * min(1.0, (1.0 / Ball(steep)).upper)

    def _along(self, shift: float, seen: float, height: float) -> float:
        """The bound along one path, which leaves the real line a little before the record is seen."""
        shift = min(shift, _STEEPEST / self.move)
        start = int(np.searchsorted(self.shares * height * math.sin(self.move * shift), seen))
        if start >= self.shares.size:
            return 0.0
        start = int(np.searchsorted(self.edges, self.edges[start] - shift / _SLOPE))
        heights = np.minimum(_SLOPE * (self.edges[start:] - self.edges[start]), shift)
        drop = self.drop(height, self.shares[start:], np.sin(self.move * heights[:-1]))
        rises = np.diff(heights) > 0.0
        stretch = np.where(rises, sqrt(1.0 + Ball(_SLOPE) * _SLOPE).upper, 1.0)
        rise = 0.5 * heights[1:] ** 2
        grown = exp(Balls.rounded(rise - drop, 4.0, rise + drop)) * stretch
        gains = (grown - 1.0).upper
        more, less = dot(np.maximum(gains, 0.0), self.most[start:]), dot(np.maximum(-gains, 0.0), self.least[start:])
        total = (more + exp(Ball.rounded(0.5 * shift * shift)) * self.back(height, shift) - less).upper
        return log1p(Ball(max(total, -0.999))).upper if total < 0.0 else 0.0
