"""Sums over all masses of a law on a grid above a point, for points that are asked for one after another.

Every gain e^(-tilt d) (1 - e^-d) at a distance d is a difference of two exponentials, and an exponential of a distance is
one up to the end of a block of masses times one from there on. So all masses above a block are summed once, and a point
takes one pass over its own block only. The difference loses digits where all distances are next to nothing: then every
term is added up by itself.
"""

from __future__ import annotations

import math

import numpy as np
from attrs import frozen

from accountant.loss.readings.arrays import Floats
from accountant.numbers.rounding import Ball, dot, exp

_SHORT = 1024
_SHARP = 2.0**-34
"""As a share of a sum, how far it may be off before every term is added up by itself."""


@frozen(eq=False)
class Tails:
    """Weights, none of them negative, at distances that grow by a step, and their sums from the end of each block on."""

    weights: Floats
    step: float
    tilt: float
    block: int
    above: tuple[tuple[float, ...], tuple[float, ...]]
    """From each block on, the sums of weights that fall like e^(-tilt d) and like e^(-(1 + tilt) d)."""
    times: float
    """Roundings of such a sum."""

    @classmethod
    def of(cls, weights: Floats, step: float, tilt: float) -> Tails:
        block = max(_SHORT, math.isqrt(weights.size))
        rows = -(-weights.size // block)
        filled = np.zeros(rows * block)
        filled[: weights.size] = weights
        table, distances = filled.reshape(rows, block), step * np.arange(block, dtype=np.float64)
        above = tuple(_from_each(table @ np.exp(-rate * distances), -rate * step * block) for rate in (tilt, 1.0 + tilt))
        # A term takes part in the sum of its block and of each block before it. There it is multiplied with one more
        # exponential, granted 8 roundings. Exponents round three times by no more than they are together.
        reach = (1.0 + tilt) * step * weights.size
        return cls(weights, step, tilt, block, (above[0], above[1]), block + 12.0 * rows + 4.0 * reach + 32.0)

    def total(self, first: int, distance: float) -> Ball:
        """The sum over all weights from the first on, which has such a distance; gains below 0 count as 0."""
        row = first // self.block + 1
        stop = row * self.block
        if stop + self.block >= self.weights.size:
            return self._direct(first, self.weights.size, distance)
        # What is between two places is a multiple of the step.
        near, gap = self._direct(first, stop, distance), distance + self.step * (stop - first)
        if gap <= 0.0:
            return self._direct(first, self.weights.size, distance)
        slow, fast = (Ball.evaluated(sums[row], self.times) for sums in self.above)
        far = exp(Ball.rounded(-self.tilt * gap)) * (slow - exp(Ball(-gap)) * fast)
        whole = near + far
        if whole.radius > _SHARP * whole.middle:
            return self._direct(first, self.weights.size, distance)
        return whole

    def _direct(self, first: int, stop: int, distance: float) -> Ball:
        """The sum over some of the weights, term by term."""
        distances = np.maximum(distance + self.step * np.arange(stop - first, dtype=np.float64), 0.0)
        gains = -np.expm1(-distances)
        if self.tilt:
            gains *= np.exp(-self.tilt * distances)
        weights = self.weights[first:stop]
        if gains.size > _SHORT:
            return dot(weights, gains)
        # Each product rounds, and takes part in no more additions than there are others.
        return Ball.evaluated(float(weights @ gains), gains.size)


def _from_each(sums: Floats, log_fall: float) -> tuple[float, ...]:
    """Sums from each block on, from those within blocks: what is a block farther is so much smaller."""
    fall, total, found = math.exp(log_fall), 0.0, []
    for within in reversed(sums.tolist()):
        total = within + fall * total
        found.append(total)
    return tuple(reversed(found))
