"""What bounds on data say about their moments, and about lines fitted to them."""

from __future__ import annotations

import math

from attrs import frozen

from accountant import InvalidValue


def largest_variance(mean: float) -> float:
    """The largest variance of a law on [0, 1] with this mean, m (1 - m), attained by a coin."""
    return mean * (1.0 - mean)


def mean_range(variance: float) -> tuple[float, float]:
    """The means that a law on [0, 1] with this variance can have, 1/2 -+ sqrt(1/4 - v)."""
    if not 0.0 <= variance <= 0.25:
        raise InvalidValue(f"a law on [0, 1] has a variance between 0 and 1/4, got {variance!r}")
    half = math.sqrt(0.25 - variance)
    return 0.5 - half, 0.5 + half


def largest_sample_variance(mean: float, count: int) -> float:
    """The largest variance, with divisor n - 1, of n values in [0, 1] with this mean: n m (1 - m)/(n - 1)."""
    _several(count)
    return count / (count - 1) * largest_variance(mean)


def sample_mean_range(variance: float, count: int) -> tuple[float, float]:
    """The means that n values in [0, 1] with this variance, with divisor n - 1, can have."""
    _several(count)
    return mean_range((count - 1) / count * variance)


def _several(count: int) -> None:
    if count < 2:
        raise InvalidValue(f"a variance needs at least 2 values, got {count}")


@frozen
class RegressionMoments:
    """Sums over n pairs in [0, 1] x [0, 1] that a line is fitted from."""

    count: int
    x: float
    y: float
    xx: float
    yy: float
    xy: float

    @property
    def feasible(self) -> bool:
        """Whether the necessary conditions hold: sums of squares below sums, and no negative sum of squares of x, y, 1.

        Data that exist satisfy them. The last one is that the matrix of all products is positive semidefinite.
        """
        within = 0.0 <= self.xx <= self.x <= self.count and 0.0 <= self.yy <= self.y <= self.count
        return within and 0.0 <= self.xy <= min(self.x, self.y) and self._semidefinite

    @property
    def _semidefinite(self) -> bool:
        spread_x = self.count * self.xx - self.x**2
        spread_y = self.count * self.yy - self.y**2
        together = self.count * self.xy - self.x * self.y
        # Sums that fit exactly, as those of points on a line do, may miss zero by rounding.
        scale = max(1.0, float(self.count) ** 4)
        return min(spread_x, spread_y, spread_x * spread_y - together**2) >= -1e-12 * scale


def line_possible(intercept: float, slope: float) -> bool:
    """Whether some x in [0, 1] has a mean in [0, 1] on this line: necessary for data in the unit square."""
    return -slope <= intercept <= 1.0 if slope >= 0.0 else 0.0 <= intercept <= 1.0 - slope


def line_within(intercept: float, slope: float) -> bool:
    """Whether the whole line over [0, 1] stays in [0, 1], which is more than data in the unit square require."""
    return 0.0 <= intercept <= 1.0 and 0.0 <= intercept + slope <= 1.0
