"""The loss of geometric noise on one coordinate: finitely many atoms, in closed form however many they are.

With q = e^-ratio the chance of the atom k steps below the largest is (1 - q) q^k/(1 + q), and more at both ends: q/(1 + q)
more at k = 0, where all noise below the answer falls, and q^(move + 1)/(1 + q) more at k = move. Sums of neighbouring
atoms are geometric, and written so that nothing is subtracted that is not exact.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Self

import numpy as np
from attrs import field, frozen

from accountant import Interval, PrivacyLoss, fields
from accountant.loss import Cells, Complexes, Floats, Moments, ResponseLoss, expm1, log_of_moments
from accountant.numbers.rounding import Ball, Balls, exp, expm1 as expm1_of, log, log1p

# Beyond these, doubles run out: the loss is enclosed by randomised responses.
_LEAST, _MOST = Fraction(1, 10**280), Fraction(10**280)
_EXACT = 2**53
_FARTHEST = 300.0
_CLOSE = 16.0
"""An atom within so many roundings of an edge, as a share of 1 + its size, counts as lying on it."""
_UNDERFLOW = 800.0
_NOTHING = Interval.of(0)


@frozen(cache_hash=True)
class GeometricLoss(PrivacyLoss):
    """The loss of geometric noise of scale 1/ratio when a whole answer moves by `move`.

    Definition: (move - 2 k) ratio for k from 0 to move, with mass 1/(1 + q) at k = 0, q^move/(1 + q) at k = move and
    (1 - q) q^k/(1 + q) in between, where q = e^-ratio. The pair is symmetric.
    """

    ratio: Fraction = field(converter=fields.exact, validator=fields.above(0))
    move: int = field(converter=fields.whole, validator=fields.at_least(1))

    @property
    def _top(self) -> Fraction:
        return self.ratio * self.move

    def _held(self) -> bool:
        return self.ratio >= _LEAST and self._top <= _MOST

    def reverse(self) -> PrivacyLoss:
        return self

    def dominating(self) -> PrivacyLoss:
        return self if self._held() else ResponseLoss(self._top)

    def dominated(self) -> PrivacyLoss:
        """A smaller move loses less, and that by 1 is randomised response."""
        return self if self._held() else ResponseLoss(self.ratio)

    def step(self) -> Fraction:
        """All values are odd multiples of the ratio where the move is odd, and even ones where it is even."""
        return self.ratio * (1 + (self.move + 1) % 2)

    def lattice(self) -> Fraction:
        return self.step()

    def anchor(self) -> float:
        return _double(self._top)

    def window(self, log_tail: float) -> tuple[float, float]:
        top = _double(self._top)
        return max(-top, top + 2.0 * min(log_tail, -1.0)), top

    def infinite_formula(self) -> Interval:
        return _NOTHING

    def supremum_formula(self) -> Interval:
        return Interval.of(self._top)

    def delta_formula(self, epsilon: float) -> Interval:
        """1 - q^m + q^m g/(1 + q), where m is the last of the atoms above epsilon and loses g of its chance to Q."""
        point = Fraction(epsilon)
        if point >= self._top:
            return _NOTHING
        if point <= -self._top:
            value = -math.expm1(epsilon)
        else:
            place = (self.move - point / self.ratio) / 2
            last = math.ceil(place) - 1
            gain = -math.expm1(-_double(2 * (place - last) * self.ratio))
            fall = _double(last * self.ratio)
            value = -math.expm1(-fall) + math.exp(-fall) * gain / (1.0 + math.exp(-_double(self.ratio)))
        # Two terms that are not negative. A rounded exponent x moves e^-x by x e^-x, which is at most 1 - e^-x; beside that
        # five functions are granted four each, and their products, the quotient and the sums round less than ten times.
        return Ball.evaluated(value, 32.0).interval(0.0, 1.0)

    def log_moment_formula(self, order: float) -> Interval:
        """log of a e^(t top) + b e^(-(1 + t) top), t the order, where a = (1 - q u)/((1 - u)(1 + q)), b = 1 - a, and
        u = e^(-(1 + 2 t) ratio)."""
        if not self._held():
            low, high = self.dominated()._log_moment_at(order), self.dominating()._log_moment_at(order)
            return Interval(low.lower, high.upper)
        ratio, top = Ball.of(self.ratio), Ball.of(self._top)
        turn, more, twice = order * top, Ball(order) + 1.0, 2.0 * Ball(order) + 1.0
        if turn.middle > 1e290:
            return Interval(1e290, math.inf)
        rate = exp(-ratio)
        whole = expm1_of(-(twice * ratio)) * (rate + 1.0)
        growth = expm1_of(-2.0 * (more * ratio)) / whole
        fall = expm1_of(-2.0 * (order * ratio)) * rate / whole
        if turn.middle > 1.0:
            return (turn + log(growth + fall * exp(-(twice * top)))).interval(0.0)
        return log1p(growth * expm1_of(turn) + fall * expm1_of(-(more * top))).interval(0.0)

    def analytic(self) -> type[Moments] | None:
        return GeometricMoments if self._held() else None

    def cells(self, edges: Floats) -> Cells:
        if not self._held():
            return self.dominating().cells(edges)
        ratio, top, move = float(self.ratio), float(self._top), float(self.move)
        # How many atoms lie above each edge; one that is within rounding of an edge counts as lying on it.
        near = np.clip(edges, -top - 2.0 * ratio, top + 2.0 * ratio)
        odd = self.move % 2
        places = Balls.rounded(near, _CLOSE, 1.0 + np.abs(near)).upper / ratio
        first = 2.0 * np.floor(0.5 * (places - odd)) + odd + 2.0
        above = np.clip(0.5 * (move - first) + 1.0, 0.0, move + 1.0)
        ends = np.concatenate([[move + 1.0], above, [0.0]])
        # Above the highest atom none is the last.
        start, last, count = ends[1:], np.maximum(ends[:-1] - 1.0, 0.0), ends[:-1] - ends[1:]

        anchors, ceiling = np.concatenate([edges[:1], edges]), np.append(edges, np.inf)
        height = np.maximum(np.minimum((move - 2.0 * last) * ratio, ceiling) - anchors, 0.0)
        share = -np.expm1(-count * ratio) / (1.0 + math.exp(-ratio))
        high, low = _falls(start * ratio), _falls(last * ratio)
        p = share * high
        q = share * low * _falls(height)
        gap = share * (-high * np.expm1(-np.maximum(count - 1.0, 0.0) * ratio) - low * np.expm1(-height))
        # What the two ends have more.
        for place, loss, log_mass in ((1.0, top, -ratio), (move + 1.0, -top, -ratio - top)):
            index = int(np.count_nonzero(above >= place))
            mass = math.exp(max(log_mass, -_UNDERFLOW)) / (1.0 + math.exp(-ratio))
            more = max(min(loss, float(ceiling[index])) - float(anchors[index]), 0.0)
            p[index] += mass
            q[index] += mass * math.exp(-min(more, _UNDERFLOW))
            gap[index] += mass * -math.expm1(-more)
        q[0], gap[0] = 0.0, p[0]
        exponents = np.minimum(start * ratio, _UNDERFLOW) + np.minimum(last * ratio, _UNDERFLOW)
        # Products of at most four functions and sums of two such round 64 times. Exponents are rounded at most four times
        # before e^x, of which three are multiplied, and the anchors once more.
        times = 64.0 + 16.0 * exponents + 16.0 * np.minimum(height, _UNDERFLOW)
        # Counting atoms displaces them only where doubles do not hold every whole number up to the move.
        slack = Ball.rounded(0.0, 16.0, top).radius if self.move > _EXACT else 0.0
        return Cells(
            p,
            q,
            Balls.evaluated(p, 1.0, p * times).radii,
            Balls.evaluated(q, 1.0, q * (times + 16.0 * np.abs(anchors))).radii,
            _NOTHING,
            gap,
            Balls.evaluated(gap, 1.0, gap * times).radii,
            slack,
        )


@frozen(eq=False)
class GeometricMoments(Moments):
    """The log moment formula at complex orders, as log(1 + w) so that small ratios lose nothing."""

    ratios: Floats
    tops: Floats

    @classmethod
    def of(cls, losses: Sequence[GeometricLoss]) -> Self:
        ratios = np.array([float(loss.ratio) for loss in losses])[:, None]
        return cls(ratios, np.array([float(loss.ratio * loss.move) for loss in losses])[:, None])

    @property
    def work(self) -> int:
        return 2 * self.ratios.size

    def log_moments(self, points: Complexes) -> tuple[Complexes, Floats]:
        if float(points.real.max()) * float(self.tops.max()) > _FARTHEST:
            raise OverflowError("a geometric loss times the order is too large")
        ratios, tops = self.ratios, self.tops
        whole, whole_doubt = _lack(-(1.0 + 2.0 * points) * ratios)
        above, above_doubt = _lack(-2.0 * (1.0 + points) * ratios)
        below, below_doubt = _lack(-2.0 * points * ratios)
        up, up_doubt = _lack(points * tops)
        down, down_doubt = _lack(-(1.0 + points) * tops)
        scale = whole * (1.0 + np.exp(-ratios))
        rise: Complexes = above * up / scale
        fall: Complexes = below * np.exp(-ratios) * down / scale
        error = np.abs(rise) * (above_doubt + up_doubt) + np.abs(fall) * (below_doubt + down_doubt)
        sizes = np.abs(rise) + np.abs(fall)
        # Two products and a quotient, granted 16, of complex numbers, the scale and the sum.
        known = Balls.rounded(-rise - fall, 32.0, sizes).widened(error + sizes * whole_doubt)
        return log_of_moments(known.middle.astype(np.complex128), known.radii)

    def deviations(self, tilt: float) -> Floats:
        """Half the distance of the extreme values."""
        return Balls.rounded(self.tops[:, 0]).upper

    def falls(self, tilt: float, height: float) -> Floats:
        """The size of a lattice's transform returns to 1."""
        return np.zeros(self.tops.size)


def _lack(turns: Complexes) -> tuple[Complexes, Floats]:
    """1 - e^turns, and a bound on its relative error: that of the turns is felt as far as they turn."""
    value: Complexes = -expm1(turns)
    size = np.abs(value)
    with np.errstate(divide="ignore", invalid="ignore"):
        # e^z - 1 is granted 16 of its size, and the turns round at most four times.
        felt = Balls.rounded(size, 16.0, 1.0 + np.abs(turns) * np.exp(turns.real) / size).radii
        doubt = np.where(size > 0.0, felt, 1.0)
    return value, doubt


def _falls(exponents: Floats) -> Floats:
    value: Floats = np.exp(-np.minimum(exponents, _UNDERFLOW))
    return value


def _double(value: Fraction) -> float:
    """The nearest double; what is beyond any use becomes as large as can be used."""
    return float(min(max(value, -_MOST), _MOST))
