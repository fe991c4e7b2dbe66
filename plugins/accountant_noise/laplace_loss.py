"""The loss of Laplace noise on one coordinate."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Self

import numpy as np
from attrs import field, frozen

from accountant import Interval, PrivacyLoss, fields
from accountant.loss import ROUNDOFF, Cells, Complexes, Floats, Moments, expm1, log_of_moments, uniform_fall

_ERROR = 32 * ROUNDOFF
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
        return -float(self.ratio), float(self.ratio)

    def delta_formula(self, epsilon: float) -> Interval:
        """1 - e^((epsilon - ratio)/2) between the atoms."""
        point = Fraction(epsilon)
        if point >= self.ratio:
            return Interval.of(0)
        exponent = float(point - self.ratio) / 2 if point >= -self.ratio else epsilon
        value = -math.expm1(exponent)
        return Interval.around(value, value * _ERROR).clamp(0.0, 1.0)

    def analytic(self) -> type[Moments]:
        return LaplaceMoments

    def infinite_formula(self) -> Interval:
        return _NOTHING

    def log_moment_formula(self, order: float) -> Interval:
        """log of ((1 + t) e^(t ratio) + t e^(-(1 + t) ratio))/(1 + 2 t), t the order."""
        ratio = float(self.ratio)
        growth, fall = (1.0 + order) / (1.0 + 2.0 * order), order / (1.0 + 2.0 * order)
        if order * ratio > 1.0:
            value = order * ratio + math.log(growth + fall * math.exp(-(1.0 + 2.0 * order) * ratio))
            return Interval.around(value, _ERROR * (1.0 + value)).clamp(0.0, math.inf)
        up, down = growth * math.expm1(order * ratio), -fall * math.expm1(-(1.0 + order) * ratio)
        return Interval.around(math.log1p(up - down), _ERROR * (up + down)).clamp(0.0, math.inf)

    def supremum_formula(self) -> Interval:
        return Interval.of(self.ratio)

    def cells(self, edges: Floats) -> Cells:
        ratio = float(self.ratio)
        tolerance = 16 * ROUNDOFF * (1.0 + ratio)
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
        spread = _ERROR * (1.0 + ratio + np.abs(anchors))
        return Cells(p, q, p * spread + 1e-300, q * spread + 1e-300, Interval.of(0))


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
        return log_of_moments(up + down, 32 * ROUNDOFF * (np.abs(up) + np.abs(down) + turned))

    def deviations(self, tilt: float) -> Floats:
        """Half the distance of the extreme values."""
        return self.ratios[:, 0] * (1.0 + 8 * ROUNDOFF)

    def falls(self, tilt: float, height: float) -> Floats:
        """Between the atoms the tilted density is at least that at -ratio, so a part of the law is uniform."""
        ratios = self.ratios[:, 0]
        moments, errors = self.log_moments(np.array([complex(tilt)]))
        least = np.exp(-(1.0 + tilt) * ratios - moments[:, 0].real - errors[:, 0]) / 4.0
        return uniform_fall(height, 2.0 * ratios, 2.0 * ratios * least)
