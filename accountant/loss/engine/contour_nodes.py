"""The nodes of one vertical line, with everything that a reading at any epsilon needs."""

from __future__ import annotations

import math

import numpy as np
from attrs import frozen

from accountant.loss.engine.smoothing import Smoothing
from accountant.loss.readings.arrays import Complexes, Floats
from accountant.loss.readings.base import log_images
from accountant.numbers.rounding import Ball, Balls, dot, exp, total

_PI = Ball.rounded(math.pi)
_TURNED = 20.0
"""Roundings of one term of the sum: 16 of the turn, granted to a complex exponential, and 9/4 of the product with it."""


@frozen(eq=False)
class ContourLine:
    """Weights e^(K(z) - scale)/(z (z + 1)) at the nodes z = t + i y, smoothed for the lower and for the upper end.

    Heights are whole multiples of the spacing, exactly. `error` bounds that of either sum of weights, and `turning` what
    it grows by for each unit that epsilon is off, after the sum is multiplied with `share`, the spacing over pi. What is
    left out above the last node is part of the error.
    """

    tilt: float
    heights: Floats
    weights: tuple[Complexes, Complexes]
    error: float
    turning: float
    log_scale: float
    share: Ball
    images: _Images

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
        """The line through nodes with known log moments; None where not even the scale is known.

        `tail` is in units of the moment at the tilt. Each of `beyond` is a tilt s > t with a bound on K(s) and the largest
        gain there.
        """
        if not errors[0] < 0.1:
            return None
        scale, spacing = float(values[0].real), float(heights[1])
        points = (tilt + 1j * heights).astype(np.complex128)
        # A node whose phase is lost is left out and charged in full.
        certain = errors < 0.5
        lost = 0.0 if certain.all() else _whole(points[~certain], values[~certain], errors[~certain], scale)
        points, heights = points[certain], heights[certain]
        # The first node counts half, and a half of it is exact. One factor is rounded by a sum, and both by their product.
        products = Balls.rounded(points * (points + 1.0) * np.where(heights > 0.0, 1.0, 2.0), 4.0)
        weights = exp(Balls(values[certain], errors[certain]) - scale) / products
        below, above = smoothing.factors(points)
        ends = (weights, weights) if below is above else (weights * below, weights * above)
        sizes, doubt = np.abs(ends[0].middle), ends[0].radii
        if below is not above:
            sizes, doubt = np.maximum(sizes, np.abs(ends[1].middle)), np.maximum(doubt, ends[1].radii)
        whole = total(Balls(sizes, doubt))
        # Every term is turned, and takes part in no more additions than there are terms.
        share, rounding = Ball(spacing) / _PI, Ball.rounded(0.0, _TURNED + heights.size, whole.middle)
        error = rounding.widened(whole.radius + lost) * share
        return cls(
            tilt=tilt,
            heights=heights,
            weights=(ends[0].middle, ends[1].middle),
            error=error.widened((exp(Ball(float(errors[0]))) * tail).upper).radius,
            turning=(dot(sizes, heights) * share).upper,
            log_scale=scale,
            share=share,
            images=_Images.of(tilt, spacing, beyond),
        )

    def delta(self, epsilon: float, apart: float = 0.0) -> tuple[float, float]:
        """A lower and an upper bound on delta at an epsilon, and at all that lie no farther above it than that."""
        turns = np.exp(-1j * self.heights * epsilon)
        factor = exp(self.log_scale - Ball(self.tilt) * Ball(epsilon, apart))
        moved = (Ball.rounded(0.0, 2.0, epsilon * self.turning) + Ball(apart) * self.turning).upper
        below = above = self._sum(0, turns, moved) * factor
        if self.weights[1] is not self.weights[0]:
            above = self._sum(1, turns, moved) * factor
        least = below.lower
        if least > 0.0:
            least = (Ball(least) - self._images(epsilon)).lower
        return min(1.0, max(0.0, least)), min(1.0, max(0.0, above.upper))

    def _sum(self, end: int, turns: Complexes, moved: float) -> Ball:
        """The integral for one end, and what turns may be off by: the product of epsilon and a height is rounded once."""
        value = self.share * float((self.weights[end] * turns).real.sum())
        return value.widened(moved + self.error)

    def _images(self, epsilon: float) -> float:
        """A bound on what lies a period or more away, on either side."""
        return self.images.at(epsilon)


@frozen(eq=False)
class _Images:
    """What lies a period or more away: at most `below` and e^(value - s epsilon), for each (s, value) of `beyond`."""

    below: float
    beyond: tuple[tuple[float, float], ...]

    @classmethod
    def of(cls, tilt: float, spacing: float, beyond: tuple[tuple[float, float], ...]) -> _Images:
        period = 2.0 * _PI / spacing
        left = exp(log_images((tilt * period).lower)).upper
        farther = ((s, log_images(((Ball(s) - tilt) * period).lower), value) for s, value in beyond)
        return cls(left, tuple((s, (images + value).upper) for s, images, value in farther))

    def at(self, epsilon: float) -> float:
        """A bound on all of them together."""
        _, s, value = min((value - s * epsilon, s, value) for s, value in self.beyond)
        return (exp(value - Ball(s) * epsilon) + self.below).upper


def _whole(points: Complexes, values: Complexes, errors: Floats, scale: float) -> float:
    """A bound on the sum of the sizes of nodes of which only the size is known; no factor of a smoothing is above 2."""
    sizes = exp(Balls(values.real, np.where(np.isinf(errors), 0.0, errors)) - scale) / abs(
        Balls(points) * (Balls(points) + 1.0)
    )
    return 2.0 * total(sizes).upper
