"""The loss of a table: between any two of its rows, in either order."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction

from attrs import frozen

from accountant.loss.families.finite import FiniteLoss
from accountant.loss.families.rivals import Event, RivalledLoss
from accountant.loss.families.two_sided import between
from accountant.loss.readings.base import PrivacyLoss
from accountant.numbers.interval import Interval, larger

_MOST_PAIRS = 12


def loss_of_rows(above: FiniteLoss, pairs: Iterable[FiniteLoss]) -> PrivacyLoss:
    """The loss of a mechanism that compares one of these pairs, of which `above` is the least that dominates all.

    Guarantee: that loss itself where one of the pairs has it.
    """
    several = set(pairs)
    if above in several:
        return above
    worst = sorted(several, key=lambda pair: (-pair.renyi(2).lower, pair.atoms))
    return RowsLoss(above, worst[0], None, tuple(worst[:_MOST_PAIRS]), complete=len(worst) <= _MOST_PAIRS)


@frozen
class RowsLoss(RivalledLoss):
    """The loss of one of several pairs, closed under exchanging their worlds; `above` dominates all, and none has it.

    Deltas at an epsilon are those of `above`, since the worst pair attains each. Moments, powers and what several releases
    lose are at most those of `above`, and at least those of the worst pair.
    """

    pairs: tuple[FiniteLoss, ...] = ()
    complete: bool = True
    """Whether these are all pairs, and not only the worst ones."""

    def reverse(self) -> PrivacyLoss:
        return self

    def rivals(self, chance: float, at: Event = "gain") -> tuple[PrivacyLoss, ...]:
        place = Fraction(chance)
        if not 0 < place < 1:
            return self.pairs
        if at == "level":
            return tuple(sorted(self.pairs, key=lambda pair: pair.tradeoff(place).upper))
        return tuple(sorted(self.pairs, key=lambda pair: -pair.epsilon(place).lower))

    def delta_formula(self, epsilon: float) -> Interval:
        return self.above._delta_at(epsilon)

    def _epsilon_at(self, target: Fraction, least: float = 0.0) -> Interval:
        return self.above._epsilon_at(target, least)

    def infinite_formula(self) -> Interval:
        return self.above.infinite()

    def supremum_formula(self) -> Interval:
        return self.above.supremum()

    def _tradeoff_at(self, level: Fraction) -> Interval:
        if not self.complete:
            return super()._tradeoff_at(level)
        found = [pair.tradeoff(level) for pair in self.pairs]
        return Interval(min(value.lower for value in found), min(value.upper for value in found))

    def log_moment_formula(self, order: float) -> Interval:
        return self._largest(lambda loss: loss._log_moment_at(order))

    def concentration_formula(self) -> Interval:
        return self._largest(lambda loss: loss.concentration())

    def _largest(self, reading: Callable[[PrivacyLoss], Interval]) -> Interval:
        """The largest value of a reading over all pairs, which is at most what dominates them has."""
        found = larger(map(reading, self.pairs))
        return found if self.complete else between(found, reading(self.above))
