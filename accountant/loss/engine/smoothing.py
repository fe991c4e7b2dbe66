"""Means of delta over short stretches of epsilon, which are easier to integrate and lie on known sides of it.

Delta falls and is convex in x = e^epsilon. Let B be the law of the sum of three uniform variables on (0, width), and
E = (e^width - 1)^3/width^3 the mean of e^s under it.

- Above: the mean of delta(epsilon + s - b) under B with b = log E has e^epsilon as its mean of x, so by Jensen it is at
  least delta.
- Below: delta(epsilon) is at least 1 + k times the mean of delta(epsilon + s) less k times that of delta(epsilon + s + c),
  for c = 3 width and k such that (1 + k) E - k E e^c = 1. The point less these means has no mass and no first moment in x,
  and is positive, then negative, then positive as x grows. Its first antiderivative changes sign once, its second therefore
  rises and falls back to zero: it is not negative, and neither is its integral against any convex function.

Along a line both means are the integral for delta times a factor that falls like the cube of the height, and both are
off by the square of the width only.
"""

from __future__ import annotations

import math

import numpy as np
from attrs import frozen

from accountant.loss.readings.arrays import Complexes, Floats
from accountant.numbers.rounding import Ball, Balls, exp, expm1

_LOG_TWO = Ball.rounded(math.log(2.0), 60.0, 750.0).upper
"""log 2, and what three times the difference of two logarithms of doubles, granted 8 roundings each, can be off by."""


@frozen
class Smoothing:
    """Means over three stretches of a width each; a width of 0 is none at all."""

    width: float

    @classmethod
    def for_delta(cls, tilt: float, precision: float) -> Smoothing:
        """The widest that leaves delta precise where it falls like e^(-tilt epsilon): the lower mean is off by more.

        That one has second moment -13/2 width^2, by which it misses delta relatively.
        """
        return cls(min(math.sqrt(precision / 13.0) / (tilt + 1.0), 0.25))

    def factors(self, points: Complexes) -> tuple[Balls, Balls]:
        """By what the means below and above multiply the integrand."""
        if self.width == 0.0:
            ones = Balls(np.ones(points.shape, dtype=np.complex128))
            return ones, ones
        # A shift back and a gap that are a little too large, and a share that is a little too small, keep either mean on
        # its side.
        width, gap, places = self.width, (Ball(self.width) * 3.0).upper, Balls(points)
        growth = 3.0 * _log_mean(width)
        back = growth.upper
        share = (expm1(growth) / (exp(growth) * expm1(Ball(gap)))).lower
        turns = places * width
        box = -expm1(-turns) / turns
        cube = box * box * box
        below = cube * -(exp(places * -gap) * share - (Ball(share) + 1.0))
        return below, cube * exp(places * back)

    def log_fall(self, heights: Floats) -> Floats:
        """A bound on the logarithm of the size of either factor, at all heights from each on."""
        if self.width == 0.0:
            return np.zeros(heights.shape)
        # The shift back adds less than a factor of e^(2 tilt width) < 2, and the two means below one of 1 + 2 share < 2.
        return _LOG_TWO + 3.0 * np.minimum(math.log(2.0 / self.width) - np.log(heights), 0.0)


def _log_mean(width: float) -> Ball:
    """log((e^w - 1)/w) for w up to 1/4, by its series: signs alternate, so that the first term left out bounds the rest."""
    whole = Ball(width)
    square = whole * whole
    series = 1.0 / Ball(181440.0) - square / 9676800.0
    series = 1.0 / Ball(24.0) - square * (1.0 / Ball(2880.0) - square * series)
    return whole * (whole * series + 0.5).widened(2.1e-9 * width**9)
