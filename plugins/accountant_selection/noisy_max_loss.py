"""The loss of picking the largest score after exponential or Laplace noise."""

from __future__ import annotations

import math
from fractions import Fraction

from attrs import field, frozen

from accountant import Interval, PrivacyLoss, fields, loss as losses
from accountant.loss import ROUNDOFF, TINY, Cells, Floats
from accountant_selection.slope_pair import SlopePair

_ERROR = 64 * ROUNDOFF
_PLACES = tuple(k / 16 for k in range(-16, 33))
"""How far apart two candidates are tried, in units of their move."""
_LARGEST = 1e300


@frozen(cache_hash=True)
class NoisyMaxLoss(PrivacyLoss):
    """The loss of the largest of scores after noise, when any two scores move apart by at most `ratio` scales.

    Definition: delta and the moments are the largest over all numbers of candidates and all scores.
    Guarantee: the pair of Laplace noise on a move by `ratio` scales dominates. With exponential noise, two candidates whose
    scores differ by (ratio - epsilon)/2 scales attain its delta, so for one release delta is exact. With Laplace noise
    two candidates lose less; how much more others can lose is not known.
    """

    ratio: Fraction = field(converter=fields.exact, validator=fields.above(0))
    laplace: bool = False

    def reverse(self) -> PrivacyLoss:
        return self

    def dominating(self) -> PrivacyLoss:
        return SlopePair(self.ratio, ends=True)

    def dominated(self) -> PrivacyLoss:
        """Two candidates that exchange their places: the worse one is picked with the same chance in either dataset."""
        log_worse, log_better = self._log_chances(0.5 * float(self.ratio))
        return losses.ResponseLoss(Fraction(max(0.0, (log_better - log_worse) * (1.0 - _ERROR) - _ERROR)))

    def _log_chances(self, behind: float) -> tuple[float, float]:
        """The logarithms of the chances that one of two candidates is picked and is not, so many scales behind."""
        if behind < 0.0:
            return self._log_chances(-behind)[::-1]
        log_share = math.log((2.0 + behind) / 4.0) if self.laplace else -math.log(2.0)
        return log_share - behind, math.log1p(-math.exp(log_share - behind))

    def _of_two(self, place: float) -> tuple[tuple[float, float], tuple[float, float]]:
        """The logarithms of the chances under P and under Q, for both picks, where a candidate starts at a place."""
        ratio = float(self.ratio)
        first, second = self._log_chances(place * ratio), self._log_chances((1.0 + place) * ratio)
        return (first[0], second[0]), (first[1], second[1])

    def window(self, log_tail: float) -> tuple[float, float]:
        return self.dominating().window(log_tail)

    def delta_formula(self, epsilon: float) -> Interval:
        most = self.dominating().delta(epsilon)
        if not self.laplace:
            return most
        reached = [math.exp(p) - math.exp(min(epsilon + q, 1.0)) for place in _PLACES for p, q in self._of_two(place)]
        lower = max(-math.expm1(min(epsilon, 0.0)), *reached) - _ERROR * (1.0 + abs(epsilon))
        return Interval(min(max(0.0, lower), most.upper), most.upper)

    def infinite_formula(self) -> Interval:
        return Interval.of(0)

    def supremum_formula(self) -> Interval:
        return Interval.of(self.ratio)

    def log_moment_formula(self, order: float) -> Interval:
        """At most that of Laplace noise, and at least that of two candidates anywhere."""
        upper = self.dominating()._log_moment_at(order).upper
        if (1.0 + order) * float(self.ratio) > _LARGEST:
            return Interval(0.0, upper)
        lower = max(self._log_moment_of_two(order, place) for place in _PLACES)
        return Interval(min(lower, upper), upper)

    def _log_moment_of_two(self, order: float, place: float) -> float:
        terms = [p + order * (p - q) for p, q in self._of_two(place)]
        top = max(terms)
        reach = (1.0 + order) * (4.0 + 4.0 * float(self.ratio))
        value = top + math.log(math.fsum(math.exp(term - top) for term in terms))
        return max(0.0, value - _ERROR * reach - TINY)

    def concentration_formula(self) -> Interval:
        upper = min(loss.concentration().upper for loss in (self.dominating(), losses.ResponseLoss(self.ratio)))
        return Interval(min(self.dominated().concentration().lower, upper), upper)

    def cells(self, edges: Floats) -> Cells:
        return self.dominating().cells(edges)
