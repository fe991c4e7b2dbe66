"""Where on the real line a contour had better cross it."""

from __future__ import annotations

import math

from attrs import evolve, frozen


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
        curvature = self.bend + self.tilt**-2 + (1.0 + self.tilt) ** -2
        return -math.log(self.tilt) - math.log1p(self.tilt) - 0.5 * math.log(2.0 * math.pi * curvature)
