"""Readings of many smooth losses at once, by a sum along a vertical line in the complex plane.

With K(z) = log E_P[e^(zL)] of the composed loss and any t > 0,

    delta(e) = (1/2 pi) integral over real y of exp(K(z) - z e)/(z (z + 1)),  z = t + i y.

The trapezoid rule with spacing h has the exact value: sum over all whole j of delta(e + j a) e^(j a t), a = 2 pi/h. All
terms are positive, so the rule is an upper end as it stands, and a lower end once the terms j != 0 are taken away: those
with j < 0 are at most e^(j a t) because delta is at most 1, those with j > 0 follow from Chernoff's bound
delta(x) <= e^(K(s) - s x) at some s > t. K adds over releases, so the cost grows with the number of distinct losses and
nodes, and not with their counts. The sum is cut where a Gaussian part has made it negligible: without one there is no such
place, and the grid serves instead. See docs/explanation/two-sided-composition.md.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from contextlib import suppress
from fractions import Fraction
from typing import Any, Protocol, Self

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from accountant.interval import Interval
from accountant.loss.base import ROUNDOFF, TINY, Floats, PrivacyLoss, log_largest_gain
from accountant.loss.gaussian import GaussianLoss
from accountant.loss.inversion import crossing

Complexes = NDArray[np.complex128]

_NEGLIGIBLE = 25.0
"""Natural logarithm of how much smaller than the answer each neglected part shall be."""
_MOST_NODES = 1024
_MOST_WORK = 2**25


class Analytic(Protocol):
    """A loss whose log moment is known in closed form off the real line, for many members of its family at once."""

    @classmethod
    def log_moments(cls, losses: Sequence[Self], counts: Floats, points: Complexes) -> tuple[Complexes, Floats]:
        """The sum over losses of count log E_P[e^(zL)] at points with positive real part, and bounds on its error."""
        ...


@frozen(eq=False)
class Contour:
    """A composed loss whose parts are all analytic and finite, one of them Gaussian."""

    families: tuple[tuple[type[Any], Sequence[Any], Floats], ...]
    damping: float
    """The variance of the Gaussian part, rounded down: the transform falls at least like e^(-damping y^2/2)."""
    size: int

    @classmethod
    def of(cls, parts: Sequence[tuple[PrivacyLoss, int]]) -> Contour | None:
        """The contour of these parts, if they have one."""
        groups: defaultdict[type[Any], list[tuple[Any, int]]] = defaultdict(list)
        for loss, count in parts:
            groups[type(loss)].append((loss, count))
        if GaussianLoss not in groups or not all(hasattr(family, "log_moments") for family in groups):
            return None
        damping = math.fsum(count * float(loss.mu_squared) for loss, count in groups[GaussianLoss])
        families = tuple(
            (family, [loss for loss, _ in members], np.array([count for _, count in members], dtype=np.float64))
            for family, members in groups.items()
        )
        return cls(families, damping * (1.0 - 8 * ROUNDOFF), len(parts))

    def log_moment(self, points: Complexes) -> tuple[Complexes, Floats]:
        """The log moment of the composed loss, and bounds on its error."""
        total, error = np.zeros(points.shape, dtype=np.complex128), np.zeros(points.shape)
        for family, losses, counts in self.families:
            value, doubt = family.log_moments(losses, counts, points)
            total = total + value
            error = error + doubt + ROUNDOFF * (np.abs(value) + np.abs(total))
        return total, error

    def _slope(self, tilt: float) -> tuple[float, float]:
        """The log moment at a real tilt and about its derivative."""
        side = 1e-6 * tilt
        value, _ = self.log_moment(np.array([complex(tilt), complex(tilt, side)]))
        return float(value[0].real), float(value[1].imag) / side

    def epsilon(self, target: Fraction) -> Interval | None:
        """The smallest epsilon with delta at most the target, or None where the sum would be too long or overflow."""
        with suppress(OverflowError):
            return self._epsilon(target)
        return None

    def delta(self, epsilon: float) -> Interval | None:
        """Delta at an epsilon, or None where the sum would be too long or overflow."""
        with suppress(OverflowError):
            return self._delta(epsilon)
        return None

    def _epsilon(self, target: Fraction) -> Interval | None:
        log_target = math.log(target.numerator) - math.log(target.denominator)
        tilt, slope = self._saddle(lambda value, slope, tilt: value - tilt * slope > log_target)
        line = self._line(tilt, slope, log_target)
        return None if line is None else crossing(line.above, line.below, target, max(slope, 1e-9))

    def _delta(self, epsilon: float) -> Interval | None:
        tilt, slope = self._saddle(lambda value, slope, tilt: slope < epsilon)
        value, _ = self._slope(tilt)
        line = self._line(tilt, max(slope, epsilon), min(0.0, value - tilt * epsilon))
        if line is None:
            return None
        upper = line.above(epsilon)
        return Interval(min(line.below(epsilon), upper), upper)

    def _saddle(self, more: Any) -> tuple[float, float]:
        """About the tilt at which a monotone condition on (log moment, slope, tilt) stops asking for more."""
        low, high = 0.0, 1.0
        while high < 2.0**40 and more(*self._slope(high), high):
            low, high = high, 2.0 * high
        while low == 0.0 and high > 0.25 and not more(*self._slope(0.5 * high), 0.5 * high):
            high *= 0.5
        for _ in range(5):
            middle = 0.5 * (low + high)
            if more(*self._slope(middle), middle):
                low = middle
            else:
                high = middle
        return high, self._slope(high)[1]

    def _line(self, tilt: float, epsilon: float, log_delta: float) -> _Line | None:
        period = (_NEGLIGIBLE - log_delta) / tilt
        rise = math.inf
        for factor in (1.2, 1.5, 2.0, 3.0):
            other = factor * tilt
            value, _error = self.log_moment(np.array([complex(other)]))
            needed = (float(value[0].real) - other * epsilon - log_delta + _NEGLIGIBLE) / (other - tilt)
            rise = min(rise, needed)
        period = max(period, rise)
        reach = math.sqrt(2.0 * (_NEGLIGIBLE + 4.0) / self.damping)
        count = math.ceil(reach * period / (2.0 * math.pi)) + 1
        if not count <= _MOST_NODES or count * self.size > _MOST_WORK:
            return None
        return _Line.of(self, tilt, 2.0 * math.pi / period, count)


@frozen(eq=False)
class _Line:
    """The nodes of one line, with everything a reading at any epsilon needs."""

    tilt: float
    spacing: float
    heights: Floats
    weights: Complexes
    sizes: Floats
    doubts: Floats
    log_scale: float
    log_doubt: float
    tail: float
    beyond: tuple[tuple[float, float], ...]

    @classmethod
    def of(cls, contour: Contour, tilt: float, spacing: float, count: int) -> _Line:
        heights = spacing * np.arange(count + 1, dtype=np.float64)
        points: Complexes = (tilt + 1j * heights).astype(np.complex128)
        values, errors = contour.log_moment(points)
        scale = float(values[0].real)
        weights: Complexes = np.exp(values - scale) / (points * (points + 1.0))
        weights[0] *= 0.5
        last = float(heights[-1])
        tail = math.exp(-0.5 * contour.damping * last * last) / (math.pi * last) * (1.0 + 1e-9)
        others = np.array([complex(factor * tilt) for factor in (1.2, 1.5, 2.0, 3.0)])
        moments, moment_errors = contour.log_moment(others)
        return cls(
            tilt,
            spacing,
            heights,
            weights,
            np.abs(weights) + TINY,
            errors + errors[0] + 64 * ROUNDOFF * (1.0 + np.abs(values - scale)),
            scale,
            float(errors[0]),
            tail,
            tuple(
                (float(s.real), float(m.real) + float(e) + log_largest_gain(float(s.real)))
                for s, m, e in zip(others, moments, moment_errors, strict=True)
            ),
        )

    def _sum(self, epsilon: float) -> tuple[float, float, float]:
        """The trapezoid sum over e^(log_scale - tilt epsilon), a bound on its error, and that scale's logarithm."""
        total = float(np.sum((self.weights * np.exp(-1j * self.heights * epsilon)).real))
        turning = 8 * ROUNDOFF * np.abs(self.heights * epsilon)
        error = float(np.sum(self.sizes * (np.expm1(np.minimum(self.doubts, 700.0)) + turning + 64 * ROUNDOFF)))
        error += ROUNDOFF * (8.0 + self.heights.size) * float(np.sum(self.sizes))
        factor = self.spacing / math.pi
        return factor * total, factor * error * (1.0 + 1e-9) + self.tail, self.log_scale - self.tilt * epsilon

    def _doubt(self, epsilon: float) -> float:
        return self.log_doubt + 16 * ROUNDOFF * (4.0 + abs(self.log_scale) + abs(self.tilt * epsilon))

    def above(self, epsilon: float) -> float:
        """An upper bound on delta."""
        total, error, exponent = self._sum(epsilon)
        exponent += self._doubt(epsilon)
        return 1.0 if exponent > 700.0 else min(1.0, max(0.0, total + error) * math.exp(exponent) + TINY)

    def below(self, epsilon: float) -> float:
        """A lower bound on delta; it is never below 1 - e^epsilon."""
        total, error, exponent = self._sum(epsilon)
        least = max(0.0, -math.expm1(epsilon) * (1.0 - 8 * ROUNDOFF))
        exponent -= self._doubt(epsilon)
        if exponent > 700.0 or total <= error:
            return least
        period = 2.0 * math.pi / self.spacing
        left = 1.0 / math.expm1(min(700.0, self.tilt * period * (1.0 - 8 * ROUNDOFF)))
        right = min(
            math.exp(min(700.0, value - other * epsilon)) / math.expm1(min(700.0, (other - self.tilt) * period * 0.999999))
            for other, value in self.beyond
        )
        images = (left + right) * (1.0 + 1e-9)
        return max(least, (total - error) * math.exp(exponent) * (1.0 - 8 * ROUNDOFF) - images)
