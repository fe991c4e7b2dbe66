"""The nodes of one vertical line, with everything that a reading at any epsilon needs."""

from __future__ import annotations

import math

import numpy as np
from attrs import frozen

from accountant.loss.engine.smoothing import Smoothing
from accountant.loss.readings.arrays import Complexes, Floats
from accountant.loss.readings.base import ROUNDOFF, TINY, image_sum


@frozen(eq=False)
class ContourLine:
    """Weights e^(K(z) - K(t))/(z (z + 1)) at the nodes z = t + i y, smoothed for the lower and for the upper end.

    `error` bounds that of either sum of weights, and `turning` what it grows by for each rounding of epsilon.
    `tail` bounds what is left out above the last node. Each of `beyond` is a tilt s > t with a bound on K(s) and the
    largest gain there, for what lies a period or more above.
    """

    tilt: float
    spacing: float
    heights: Floats
    weights: tuple[Complexes, Complexes]
    error: float
    turning: float
    log_scale: float
    log_doubt: float
    tail: float
    beyond: tuple[tuple[float, float], ...]

    @classmethod
    def of(
        cls,
        tilt: float,
        heights: Floats,
        values: Complexes,
        errors: Floats,
        smoothing: Smoothing,
        tail: float,
        beyond: tuple[tuple[float, float], ...],
    ) -> ContourLine | None:
        """The line through nodes with known log moments; None where not even the scale is known."""
        if not errors[0] < 0.1:
            return None
        points = (tilt + 1j * heights).astype(np.complex128)
        scale = float(values[0].real)
        products = points * (points + 1.0)
        doubts = errors + errors[0] + 64 * ROUNDOFF * (1.0 + np.abs(values - scale))
        # A node whose phase is lost is left out and charged in full.
        certain = doubts < 0.5
        weights = np.zeros(heights.shape, dtype=np.complex128)
        weights[certain] = np.exp(values[certain] - scale) / products[certain]
        weights[0] *= 0.5
        below, above, blur = smoothing.factors(points)
        most = np.exp(values.real + np.where(np.isinf(errors), 0.0, errors) - scale + float(errors[0]))
        lost = 2.1 * float(np.sum(np.where(certain, 0.0, most / np.abs(products))))
        relative = np.expm1(np.where(certain, doubts, 0.0)) + blur + ROUNDOFF * (72.0 + heights.size)
        sizes = np.abs(weights) * np.maximum(np.abs(below), np.abs(above))
        return cls(
            tilt=tilt,
            spacing=float(heights[1]),
            heights=heights,
            weights=(weights * below,) * 2 if below is above else (weights * below, weights * above),
            error=float(sizes @ relative) + lost + heights.size * TINY,
            turning=float(sizes @ heights),
            log_scale=scale,
            log_doubt=float(errors[0]),
            tail=tail,
            beyond=beyond,
        )

    def delta(self, epsilon: float) -> tuple[float, float]:
        """A lower and an upper bound on delta."""
        turns = np.exp(-1j * self.heights * epsilon)
        below = above = float(np.sum((self.weights[0] * turns).real))
        if self.weights[1] is not self.weights[0]:
            above = float(np.sum((self.weights[1] * turns).real))
        error = self.error + 8 * ROUNDOFF * abs(epsilon) * self.turning
        exponent = self.log_scale - self.tilt * epsilon
        doubt = self.log_doubt + 16 * ROUNDOFF * (4.0 + abs(self.log_scale) + abs(self.tilt * epsilon))
        factor = self.spacing / math.pi
        below, above, error = factor * below, factor * above, factor * error * (1.0 + 1e-9) + self.tail
        upper = 1.0 if exponent + doubt > 700.0 else max(0.0, above + error) * math.exp(exponent + doubt) + TINY
        if exponent - doubt > 700.0 or below <= error:
            return 0.0, min(1.0, upper)
        least = (below - error) * math.exp(exponent - doubt) * (1.0 - 8 * ROUNDOFF) - self._images(epsilon)
        return min(1.0, max(0.0, least)), min(1.0, upper)

    def _images(self, epsilon: float) -> float:
        """A bound on what lies a period or more away, on either side."""
        period = 2.0 * math.pi / self.spacing
        left = image_sum(0.0, self.tilt * period * 0.999999)
        beyond = (
            image_sum(value - other * epsilon, (other - self.tilt) * period * 0.999999) for other, value in self.beyond
        )
        return (left + min(beyond)) * (1.0 + 1e-9)
