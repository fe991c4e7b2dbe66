"""The pairs that dominate selections: between two largest losses the density of the loss is proportional to e^(loss/2)."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from attrs import field, frozen

from accountant import Interval, PrivacyLoss, fields
from accountant.loss import Cells, Floats
from accountant.numbers.rounding import Ball, Balls, exp, expm1, log, log1p

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
        # Below 0, e^x - 1 is granted 4 and moves by no more than x, which rounds once; three of it, a product, a quotient.
        return Ball.evaluated(value, 20.0).interval(0.0, 1.0)

    def infinite_formula(self) -> Interval:
        return _NOTHING

    def supremum_formula(self) -> Interval:
        return Interval.of(self.ratio)

    def log_moment_formula(self, order: float) -> Interval | None:
        """With ends, log of ((1 + t) e^(t ratio) + t e^(-(1 + t) ratio))/(1 + 2t), t the order; without, nobody asks."""
        if not self.ends:
            return None
        ratio, more, twice = Ball.of(self.ratio), Ball(order) + 1.0, 2.0 * Ball(order) + 1.0
        turn, growth, fall = order * ratio, more / twice, order / twice
        if turn.middle > 1.0:
            return (turn + log(growth + fall * exp(-(twice * ratio)))).interval(0.0)
        return log1p(growth * expm1(turn) + fall * expm1(-(more * ratio))).interval(0.0)

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
            tolerance = Ball.rounded(0.0, 16.0, 1.0 + ratio).radius
            for place, mass in ((ratio, 0.5), (-ratio, 0.5 * math.exp(-ratio))):
                index = int(np.searchsorted(edges, place - tolerance, side="left"))
                p[index] += mass
                q[index] += mass * math.exp(min(anchors[index] - place, 0.0))
        q[0] = 0.0
        # Exponents are sums of at most four numbers up to the ratio or an anchor, each rounded; two exponentials, e^x - 1,
        # products and sums round at most 30 times beside them.
        scale = 1.0 + ratio + np.abs(anchors)
        p_error, q_error = (Balls.evaluated(mass, 32.0, mass * scale).radii for mass in (p, q))
        if not self.ends:
            # Both ends of the law are rounded, which is felt next to them: densities are at most 1/(1 - e^-ratio).
            high, low = np.searchsorted(edges, ratio), np.searchsorted(edges, -ratio, side="right")
            beside = np.unique([high, min(high + 1, edges.size), low, max(low - 1, 0)])
            moved = Ball.rounded(ratio / -math.expm1(-ratio), 2.0).radius
            p_error[beside] += moved
            q_error[beside] += moved
        return Cells(p, q, p_error, q_error, _NOTHING)
