"""The loss of picking the largest score after exponential or Laplace noise."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

import numpy as np
from attrs import field, frozen

from accountant import Interval, PrivacyLoss, fields, loss as losses
from accountant.loss import Cells, Floats
from accountant.numbers.rounding import Ball, Balls, exp, expm1
from accountant_selection.choice import FlipChoice, Pairs, Selection
from accountant_selection.crowds import attained
from accountant_selection.flip_moments import largest_log_moment
from accountant_selection.ladder import LadderPair, blocks, ladder
from accountant_selection.slope_pair import SlopePair
from accountant_selection.two_outcomes import Points

_NOTHING = Interval.of(0)
_PLACES = 64
_DEPTH = 4.0
"""How many standard deviations from its mean a loss is when it matters to the deltas that people ask for."""


@frozen(cache_hash=True)
class NoisyMaxLoss(PrivacyLoss):
    """The loss of `count` selections, each the largest of scores after noise, of which two move apart by `ratio` scales.

    Definition: delta and the moments are the largest over all numbers of candidates and all scores; earlier outputs may
    decide both.
    Guarantee: dominates all of them together, also when other releases come between them. With exponential noise two
    candidates attain the delta of one selection, and all moments. With Laplace noise lower ends belong to groups of
    candidates of which all of one kind rise and all of the other fall; how much more others can lose is not known.
    """

    ratio: Fraction = field(converter=fields.exact, validator=fields.above(0))
    laplace: bool = False
    count: int = 1

    def reverse(self) -> PrivacyLoss:
        return self

    def repeated(self, count: int) -> PrivacyLoss:
        return NoisyMaxLoss(self.ratio, self.laplace, self.count * count)

    def taken_apart(self) -> tuple[tuple[PrivacyLoss, int], ...]:
        return ((self, 1),) if self.count == 1 else ((NoisyMaxLoss(self.ratio, self.laplace), self.count),)

    @property
    def choice(self) -> Selection:
        """What one selection can be."""
        return CrowdChoice(self.ratio) if self.laplace else FlipChoice(self.ratio)

    def dominating(self) -> PrivacyLoss:
        """The pair of one selection, or of so many together as a ladder holds."""
        return losses.compose((self._pair(size), times) for size, times in blocks(self.count, self.ratio))

    def _pair(self, count: int) -> PrivacyLoss:
        """Laplace noise on a move by `ratio` scales, or the pair of a ladder; candidates of both kinds have the same."""
        return SlopePair(self.ratio, ends=True) if count == 1 else LadderPair(FlipChoice(self.ratio), count)

    def dominated(self) -> PrivacyLoss:
        """Selections that are all alike: those with the largest moment of an order that matters here."""
        best = _points(self.ratio, self.laplace).best(_DEPTH / (float(self.ratio) * math.sqrt(self.count)))
        return losses.compose([(best, self.count)])

    def window(self, log_tail: float) -> tuple[float, float]:
        high = min(float(self.ratio) * self.count, self.choice.spread(self.count, log_tail))
        return -high, high

    def delta_formula(self, epsilon: float) -> Interval | None:
        point, top = Fraction(epsilon), self.ratio * self.count
        if point >= top:
            return _NOTHING
        if blocks(self.count, self.ratio) != [(self.count, 1)]:
            return None
        if point >= 0:
            return self._delta(point)
        back = self._delta(-point) if -point < top else _NOTHING
        # With roles exchanged.
        return (exp(Ball(epsilon)) * Ball.of(back) - expm1(Ball(epsilon))).interval(0.0, 1.0)

    def _delta(self, epsilon: Fraction) -> Interval:
        if self.count > 1:
            return ladder(self.choice, self.count).delta(epsilon).clamp(0.0, 1.0)
        most = SlopePair(self.ratio, ends=True).delta(epsilon)
        if not self.laplace:
            return most
        lower = float(CrowdChoice(self.ratio).reached(np.array([float(epsilon)]))[0][0])
        # A rounded epsilon moves delta by at most as much.
        moved = Ball.rounded(lower, 8.0, 1.0 + float(epsilon))
        return Interval(min(max(0.0, moved.lower), most.upper), most.upper)

    def infinite_formula(self) -> Interval:
        return _NOTHING

    def supremum_formula(self) -> Interval:
        return Interval.of(self.ratio * self.count)

    def log_moment_formula(self, order: float) -> Interval:
        """The largest of two candidates anywhere; with Laplace noise at most that, and at least that of some groups."""
        found = largest_log_moment(self.ratio, order)
        if self.laplace:
            found = Interval(min(_log_moment_of_crowds(self.ratio, order), found.upper), found.upper)
        return found.times(self.count)

    def concentration_formula(self) -> Interval | None:
        """With exponential noise the supremum of what is exact at every order, for one selection found from there."""
        if self.count == 1 and not self.laplace:
            return None
        most = _concentration(self.ratio)
        if self.laplace:
            most = Interval(min(_mean_of_crowds(self.ratio), most.upper), most.upper)
        return most.times(self.count)

    def cells(self, edges: Floats) -> Cells:
        return self.dominating().cells(edges)


@frozen(cache_hash=True)
class CrowdChoice(FlipChoice):
    """The same after Laplace noise: bounded by what exponential noise can be, attained by groups of candidates."""

    def attained(self, places: Floats, rungs: int) -> Pairs:
        points = attained(self.ratio)
        chosen = np.round(places * ((points.p.size - 1) / rungs)).astype(np.intp)
        return Points(points.q[chosen], points.p[chosen]).pairs.in_steps(rungs / float(self.ratio), rungs)

    def bounding(self, places: Floats, rungs: int) -> Pairs:
        return FlipChoice(self.ratio).bounding(places, rungs)

    def reached(self, places: Floats) -> tuple[Floats, Floats]:
        """The best of lines, one for each group."""
        points, growth = attained(self.ratio), np.exp(places)
        gains = points.p[:, None] - np.multiply.outer(points.q, growth)
        best = np.argmax(gains, axis=0)
        # e^x is granted 8 and a product and a difference follow; gains that count have both terms below 1.
        found = Balls.rounded(gains[best, np.arange(places.size)], 10.0, 1.0).lower
        return np.maximum(found, 0.0), np.where(found > 0.0, -points.q[best] * growth, 0.0)


def _points(ratio: Fraction, laplace: bool) -> Points:
    """Pairs that are attained, with exponential noise by two candidates."""
    if laplace:
        return attained(ratio)
    places = np.arange(1, _PLACES) / _PLACES * float(ratio)
    return Points.outermost(0.5 * np.exp(places - float(ratio)), 1.0 - 0.5 * np.exp(-places))


def _log_moment_of_crowds(ratio: Fraction, order: float) -> float:
    """A log moment that groups of candidates attain."""
    pairs = attained(ratio).pairs
    reach = max(float(np.max(pairs.highs)), -float(np.min(pairs.lows)))
    scale = (1.0 + order) * reach + (1.0 if order * reach >= 1.0 else 0.0)
    return max(0.0, Ball.evaluated(float(np.max(pairs.log_moments(order))), 64.0, scale).lower)


@lru_cache(maxsize=256)
def _concentration(ratio: Fraction) -> Interval:
    return NoisyMaxLoss(ratio).concentration()


def _mean_of_crowds(ratio: Fraction) -> float:
    """A mean loss that groups of candidates attain: the limit of Renyi divergences at order 1."""
    pairs = attained(ratio).pairs
    means = pairs.chances * pairs.highs + pairs.rests * pairs.lows
    return max(0.0, Ball.rounded(float(np.max(means)), 64.0, float(ratio)).lower)
