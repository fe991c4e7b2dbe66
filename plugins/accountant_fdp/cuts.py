"""Lines over the curve of tests: what delta at an epsilon says of every level, and the mu that corners of two need."""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction

from attrs import frozen

from accountant import Interval
from accountant.loss import GaussianLoss, PrivacyLoss, delta_of_moments
from accountant.numbers.rounding import Ball, exp
from accountant_fdp.normal import tail_quantile

_SMALLEST, _LARGEST_MU = 2.0**-30, 2.0**20
_FELT = 2.0**-16
"""By so much must a delta raise a mu for it to be looked for how much it does."""


@frozen
class Cut:
    """power <= delta + factor level for every test, in exact numbers; and delta's lower end at the same epsilon."""

    epsilon: float
    factor: Fraction
    delta: Fraction
    least: float
    rough: bool = False

    @classmethod
    def at(cls, loss: PrivacyLoss, epsilon: float) -> Cut:
        value = loss.delta(epsilon)
        return cls(epsilon, factor_of(epsilon), Fraction(value.upper), value.lower)

    @classmethod
    def by_moments(cls, loss: PrivacyLoss, epsilon: float) -> Cut:
        """The same from above only, by what moments say."""
        return cls(epsilon, factor_of(epsilon), Fraction(delta_of_moments(loss, epsilon)), 0.0, rough=True)

    def corner(self, steeper: Cut) -> tuple[Fraction, Fraction]:
        """Level and power where the lines of both meet."""
        level = (self.delta - steeper.delta) / (steeper.factor - self.factor)
        return level, self.delta + self.factor * level

    def gap(self, steeper: Cut) -> float:
        """What mu must be for the curve to pass above the corner."""
        level, power = self.corner(steeper)
        if level <= 0:
            return 0.0 if power <= 0 else math.inf
        return quantile_gap(level, power).upper if power < 1 else math.inf

    def within(self, mu: float) -> bool:
        """Whether Gaussian noise of a mu certainly loses as much as this at its epsilon."""
        return mu > 0.0 and GaussianLoss(Fraction(mu) ** 2).delta(self.epsilon).lower >= self.delta

    def improved(self, mu: float) -> float:
        """The mu given, or a larger one that Gaussian noise must exceed to lose as much as delta at the cut's epsilon."""
        if _gaussian(mu * (1.0 + _FELT) + _SMALLEST, self.epsilon) >= self.least:
            return mu
        low, high = mu, 2.0 * mu + _SMALLEST
        while high < _LARGEST_MU and _gaussian(high, self.epsilon) < self.least:
            low, high = high, 2.0 * high
        while high - low > 2.0**-20 * high:
            middle = 0.5 * (low + high)
            low, high = (middle, high) if _gaussian(middle, self.epsilon) < self.least else (low, middle)
        return low


def falling(cuts: Iterable[Cut]) -> list[Cut]:
    """The first cut, and those whose delta falls and is certainly positive, or known by moments."""
    kept: list[Cut] = []
    for cut in cuts:
        known = cut.least > 0.0 or cut.rough
        if not kept or (known and cut.delta < kept[-1].delta and cut.factor > kept[-1].factor):
            kept.append(cut)
    return kept


def factor_of(epsilon: float) -> Fraction:
    """e^epsilon, rounded up."""
    return Fraction(exp(Ball(epsilon)).upper) if epsilon else Fraction(1)


def quantile_gap(level: Fraction, power: Fraction) -> Interval:
    """z(level) - z(power), the mu of the Gaussian curve through a point; 0 under the line of guessing."""
    if power <= level:
        return Interval.of(0)
    left, right = tail_quantile(level), tail_quantile(power)
    if math.inf in (left.lower, -right.upper):
        return Interval.infinite()
    gap = left - right
    return Interval(max(0.0, gap.lower), gap.upper)


def _gaussian(mu: float, epsilon: float) -> float:
    """Delta of Gaussian noise, rounded up."""
    return GaussianLoss(Fraction(mu) ** 2).delta(epsilon).upper
