"""The law of a composed loss on a grid, with every error it carries, and how delta is read from it."""

from __future__ import annotations

import math

import numpy as np
from attrs import frozen

from accountant.loss.readings.arrays import Floats
from accountant.loss.readings.base import ROUNDOFF, log_largest_gain
from accountant.numbers.interval import Interval

_UNDERFLOW = 1e-320


@frozen(eq=False)
class GridLaw:
    """The law of the composed loss, tilted: entry j is the mass at loss `base + j step`, times e^(tilt loss - log_scale).

    `masses` are off by at most `error` each, beside a relative `spread`. `beyond` bounds the tilted mass above the grid,
    `wrapped` what may have been added to all entries together from outside it, and `stray` what was lost anywhere.
    `infinite_*` bound the mass at +infinity, `slack` how far any loss was displaced, and `log_doubt` the rounding of
    `log_scale`.
    """

    base: float
    step: float
    tilt: float
    log_scale: float
    log_doubt: float
    masses: Floats
    error: float
    spread: float
    beyond: float
    wrapped: float
    stray: float
    infinite_lower: float
    infinite_upper: float
    slack: float

    @property
    def size(self) -> int:
        """How many points the grid has."""
        return self.masses.size

    @property
    def peak(self) -> float:
        """The most likely tilted loss."""
        return self.base + self.step * float(np.argmax(self.masses))

    def delta_above(self, epsilon: float) -> float:
        """An upper bound on delta(epsilon).

        Below the grid, delta is convex in e^epsilon and 1 where that is 0, so it lies below the chord to the first loss.
        """
        point = epsilon - self.slack
        if point < self.base:
            fall = math.exp(max(point - self.base, -800.0)) * (1.0 - self._above(self.base))
            return min(1.0, max(0.0, 1.0 - fall * (1.0 - 8 * ROUNDOFF) + 8 * ROUNDOFF))
        return self._above(point)

    def _above(self, point: float) -> float:
        first, gains = self._gains(point)
        weights = np.maximum(self.masses[first:], 0.0) + self.error
        end = self.base + self.step * self.masses.size
        total = float(np.sum(weights * gains)) + gains.size * _UNDERFLOW + self.stray
        total += self.beyond * math.exp(min(0.0, -self.tilt * (end - point)))
        total *= 1.0 + self._rounding(gains.size)
        return min(1.0, (self._unscaled(total, point, 1.0) + self.infinite_upper) * (1.0 + 4 * ROUNDOFF))

    def delta_below(self, epsilon: float) -> float:
        """A lower bound on delta(epsilon); it is never below 1 - e^epsilon."""
        return self.band_below(epsilon).lower

    def band_below(self, epsilon: float) -> Interval:
        """A function below delta that is convex in e^epsilon, as an interval that rounding alone makes wide.

        It is the delta of masses taken down by their errors, or 1 - e^epsilon where that is larger.
        """
        point = epsilon + self.slack
        first, gains = self._gains(point)
        weights = np.maximum(self.masses[first:] - self.error, 0.0)
        # What was added from outside is so much altogether; no gain is above tilt^tilt/(1 + tilt)^(1 + tilt).
        taken = self.wrapped * min(1.0, math.exp(log_largest_gain(self.tilt)) * (1.0 + 2.0**-40))
        total = float(np.sum(weights * gains))
        rounding = self._rounding(gains.size)
        ends = []
        for direction in (-1.0, 1.0):
            left = max(0.0, total * (1.0 + direction * rounding) - taken)
            scaled = self._unscaled(left, point, direction)
            finite = (scaled + self.infinite_lower) * (1.0 + direction * 4 * ROUNDOFF)
            least = -math.expm1(min(epsilon, 0.0)) * (1.0 + direction * 4 * ROUNDOFF)
            ends.append(min(1.0, max(0.0, finite, least)))
        # Rounding the losses moves the function by as much, times a mass of at most 1.
        shift = 64 * ROUNDOFF * (1.0 + abs(self.base) + self.step * self.masses.size + abs(point))
        return Interval(ends[0], ends[1] + shift)

    def atoms(self, *, upper: bool) -> tuple[Floats, Floats, float]:
        """Losses, their masses and the mass at infinity, of a law without tilt: none too small, or none too large.

        Beside that each loss may be displaced by the slack.
        """
        assert self.tilt == 0.0
        sign = 1.0 if upper else -1.0
        losses = self.base + self.step * np.arange(self.masses.size, dtype=np.float64)
        scale = math.exp(self.log_scale + sign * self.log_doubt)
        factor = scale * max(0.0, 1.0 + sign * self._rounding(self.masses.size))
        masses: Floats = np.maximum(np.maximum(self.masses, 0.0) + sign * self.error, 0.0) * factor
        if upper:
            lost = (self.beyond + self.stray) * factor
            return losses, masses, min(1.0, (self.infinite_upper + lost) * (1.0 + 8 * ROUNDOFF))
        # What may have been added from outside is taken from the largest losses, where it would count most.
        above = np.cumsum(masses[::-1])[::-1] - masses
        taken = np.clip(self.wrapped * scale * (1.0 + 1e-9) + ROUNDOFF * masses.size - above, 0.0, masses)
        return losses, masses - taken, self.infinite_lower

    def _gains(self, point: float) -> tuple[int, Floats]:
        """e^(-tilt (L - point)) (1 - e^(point - L)) for every loss L above the point, and one or two below it as 0."""
        place = (point - self.base) / self.step
        first = math.floor(min(max(place - 1.0, 0.0), self.masses.size))
        distance = (self.base - point) + self.step * np.arange(first, self.masses.size, dtype=np.float64)
        distance = np.maximum(distance, 0.0)
        gains: Floats = -np.expm1(-distance)
        if self.tilt:
            gains *= np.exp(-self.tilt * distance)
        return first, gains

    def _rounding(self, size: int) -> float:
        """The relative error of a pairwise sum of `size` products of positive numbers, and of the tilt at rounded losses.

        A displaced loss moves the gain 1 - e^-distance as well; that is part of the slack.
        """
        reach = (self.step * self.masses.size + abs(self.base)) * (1.0 + self.tilt)
        return ROUNDOFF * (64.0 + 8.0 * math.log2(size + 2.0) + 8.0 * reach) + self.spread

    def _unscaled(self, total: float, point: float, direction: float) -> float:
        exponent = self.log_scale - self.tilt * point
        doubt = self.log_doubt + 16 * ROUNDOFF * (abs(self.log_scale) + abs(self.tilt * point) + 4.0)
        if total == 0.0:
            return 0.0
        if exponent + doubt > 700.0:
            return 1.0 if direction > 0 else 0.0
        return total * math.exp(exponent + direction * doubt)
