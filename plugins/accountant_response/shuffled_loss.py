"""What is known of the loss of shuffled reports, from both sides."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from attrs import evolve, frozen

from accountant import Interval, PrivacyLoss
from accountant.loss import NO_LOSS, BracketLoss, ResponseLoss, compose
from accountant.numbers.rounding import times_down
from accountant_response.counted_answers_concentration import least_concentration
from accountant_response.counted_answers_loss import CountedAnswersLoss
from accountant_response.hidden_report_concentration import most_concentration
from accountant_response.hidden_report_loss import HiddenReportLoss
from accountant_response.tallies import WHOLE, exponentials

# Between these, doubles hold the chances of clones and of others.
_LEAST, _MOST = Fraction(1, 10**100), Fraction(300)
_SMALL = 64
"""Of so many reports, every randomiser that may be the worst is looked at for every reading."""
_FEW = 16
"""So many shuffles together are looked at in the same way."""


@frozen
class ShuffledLoss(BracketLoss):
    """A bracket with further losses that some randomiser attains: lower ends belong to the one that loses most there.

    Some are looked at for `moments` only.
    """

    others: tuple[PrivacyLoss, ...] = ()
    moments: tuple[PrivacyLoss, ...] = ()
    single: ShuffledLoss | None = None
    count: int = 1
    summed: bool = False
    least_concentration: float = 0.0

    def reverse(self) -> PrivacyLoss:
        single = None if self.single is None else self.single._reversed()
        return evolve(self._reversed(), single=single)

    def _reversed(self) -> ShuffledLoss:
        others, moments = (tuple(loss.reverse() for loss in several) for several in (self.others, self.moments))
        return evolve(self, below=self.below.reverse(), others=others, moments=moments)

    def sharpened(self, precision: float) -> PrivacyLoss:
        others = tuple(loss.sharpened(precision) for loss in self.others)
        return evolve(self, above=self.above.sharpened(precision), below=self.below.sharpened(precision), others=others)

    def repeated(self, count: int) -> PrivacyLoss | None:
        """The product of the pairs, of each that is attained with itself."""
        if self.count > 1 or not 1 < count <= _FEW:
            return None
        most = None if self.most_concentration is None else self.most_concentration * count
        above, below = (compose([(loss, count)]) for loss in (self.above, self.below))
        others, moments = (tuple(compose([(loss, count)]) for loss in several) for several in (self.others, self.moments))
        least = times_down(self.least_concentration, count)
        return ShuffledLoss(above, below, most, others, moments, self, count, self.summed, least)

    def taken_apart(self) -> tuple[tuple[PrivacyLoss, int], ...]:
        return ((self, 1),) if self.single is None else ((self.single, self.count),)

    def delta_formula(self, epsilon: float) -> Interval:
        return self._raised(super().delta_formula(epsilon), lambda loss: loss.delta(epsilon).lower)

    def _epsilon_at(self, target: Fraction, least: float = 0.0) -> Interval:
        return self._raised(super()._epsilon_at(target, least), lambda loss: loss.epsilon(target, least=least).lower)

    def _tradeoff_at(self, level: Fraction) -> Interval:
        known = super()._tradeoff_at(level)
        upper = min([known.upper, *(loss.tradeoff(level).upper for loss in self.others)])
        return Interval(known.lower, max(known.lower, upper))

    def log_moment_formula(self, order: float) -> Interval:
        return self._raised(super().log_moment_formula(order), lambda loss: loss._log_moment_at(order).lower, self.moments)

    def concentration_formula(self) -> Interval:
        known = self._raised(super().concentration_formula(), lambda loss: loss.concentration().lower, self.moments)
        lower = max(known.lower, self.least_concentration)
        # Of so few reports that all sums are looked at, the pair's own moments are known at all orders.
        upper = min(known.upper, self.above.concentration().upper) if self.summed else known.upper
        return Interval(min(lower, upper), upper)

    def _raised(
        self, known: Interval, lower: Callable[[PrivacyLoss], float], further: tuple[PrivacyLoss, ...] = ()
    ) -> Interval:
        """The same with its lower end raised to the largest that is attained."""
        return Interval(min(max([known.lower, *map(lower, (*self.others, *further))]), known.upper), known.upper)


def shuffled_loss(epsilon: Fraction, reports: int) -> PrivacyLoss:
    """The loss of so many shuffled reports, each through a randomiser of which only epsilon is known."""
    if reports == 1:
        return ResponseLoss(epsilon)
    if not _LEAST <= epsilon <= _MOST:
        # Shuffling never adds to the loss; and whoever keeps a smaller epsilon keeps this one too.
        return BracketLoss(ResponseLoss(epsilon), _below(_MOST, reports)[0] if epsilon > _MOST else NO_LOSS)
    first, others = _below(epsilon, reports)
    return ShuffledLoss(
        HiddenReportLoss(epsilon, reports, silent=0, above=True),
        first,
        most_concentration(epsilon, reports),
        others if reports <= _SMALL else (),
        others if _SMALL < reports <= WHOLE else (),
        summed=reports <= WHOLE,
        least_concentration=0.0 if reports <= WHOLE else least_concentration(epsilon, reports),
    )


def _below(epsilon: Fraction, reports: int) -> tuple[PrivacyLoss, tuple[PrivacyLoss, ...]]:
    """The loss of randomised response over three categories while all others hold the third, or over two categories.

    All are attained. Three categories lose more where clones are many and epsilon is above log 2; of few reports, and of
    moments, which one does depends on what is asked. Over two categories, all others may hold the one or the other.
    """
    clones = 2.0 * reports * exponentials(epsilon)[0]
    counted, hidden = CountedAnswersLoss(epsilon, reports), HiddenReportLoss(epsilon, reports, silent=1, above=False)
    if clones > 32.0 and clones * (float(epsilon) - 0.69) > 32.0:
        return hidden, (counted, counted.reverse())
    return counted, (counted.reverse(), *([hidden] if reports <= _SMALL else []))
