"""The loss of a mechanism that sees each record with some chance only: Poisson sampling."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from attrs import field, frozen

from accountant.fields import above, at_most, exact
from accountant.interval import Interval
from accountant.loss.base import ROUNDOFF, TINY, Cells, Floats, PrivacyLoss

_ERROR = 64 * ROUNDOFF
_FARTHEST = 690.0


@frozen
class SampledLoss(PrivacyLoss):
    """The loss of (1 - rate) Q + rate P against Q, where (P, Q) is the pair of `base`: a record is there or not.

    Definition: with L the loss of `base`, the new one is log(1 - rate + rate e^L). `swapped` exchanges the two laws, so that
    the record is absent under the first.
    """

    base: PrivacyLoss
    rate: Fraction = field(converter=exact, validator=[above(0), at_most(1)])
    swapped: bool = False

    def reverse(self) -> PrivacyLoss:
        return SampledLoss(self.base, self.rate, not self.swapped)

    def dominating(self) -> PrivacyLoss:
        return SampledLoss(self.base.dominating(), self.rate, self.swapped)

    def dominated(self) -> PrivacyLoss:
        return SampledLoss(self.base.dominated(), self.rate, self.swapped)

    def _lift(self, loss: float) -> float:
        """log(1 - rate + rate e^loss)."""
        rate = float(self.rate)
        if loss > 30.0:
            return loss + math.log(rate) + math.log1p((1.0 - rate) / rate * math.exp(-loss))
        return math.log1p(rate * math.expm1(loss)) if rate < 1.0 else loss

    def window(self, log_tail: float) -> tuple[float, float]:
        low = self._lift(-self.base.reverse().window(log_tail)[1])
        if not self.swapped:
            return low, self._lift(self.base.window(log_tail)[1])
        high = self._lift(-self.base.reverse().window(log_tail)[0])
        return -high, -low

    def delta_formula(self, epsilon: float) -> Interval:
        """A multiple of the base's delta at a shifted epsilon: for every event the two differences are proportional."""
        rate = self.rate
        if self.swapped:
            return self._delta_swapped(epsilon)
        if epsilon > 700.0:
            return Interval(0.0, self._delta_at(700.0).upper)
        rest = Fraction(math.expm1(epsilon)) + rate
        if rest <= 0:
            return Interval.around(-math.expm1(epsilon), _ERROR)
        return self._scaled(self.base, Interval.of(rate), _log_ratio(rest, rate, math.expm1(epsilon)))

    def _delta_swapped(self, epsilon: float) -> Interval:
        rate = self.rate
        if epsilon < -700.0:
            return Interval(0.0, 1.0)
        kept = 1 - Fraction(math.exp(min(epsilon, 700.0))) * (1 - rate)
        if kept <= 0:
            doubt = 8 * ROUNDOFF * math.exp(min(epsilon, 700.0))
            return Interval(0.0, doubt) if -kept <= Fraction(doubt) else Interval.of(0)
        factor = Interval.around(float(kept), _ERROR).clamp(0.0, 1.0)
        shifted = Fraction(math.exp(epsilon)) * rate
        return self._scaled(self.base.reverse(), factor, _log_ratio(shifted, kept, 1.0 - float(kept)))

    def _scaled(self, loss: PrivacyLoss, factor: Interval, point: Interval) -> Interval:
        upper = math.nextafter(factor.upper * loss.delta(point.lower).upper, math.inf)
        lower = math.nextafter(factor.lower * loss.delta(point.upper).lower, 0.0)
        return Interval(min(lower, upper), upper).clamp(0.0, 1.0)

    def supremum_formula(self) -> Interval:
        side = self.base.reverse() if self.swapped else self.base
        top = side.supremum()
        if not self.swapped:
            return _widened(self._lift(top.lower), self._lift(top.upper)) if top.upper < math.inf else top
        if self.rate == 1:
            return top
        limit = -math.log1p(-float(self.rate))
        return _widened(-self._lift(-top.lower) if top.lower < math.inf else limit, -self._lift(-top.upper))

    def infinite_formula(self) -> Interval:
        if not self.swapped:
            mass = self.base.infinite()
            rate = float(self.rate)
            return _widened(mass.lower * rate, mass.upper * rate).clamp(0.0, 1.0)
        return self.base.reverse().infinite() if self.rate == 1 else Interval.of(0)

    def cells(self, edges: Floats) -> Cells:
        return self._absent(edges) if self.swapped else self._present(edges)

    def _lowered(self, edges: Floats) -> Floats:
        """The losses of the base that become these: the inverse of `_lift`; -infinity where there are none."""
        rate = float(self.rate)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            near = np.log((np.expm1(np.minimum(edges, 30.0)) + rate) / rate)
            far = edges - math.log(rate) + np.log1p(-(1.0 - rate) * np.exp(-np.maximum(edges, 30.0)))
        return np.where(edges > 30.0, far, np.where(np.isnan(near), -np.inf, near))

    def _present(self, edges: Floats) -> Cells:
        """Cells of (1 - rate) Q + rate P against Q. Its gap is rate times the gap of the base."""
        rate = float(self.rate)
        lowered = self._lowered(edges)
        first = int(np.searchsorted(lowered, -_FARTHEST))
        p, q, gap = (np.zeros(edges.size + 1) for _ in range(3))
        p_error, gap_error = np.zeros(edges.size + 1), np.zeros(edges.size + 1)
        if first == edges.size:
            p[-1] = 1.0
            q[-1] = math.exp(min(float(edges[-1]), 700.0))
            gap[-1] = 1.0 - q[-1]
            p_error[-1] = gap_error[-1] = _ERROR * (1.0 + q[-1])
            return Cells(p, q, p_error, p_error + gap_error, self.infinite_formula(), gap, gap_error)
        base = lowered[first:]
        inner = _known_gap(self.base.cells(base))
        scale = np.exp(-np.concatenate([base[:1], base]))
        plain, plain_error = inner.q * scale, inner.q_error * scale
        plain_error += plain * _ERROR
        plain[0], plain_error[0] = self._below(float(base[0]))
        p[first:] = (1.0 - rate) * plain + rate * inner.p
        p_error[first:] = (1.0 - rate) * plain_error + rate * inner.p_error + p[first:] * _ERROR + TINY
        gap[first:] = rate * inner.gap
        gap_error[first:] = rate * inner.gap_error + gap[first:] * _ERROR + TINY
        if first:
            # All losses up to the first edge that the base has: what lies there is known as a whole.
            left = max(0.0, -(math.expm1(float(edges[first - 1])) + rate))
            gap[first] = left * plain[0] + rate * inner.p[0]
            gap_error[first] = left * plain_error[0] + rate * inner.p_error[0] + _ERROR * (plain[0] + rate * inner.p[0])
        q, q_error = p - gap, p_error + gap_error
        q[0] = 0.0
        return Cells(p, np.maximum(q, 0.0), p_error, q_error, self.infinite_formula(), gap, gap_error)

    def _below(self, loss: float) -> tuple[float, float]:
        """Q's mass of losses of the base up to a point, with its error: the upper tail of the reverse."""
        turned = self.base.reverse().cells(np.array([-loss]))
        mass = float(turned.p[-1]) + turned.infinite.upper
        return mass, float(turned.p_error[-1]) + turned.infinite.width + mass * _ERROR

    def _absent(self, edges: Floats) -> Cells:
        """Cells of Q against (1 - rate) Q + rate P, whose loss is at most -log(1 - rate)."""
        rate = float(self.rate)
        turned = -self._lowered(-edges)
        last = int(np.searchsorted(turned, _FARTHEST, side="right"))
        p, gap = np.zeros(edges.size + 1), np.zeros(edges.size + 1)
        p_error, gap_error = np.zeros(edges.size + 1), np.zeros(edges.size + 1)
        if last == 0:
            p[0] = 1.0
            return Cells(p, np.zeros_like(p), p_error, gap_error, self.infinite_formula(), gap, gap_error)
        base = turned[:last]
        inner = _known_gap(self.base.reverse().cells(base))
        p[: last + 1] = inner.p
        p_error[: last + 1] = inner.p_error
        left = np.concatenate([edges[:1], edges])[: last + 1]
        scale = rate * np.exp(left - np.concatenate([base[:1], base]))
        gap[: last + 1] = scale * inner.gap
        gap_error[: last + 1] = scale * inner.gap_error + gap[: last + 1] * _ERROR + TINY
        # Where P has no mass the loss is -log(1 - rate), unless everything is sampled.
        lost = inner.infinite
        if self.rate < 1 and lost.upper > 0.0:
            rest = max(0.0, 1.0 - (1.0 - rate) * math.exp(float(left[-1])))
            p[last] += lost.upper
            p_error[last] += lost.upper - lost.lower + lost.upper * _ERROR
            gap[last] += rest * lost.upper
            gap_error[last] += lost.upper - lost.lower + _ERROR * lost.upper * (1.0 + math.exp(float(left[-1])))
        q, q_error = p - gap, p_error + gap_error
        q[0] = 0.0
        return Cells(p, np.maximum(q, 0.0), p_error, q_error, self.infinite_formula(), gap, gap_error)


@frozen(eq=False)
class _Known:
    """Cells whose gap is known, from the family or by subtraction."""

    p: Floats
    q: Floats
    p_error: Floats
    q_error: Floats
    infinite: Interval
    gap: Floats
    gap_error: Floats


def _known_gap(cells: Cells) -> _Known:
    gap, gap_error = cells.gap, cells.gap_error
    if gap is None or gap_error is None:
        gap = np.maximum(cells.p - cells.q, 0.0)
        gap_error = cells.p_error + cells.q_error + 4 * ROUNDOFF * (cells.p + cells.q)
    return _Known(cells.p, cells.q, cells.p_error, cells.q_error, cells.infinite, gap, gap_error)


def _log_ratio(top: Fraction, bottom: Fraction, doubt: float) -> Interval:
    """log(top/bottom) for numbers of which one was rounded as `doubt` was."""
    error = 4 * ROUNDOFF * (abs(doubt) + 1e-300)
    value = math.log(float(top)) - math.log(float(bottom)) if top > 0 else -math.inf
    if value == -math.inf:
        return Interval(-1e300, -700.0)
    spread = error / float(top) + error / float(bottom) + _ERROR * (1.0 + abs(value))
    return Interval(value - spread, value + spread)


def _widened(low: float, high: float) -> Interval:
    return Interval(low - abs(low) * _ERROR, high + abs(high) * _ERROR)
