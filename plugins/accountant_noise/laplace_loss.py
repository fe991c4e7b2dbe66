"""The loss of Laplace noise on one coordinate."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Self

import numpy as np
from attrs import field, frozen

from accountant import Interval, PrivacyLoss, fields
from accountant.loss import Cells, Complexes, Floats, Moments, expm1, log_of_moments, uniform_fall
from accountant.numbers.rounding import Ball, Balls, exp, expm1 as expm1_of, log, log1p

_CLOSE = 16.0
"""Edges within so many roundings of an atom, as a share of 1 + ratio, count as lying on it."""
_NOTHING = Interval.of(0)


@frozen(cache_hash=True)
class LaplaceLoss(PrivacyLoss):
    """The loss of Laplace noise when the answer moves by `ratio` scales.

    Definition: half the mass of P at +ratio, e^-ratio/2 at -ratio, and the density e^((l - ratio)/2)/4 in between.
    """

    ratio: Fraction = field(converter=fields.exact, validator=fields.above(0), eq=Fraction.as_integer_ratio)

    def reverse(self) -> PrivacyLoss:
        return self

    def step(self) -> Fraction | None:
        return self.ratio

    def window(self, log_tail: float) -> tuple[float, float]:
        ratio = float(self.ratio)
        return -ratio, ratio

    def delta_formula(self, epsilon: float) -> Interval:
        """1 - e^((epsilon - ratio)/2) between the atoms."""
        point = Fraction(epsilon)
        if point >= self.ratio:
            return Interval.of(0)
        exponent = float(point - self.ratio) / 2 if point >= -self.ratio else epsilon
        # The exponent is rounded once, which below 0 moves e^x - 1 by no more, and that is granted four.
        return Ball.rounded(-math.expm1(exponent), 5.0).interval(0.0, 1.0)

    def analytic(self) -> type[Moments]:
        return LaplaceMoments

    def infinite_formula(self) -> Interval:
        return _NOTHING

    def log_moment_formula(self, order: float) -> Interval:
        """log of ((1 + t) e^(t ratio) + t e^(-(1 + t) ratio))/(1 + 2 t), t the order."""
        ratio, more, twice = Ball.of(self.ratio), Ball(order) + 1.0, 2.0 * Ball(order) + 1.0
        turn, growth, fall = order * ratio, more / twice, order / twice
        if turn.middle > 1.0:
            return (turn + log(growth + fall * exp(-(twice * ratio)))).interval(0.0)
        return log1p(growth * expm1_of(turn) + fall * expm1_of(-(more * ratio))).interval(0.0)

    def supremum_formula(self) -> Interval:
        return Interval.of(self.ratio)

    def cells(self, edges: Floats) -> Cells:
        ratio = float(self.ratio)
        tolerance = Ball.rounded(0.0, _CLOSE, 1.0 + ratio).radius
        inner = np.clip(edges, -ratio, ratio)
        bounds = np.concatenate([[-ratio], inner, [ratio]])
        left, width = bounds[:-1], np.diff(bounds)
        anchors = np.concatenate([edges[:1], edges])
        share = -0.5 * np.expm1(-0.5 * width)
        p = np.exp(0.5 * (left + width - ratio)) * share
        # e^anchor times Q's mass; the anchor is at most the left bound, or the cell is empty.
        q = np.exp(0.5 * (left - ratio)) * share * np.exp(np.minimum(anchors - left, 0.0))
        for place, mass in ((ratio, 0.5), (-ratio, 0.5 * math.exp(-ratio))):
            index = int(np.searchsorted(edges, place - tolerance, side="left"))
            p[index] += mass
            q[index] += mass * math.exp(min(anchors[index] - place, 0.0))
        q[0] = 0.0
        # Exponents are sums of at most four numbers up to the ratio or an anchor, each rounded; two exponentials, e^x - 1,
        # products and sums round at most 30 times beside them. That the ends are rounded is felt where the atoms are.
        scale = 1.0 + ratio + np.abs(anchors)
        p_error, q_error = (Balls.evaluated(mass, 32.0, mass * scale).radii for mass in (p, q))
        return Cells(p, q, p_error, q_error, Interval.of(0))


@frozen(eq=False)
class LaplaceMoments(Moments):
    """The log moment formula at complex orders, as log(1 + w) so that small ratios lose nothing."""

    ratios: Floats

    @classmethod
    def of(cls, losses: Sequence[LaplaceLoss]) -> Self:
        return cls(np.array([float(loss.ratio) for loss in losses])[:, None])

    @property
    def work(self) -> int:
        return self.ratios.size

    def log_moments(self, points: Complexes) -> tuple[Complexes, Floats]:
        if float(points.real.max()) * float(self.ratios.max()) > 300.0:
            raise OverflowError("a Laplace ratio times the order is too large")
        up = (1.0 + points) / (1.0 + 2.0 * points) * expm1(points * self.ratios)
        down = points / (1.0 + 2.0 * points) * expm1(-(1.0 + points) * self.ratios)
        turned = np.abs(points) * self.ratios * np.exp(points.real * self.ratios)
        # e^z - 1 is granted 16 of its size and 4 of what its exponent turns; three products, a quotient and a sum follow.
        return log_of_moments(up + down, Balls.rounded(up, 32.0, np.abs(up) + np.abs(down) + turned).radii)

    def deviations(self, tilt: float) -> Floats:
        """Half the distance of the extreme values."""
        return Balls.rounded(self.ratios[:, 0]).upper

    def falls(self, tilt: float, height: float) -> Floats:
        """Between the atoms the tilted density is at least that at -ratio, so a part of the law is uniform."""
        ratios = self.ratios[:, 0]
        moments, errors = self.log_moments(np.array([complex(tilt)]))
        least = np.exp(-(1.0 + tilt) * ratios - moments[:, 0].real - errors[:, 0]) / 4.0
        return uniform_fall(height, 2.0 * ratios, 2.0 * ratios * least)
