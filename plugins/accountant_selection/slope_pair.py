"""The pairs that dominate selections: between two largest losses the density of the loss is proportional to e^(loss/2)."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from attrs import field, frozen

from accountant import Interval, PrivacyLoss, fields
from accountant.loss import ROUNDOFF, TINY, Cells, Floats

_ERROR = 32 * ROUNDOFF
_NOTHING = Interval.of(0)


@frozen(cache_hash=True)
class SlopePair(PrivacyLoss):
    """A symmetric pair whose loss has a density proportional to e^(l/2) between -ratio and ratio.

    Definition: without `ends` there is nothing else, and delta(e) = (1 - e^((e - ratio)/2))^2/(1 - e^-ratio). With them,
    half of P lies at +ratio and e^-ratio/2 at -ratio, and delta(e) = 1 - e^((e - ratio)/2): the pair of Laplace noise.
    """

    ratio: Fraction = field(converter=fields.exact, validator=fields.above(0))
    ends: bool

    def reverse(self) -> PrivacyLoss:
        return self

    def step(self) -> Fraction | None:
        return self.ratio if self.ends else None

    def window(self, log_tail: float) -> tuple[float, float]:
        return -float(self.ratio), float(self.ratio)

    def anchor(self) -> float:
        return float(self.ratio) if self.ends else 0.0

    def delta_formula(self, epsilon: float) -> Interval:
        point = Fraction(epsilon)
        if point >= self.ratio:
            return _NOTHING
        if point < -self.ratio:
            value = -math.expm1(epsilon)
        else:
            value = -math.expm1(float(point - self.ratio) / 2)
            value = value if self.ends else value * value / -math.expm1(-float(self.ratio))
        return Interval.around(value, value * _ERROR + TINY).clamp(0.0, 1.0)

    def infinite_formula(self) -> Interval:
        return _NOTHING

    def supremum_formula(self) -> Interval:
        return Interval.of(self.ratio)

    def log_moment_formula(self, order: float) -> Interval | None:
        """With ends, log of ((1 + t) e^(t ratio) + t e^(-(1 + t) ratio))/(1 + 2t), t the order; without, nobody asks."""
        if not self.ends:
            return None
        ratio, twice = float(self.ratio), 1.0 + 2.0 * order
        growth, fall = (1.0 + order) / twice, order / twice
        if order * ratio > 1.0:
            value = order * ratio + math.log(growth + fall * math.exp(-twice * ratio))
            return Interval.around(value, _ERROR * (1.0 + value)).clamp(0.0, math.inf)
        up, down = growth * math.expm1(order * ratio), -fall * math.expm1(-(1.0 + order) * ratio)
        return Interval.around(math.log1p(up - down), _ERROR * (up + down)).clamp(0.0, math.inf)

    def cells(self, edges: Floats) -> Cells:
        ratio = float(self.ratio)
        bounds = np.concatenate([[-ratio], np.clip(edges, -ratio, ratio), [ratio]])
        left, width = bounds[:-1], np.diff(bounds)
        anchors = np.concatenate([edges[:1], edges])
        share = -np.expm1(-0.5 * width) * (0.5 if self.ends else -1.0 / math.expm1(-ratio))
        p = np.exp(0.5 * (left + width - ratio)) * share
        # e^anchor times Q's mass; the anchor is at most the left bound, or the cell is empty.
        q = np.exp(0.5 * (left - ratio)) * share * np.exp(np.minimum(anchors - left, 0.0))
        if self.ends:
            tolerance = 16 * ROUNDOFF * (1.0 + ratio)
            for place, mass in ((ratio, 0.5), (-ratio, 0.5 * math.exp(-ratio))):
                index = int(np.searchsorted(edges, place - tolerance, side="left"))
                p[index] += mass
                q[index] += mass * math.exp(min(anchors[index] - place, 0.0))
        q[0] = 0.0
        spread = _ERROR * (1.0 + ratio + np.abs(anchors))
        return Cells(p, q, p * spread + TINY, q * spread + TINY, _NOTHING)
