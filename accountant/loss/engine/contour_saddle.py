"""Where on the real line a contour had better cross it."""

from __future__ import annotations

import math
from collections.abc import Callable

from attrs import evolve, frozen

_STEPS, _FAR = 8, 16.0
"""How often a guess of a tilt is improved, and how far from a known one it may lie."""


@frozen
class Saddle:
    """The log moment at a real tilt, and about its first two derivatives."""

    tilt: float
    value: float
    error: float
    slope: float
    bend: float
    aim: tuple[float, float] | None = None
    """Another epsilon that is read here, and the logarithm of about what delta is there."""

    def aimed(self, epsilon: float, log_delta: float) -> Saddle:
        """The same tilt for a reading elsewhere."""
        return evolve(self, aim=(epsilon, log_delta))

    def close(self, low: float, high: float) -> bool:
        """Whether tilts are so close together that either serves all readings between them."""
        return (high - low) ** 2 * self.bend < 9.0

    def tilt_at(self, epsilon: float) -> float:
        """About where the integrand is flat at another epsilon."""
        return self._followed(lambda there: there.tilt + (epsilon - there.epsilon) / there._curvature)

    def tilt_to(self, log_delta: float) -> float:
        """About where delta is e^log_delta at the epsilon that is served: it falls with the square of the tilt."""

        def closer(there: Saddle) -> float:
            return math.sqrt(max(there.tilt**2 + 2.0 * (there.log_delta - log_delta) / there._curvature, 0.0))

        return self._followed(closer)

    def _followed(self, closer: Callable[[Saddle], float]) -> float:
        """Where steps come to rest along a log moment that is taken for a parabola."""
        there, farthest = self, _FAR * self.tilt
        for _ in range(_STEPS):
            tilt = min(max(closer(there), self.tilt / _FAR), farthest)
            if abs(tilt - there.tilt) < 0.01 * tilt:
                break
            there = self._moved(tilt)
        return tilt

    def _moved(self, tilt: float) -> Saddle:
        apart = tilt - self.tilt
        value = self.value + apart * (self.slope + 0.5 * apart * self.bend)
        return Saddle(tilt, value, self.error, self.slope + apart * self.bend, self.bend)

    @property
    def _curvature(self) -> float:
        return self.bend + self.tilt**-2 + (1.0 + self.tilt) ** -2

    @property
    def epsilon(self) -> float:
        """Where the integrand is flat at this tilt: the reading it serves best, unless it is aimed elsewhere."""
        return self.aim[0] if self.aim is not None else self.slope - 1.0 / self.tilt - 1.0 / (1.0 + self.tilt)

    @property
    def log_delta(self) -> float:
        """About delta there, by Laplace's method."""
        return self.log_size - self.tilt * self.epsilon + self.value

    @property
    def log_size(self) -> float:
        """About the integral over the line, in units of the moment."""
        if self.aim is not None:
            return self.aim[1] - self.value + self.tilt * self.aim[0]
        return -math.log(self.tilt) - math.log1p(self.tilt) - 0.5 * math.log(2.0 * math.pi * self._curvature)
