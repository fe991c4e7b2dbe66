"""PrivacyLoss: the law of the log likelihood ratio of a dominating pair."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from fractions import Fraction
from typing import final

import numpy as np
from attrs import frozen

from accountant.display.brief import Brief
from accountant.errors import ReadingError
from accountant.loss.readings import closing
from accountant.loss.readings.arrays import Floats
from accountant.loss.readings.moments import Moments
from accountant.loss.readings.powers import log_largest_gain as log_largest_gain
from accountant.loss.readings.renyi_supremum import certified_supremum
from accountant.numbers.exact import ExactLike, exact
from accountant.numbers.interval import Interval, float_above, float_below
from accountant.numbers.rounding import Ball, expm1, log, lowered, raised

_LEAST_ORDER = 2.0**-500


@frozen
class Cells(Brief):
    """Masses of P and Q between loss edges e_0 < ... < e_n.

    Each array has n + 2 entries: losses up to e_0, then each (e_i, e_i+1], then finite losses above e_n. The masses of
    Q are multiplied by e^(left edge), so that neither overflows nor vanishes where P lives; the entry for losses up to
    e_0 is not used and is zero. `p_error` and `q_error` bound the absolute error of each entry. `infinite` is the
    mass of P where Q has none. A family that knows p - q better than by subtracting gives it as `gap`.

    Losses may count as lying on an edge up to 32 roundoffs of 1 + |loss| away from it. `slack` bounds how much farther than
    that rounding may have displaced any loss. Where it is `counted`, it bounds all displacement, that included.
    """

    p: Floats
    q: Floats
    p_error: Floats
    q_error: Floats
    infinite: Interval
    gap: Floats | None = None
    gap_error: Floats | None = None
    slack: float = 0.0
    counted: bool = False


@frozen(eq=False)
class PrivacyLoss(Brief, ABC):
    """The law of L = log P(w)/Q(w), w drawn from P, for a pair (P, Q) that dominates a mechanism.

    The public readings are final and always return intervals that contain the truth. A family supplies `cells` and
    `window`, `reverse`, and the formulas it knows in closed form; what it leaves out is computed from the cells.
    """

    def __str__(self) -> str:
        return self._in_a_line()

    # What a family supplies ------------------------------------------------------------------------------------------

    @abstractmethod
    def cells(self, edges: Floats) -> Cells:
        """The masses of P and Q between edges."""

    @abstractmethod
    def window(self, log_tail: float) -> tuple[float, float]:
        """Losses between which all of P lies except about e^log_tail on each side and what is infinite.

        Only a hint on where to put a grid: nothing that lies outside is lost.
        """

    @abstractmethod
    def reverse(self) -> PrivacyLoss:
        """The loss of the pair (Q, P); the same object when the pair is symmetric."""

    def exchanged(self) -> PrivacyLoss:
        """The same two laws in the other order. From below, `reverse` may have laws of its own."""
        return self.reverse()

    def step(self) -> Fraction | None:
        """The distance of which all atoms are whole multiples, if there is one: a grid then holds them exactly."""
        return None

    def lattice(self) -> Fraction | None:
        """The same where there are no values but those atoms."""
        return None

    def anchor(self) -> float:
        """A loss that a grid had better hold exactly, such as the most likely atom; any value is sound."""
        return 0.0

    def dominating(self) -> PrivacyLoss:
        """The loss that upper ends are taken from."""
        return self

    def dominated(self) -> PrivacyLoss:
        """The loss that lower ends are taken from."""
        return self

    def with_moments(self, *, upper: bool) -> PrivacyLoss:
        """The loss that one end is taken from where moments off the real line are needed; it may be a little wider."""
        return self.dominating() if upper else self.dominated()

    def sharpened(self, precision: float) -> PrivacyLoss:
        """The same loss, read to a relative precision where that is a choice; formulas are as precise as doubles are."""
        if self.delta_formula(0.0) is not None:
            return self
        from accountant.loss.engine.composition import ComposedLoss

        return ComposedLoss([(self, 1)], precision)

    def roughly(self, precision: float) -> PrivacyLoss:
        """The same loss for whoever is content with less precision than usual, which may be quicker."""
        return self

    @property
    def precision(self) -> float | None:
        """The relative width at which searches for a reading stop; None where the family supplies what readings need.

        A loss that has one is slow to read, and more precise ones are had by `sharpened`.
        """
        return None

    def taken_apart(self) -> tuple[tuple[PrivacyLoss, int], ...]:
        """Losses that together make this one, each with its count."""
        return ((self, 1),)

    def unsampled(self) -> PrivacyLoss:
        """What is lost where every record is taken, which dominates this loss; itself where nothing is sampled."""
        return self

    def bracketed(self) -> bool:
        """Whether the ends of readings are taken from two losses, each of which is read on its own."""
        return self.dominating() is not self or self.dominated() is not self

    def drawn_from(self) -> tuple[tuple[Fraction, PrivacyLoss], ...]:
        """Losses of which this one is a mixture, each with its chance."""
        return ((Fraction(1), self),)

    def repeated(self, count: int) -> PrivacyLoss | None:
        """The loss of so many releases like this one, where more is known of it than the product of their pairs.

        Guarantee: dominates them also when other releases come between them and each looks at all earlier outputs.
        """
        return None

    def analytic(self) -> type[Moments] | None:
        """What knows the log moments of losses like this off the real line, if anything does."""
        return None

    def delta_formula(self, epsilon: float) -> Interval | None:
        """E_P[(1 - e^(epsilon - L))_+] at a double, if the family knows it."""
        return None

    def log_moment_formula(self, order: float) -> Interval | None:
        """log E_P[e^(order L)] for order > 0, if the family knows it."""
        return None

    def supremum_formula(self) -> Interval | None:
        """The essential supremum of L, if the family knows it."""
        return None

    def infinite_formula(self) -> Interval | None:
        """The mass of P where Q has none, if the family knows it without its cells."""
        return None

    def concentration_formula(self) -> Interval | None:
        """sup over orders a > 1 of Renyi(a)/a in this direction, if the family knows it."""
        return None

    def concentration_beyond(self, order: float) -> float:
        """A bound on Renyi(a)/a at all orders a from this one on; infinite where the family knows none."""
        return self.supremum().upper / order

    # What everyone reads ---------------------------------------------------------------------------------------------

    @final
    def delta(self, epsilon: ExactLike) -> Interval:
        """The hockey-stick divergence E_P[(1 - e^(epsilon - L))_+], for any real epsilon."""
        point = exact(epsilon)
        if point > 0 and self.supremum().at_most(point):
            return self.infinite()
        return closing.delta(self, point, self._delta_near(point))

    def _delta_near(self, point: Fraction) -> Interval:
        """Delta at the doubles next to a place: it falls."""
        left, right = float_below(point), float_above(point)
        between = self._delta_between(left, right) if -math.inf < left < right < math.inf else None
        if between is not None:
            return between.clamp(0.0, 1.0)
        high = Interval(0.0, 1.0) if left == -math.inf else self._delta_at(left)
        low = high if left == right else self.infinite() if right == math.inf else self._delta_at(right)
        if low is high or (low.exact is not None and low.exact == high.exact):
            return high.clamp(0.0, 1.0)
        return Interval(min(low.lower, high.upper), high.upper).clamp(0.0, 1.0)

    @final
    def epsilon(self, delta: ExactLike, *, least: float = 0.0, most: float = math.inf) -> Interval:
        """The smallest epsilon >= 0 with delta(epsilon) at most `delta`; infinite if there is none.

        Whoever only cares for values above `least` says so: work stops once the answer is known not to be one. Whoever
        knows that it is at most `most` says so, too: work stops once it is known to be next to that.
        """
        target = exact(delta)
        if not 0 < target < 1:
            raise ReadingError(f"delta must lie strictly between 0 and 1, got {target}; use 'pure' for delta = 0")
        return closing.epsilon(self, target, self._epsilon_up_to(target, least, most), least)

    @final
    def renyi(self, order: ExactLike) -> Interval:
        """The Renyi divergence of an order above 1."""
        number = exact(order)
        if number <= 1:
            raise ReadingError(f"a Renyi order must be above 1, got {number}")
        # k(t)/t does not decrease in t = order - 1, so each end may be read at a double on its own side.
        low, high = float_below(number - 1), max(float_above(number - 1), _LEAST_ORDER)
        lower = lowered(self._closed_moment(low).lower / low, 1) if low >= _LEAST_ORDER else 0.0
        upper = self.supremum().upper
        if high < math.inf:
            upper = min(upper, raised(self._closed_moment(high).upper / high, 1))
        return Interval(max(0.0, min(lower, upper)), max(0.0, upper))

    @final
    def tradeoff(self, level: ExactLike) -> Interval:
        """The smallest type II error of a test of Q's world against P's at type I error `level`.

        Definition: f(x) = sup over real epsilon of 1 - delta(epsilon) - e^epsilon x.
        """
        number = exact(level)
        if not 0 <= number <= 1:
            raise ReadingError(f"a level must lie between 0 and 1, got {number}")
        return closing.tradeoff(self, number, self._tradeoff_at(number).clamp(0.0, float_above(1 - number)))

    @final
    def infinite(self) -> Interval:
        """The mass of P where Q has none: the limit of delta as epsilon grows."""
        known = self.infinite_formula()
        if known is not None:
            return known
        upper = self.dominating().cells(np.zeros(1)).infinite.upper
        return Interval(min(upper, self.dominated().cells(np.zeros(1)).infinite.lower), upper)

    @final
    def supremum(self) -> Interval:
        """The essential supremum of the loss in this direction."""
        known = self.supremum_formula()
        return Interval(0.0, math.inf) if known is None else known

    @final
    def concentration(self) -> Interval:
        """sup over orders a > 1 of Renyi(a)/a, in this direction."""
        known = self.concentration_formula()
        return closing.concentration(self, certified_supremum(self) if known is None else known)

    # How readings are found ------------------------------------------------------------------------------------------

    def _delta_at(self, epsilon: float) -> Interval:
        known = self.delta_formula(epsilon)
        if known is not None:
            return known
        return self._alone()._delta_at(epsilon)

    def _delta_between(self, left: float, right: float) -> Interval | None:
        """Delta anywhere between two doubles next to each other, where one reading says as much as one at each."""
        return None

    def _epsilon_up_to(self, target: Fraction, least: float, most: float) -> Interval:
        """The smallest epsilon at a delta, known to be at most so much where that makes it easier to find."""
        return self._epsilon_at(target, least)

    def _alone(self) -> PrivacyLoss:
        """The same loss, read from a grid."""
        from accountant.loss.engine.composition import ComposedLoss

        return ComposedLoss.of([(self, 1)])

    def _epsilon_at(self, target: Fraction, least: float = 0.0) -> Interval:
        from accountant.loss.readings.inversion import smallest_epsilon

        if self.delta_formula(0.0) is None:
            return self._alone()._epsilon_at(target, least)
        if self.infinite().at_most(target) is False:
            return Interval.infinite()
        return smallest_epsilon(self._delta_at, target)

    def _log_moment_at(self, order: float) -> Interval:
        known = self.log_moment_formula(order)
        return Interval(0.0, math.inf) if known is None else known

    def _closed_moment(self, order: float) -> Interval:
        return closing.log_moment(self, order, self._log_moment_at(order))

    def _tradeoff_at(self, level: Fraction) -> Interval:
        from accountant.loss.readings.inversion import type_two_error

        if self.delta_formula(0.0) is None:
            return self._alone()._tradeoff_at(level)
        return type_two_error(self._delta_at, level, self.infinite())


def log_images(fall: float) -> Ball:
    """The logarithm of e^-fall + e^-2fall + ..., for a positive fall."""
    # Far out the sum is its first term but for a share of e^-30.
    return -Ball(fall).widened(2.0 * math.exp(-30.0)) if fall > 30.0 else -log(expm1(Ball(fall)))
