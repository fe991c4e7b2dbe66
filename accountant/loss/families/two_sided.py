"""A loss known only from both sides."""

from __future__ import annotations

from fractions import Fraction

from attrs import evolve, frozen

from accountant.loss.readings.arrays import Floats
from accountant.loss.readings.base import Cells, PrivacyLoss
from accountant.numbers.interval import Interval


@frozen
class BracketLoss(PrivacyLoss):
    """The loss of some mechanism that `above` dominates, and that may be as bad as `below`.

    `most_concentration` bounds sup Renyi(a)/a of the loss itself where that is known: what dominates a loss may have
    larger moments, even infinite ones.
    """

    above: PrivacyLoss
    below: PrivacyLoss
    most_concentration: Fraction | None = None

    def reverse(self) -> PrivacyLoss:
        above, below = self.above.reverse(), self.below.reverse()
        return self if above is self.above and below is self.below else evolve(self, above=above, below=below)

    def sharpened(self, precision: float) -> PrivacyLoss:
        return evolve(self, above=self.above.sharpened(precision), below=self.below.sharpened(precision))

    def dominating(self) -> PrivacyLoss:
        return self.above.dominating()

    def dominated(self) -> PrivacyLoss:
        return self.below.dominated()

    def with_moments(self, *, upper: bool) -> PrivacyLoss:
        return (self.above if upper else self.below).with_moments(upper=upper)

    def window(self, log_tail: float) -> tuple[float, float]:
        return self.above.window(log_tail)

    def cells(self, edges: Floats) -> Cells:
        return self.above.cells(edges)

    def delta_formula(self, epsilon: float) -> Interval:
        return self.delta_within(epsilon, epsilon)

    def delta_within(self, left: float, right: float) -> Interval:
        """Delta anywhere between two places. It falls, so each side is read at one of them only."""
        return between(self.below.delta(right), self.above.delta(left))

    def infinite_formula(self) -> Interval:
        return between(self.below.infinite(), self.above.infinite())

    def _epsilon_at(self, target: Fraction, least: float = 0.0) -> Interval:
        above = self.above.epsilon(target, least=least)
        return between(self.below.epsilon(target, least=least, most=above.upper), above)

    def _tradeoff_at(self, level: Fraction) -> Interval:
        return between(self.above.tradeoff(level), self.below.tradeoff(level))

    def log_moment_formula(self, order: float) -> Interval:
        found = between(self.below._log_moment_at(order), self.above._log_moment_at(order))
        if self.most_concentration is None:
            return found
        number = Fraction(order)
        most = Interval.of(number * (number + 1) * self.most_concentration).upper
        return Interval(min(found.lower, most), min(found.upper, most))

    def supremum_formula(self) -> Interval:
        return between(self.below.supremum(), self.above.supremum())

    def concentration_formula(self) -> Interval:
        if self.most_concentration is None:
            return between(self.below.concentration(), self.above.concentration())
        return between(self.below.concentration(), Interval.of(self.most_concentration))


def between(low: Interval, high: Interval) -> Interval:
    """From the lower end of what is below to the upper end of what is above; exact where these are one number."""
    if high.exact is not None and high.exact == low.lower:
        return high
    return Interval(min(low.lower, high.upper), high.upper)
