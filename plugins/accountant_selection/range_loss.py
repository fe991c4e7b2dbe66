"""The loss of selections whose range is bounded: all losses of one of them lie in an interval of given length."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import ClassVar

import numpy as np
from attrs import field, frozen

from accountant import Interval, PrivacyLoss, fields, loss as losses
from accountant.loss import AtomicLoss, Atoms, Cells, Floats
from accountant.numbers.rounding import Ball, Balls, exp, expm1
from accountant_selection.choice import RangeChoice
from accountant_selection.ladder import LadderPair, blocks, ladder
from accountant_selection.range_moments import largest_concentration, largest_log_moment
from accountant_selection.slope_pair import SlopePair

_NOTHING = Interval.of(0)
_PLACES = 64
_DEPTH = 4.0
"""How many standard deviations from its mean a loss is when it matters to the deltas that people ask for."""


@frozen(cache_hash=True)
class RangeLoss(PrivacyLoss):
    """The loss of `count` selections, each with losses between t - range and t for some t that earlier outputs may decide.

    Definition: delta is the largest that any choice of selections reaches; the moments are the largest as well.
    Guarantee: dominates all of them together, also when other releases come between them. For one selection delta is exact:
    (1 - e^((epsilon - range)/2))^2/(1 - e^-range).
    """

    range_: Fraction = field(converter=fields.exact, validator=fields.above(0), alias="range")
    count: int = 1

    def reverse(self) -> PrivacyLoss:
        return self

    def repeated(self, count: int) -> PrivacyLoss:
        return RangeLoss(self.range_, self.count * count)

    def taken_apart(self) -> tuple[tuple[PrivacyLoss, int], ...]:
        return ((self, 1),) if self.count == 1 else ((RangeLoss(self.range_), self.count),)

    def dominating(self) -> PrivacyLoss:
        """The pair of one selection, or of so many together as a ladder holds."""
        return losses.compose((self._pair(size), times) for size, times in blocks(self.count, self.range_))

    def _pair(self, count: int) -> PrivacyLoss:
        return SlopePair(self.range_, ends=False) if count == 1 else LadderPair(RangeChoice(self.range_), count)

    def dominated(self) -> PrivacyLoss:
        """Selections that all have the same two losses: those with the largest moment of an order that matters here."""
        return losses.compose([(TwoLosses(self.range_, self._place()), self.count)])

    def _place(self) -> int:
        """Where the upper loss t is best, in parts of the range.

        The moment of order a is largest at e^t = a e^x sinh((1 + a) x)/((1 + a) sinh(a x)), x half the range.
        """
        half = 0.5 * float(self.range_)
        order = _DEPTH / (half * math.sqrt(self.count))
        inner, outer = order * half, (1.0 + order) * half
        log_ratio = half + math.log(-math.expm1(-2.0 * outer)) - math.log(-math.expm1(-2.0 * inner))
        top = half + log_ratio - math.log1p(1.0 / order)
        return min(_PLACES - 1, max(1, round(_PLACES * top / (2.0 * half))))

    def window(self, log_tail: float) -> tuple[float, float]:
        """By Hoeffding's inequality."""
        reach = float(self.range_) * math.sqrt(-0.5 * log_tail * self.count)
        high = min(float(self.range_) * self.count, self.concentration_formula().upper + reach)
        return -high, high

    def delta_formula(self, epsilon: float) -> Interval | None:
        point, top = Fraction(epsilon), self.range_ * self.count
        if point >= top:
            return _NOTHING
        if self.count == 1:
            return SlopePair(self.range_, ends=False).delta_formula(epsilon)
        if blocks(self.count, self.range_) != [(self.count, 1)]:
            return None
        if point >= 0:
            return ladder(RangeChoice(self.range_), self.count).delta(point).clamp(0.0, 1.0)
        back = ladder(RangeChoice(self.range_), self.count).delta(-point) if -point < top else _NOTHING
        # With roles exchanged.
        return (exp(Ball(epsilon)) * Ball.of(back) - expm1(Ball(epsilon))).interval(0.0, 1.0)

    def infinite_formula(self) -> Interval:
        return _NOTHING

    def supremum_formula(self) -> Interval:
        return Interval.of(self.range_ * self.count)

    def log_moment_formula(self, order: float) -> Interval:
        return largest_log_moment(float(self.range_), order).times(self.count)

    def concentration_formula(self) -> Interval:
        return largest_concentration(float(self.range_)).times(self.count)

    def cells(self, edges: Floats) -> Cells:
        return self.dominating().cells(edges)


@frozen(cache_hash=True)
class TwoLosses(AtomicLoss):
    """A selection of one of two candidates, with the losses t and t - range, t in parts of the range."""

    symmetric: ClassVar[bool] = False

    range_: Fraction = field(converter=fields.exact, validator=fields.above(0))
    place: int

    def step(self) -> Fraction:
        return self.range_ * math.gcd(self.place, _PLACES) / _PLACES

    def lattice(self) -> Fraction:
        return self.step()

    def find_atoms(self) -> Atoms:
        whole = float(self.range_)
        top, rest = whole * self.place / _PLACES, whole * (_PLACES - self.place) / _PLACES
        masses = np.array([math.exp(-rest) * math.expm1(-top), math.expm1(-rest)]) / math.expm1(-whole)
        # Three functions are granted four each, and exponents, which round twice, are felt as often as they are large.
        return Atoms(np.array([-rest, top]), masses, Balls.evaluated(masses, 64.0 * (1.0 + whole)).radii)
