"""The loss of a release that has one of several losses, and nobody says which."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction

from attrs import frozen

from accountant.loss.families.rivals import Event, RivalledLoss
from accountant.loss.readings.base import PrivacyLoss
from accountant.numbers.interval import Interval, larger


@frozen
class OneOf(RivalledLoss):
    """A loss that is one of `several`, of which `above` is the smallest that dominates all.

    Guarantee: delta of `above` is that of one of them at every epsilon, and so are its supremum and what is infinite. Where
    they are `complete`, one release has one of these and no other, so that every reading is the largest of theirs. Of
    several releases lower ends belong to one of them for each.
    """

    several: tuple[PrivacyLoss, ...] = ()
    complete: bool = True

    @classmethod
    def of(cls, above: PrivacyLoss, losses: Iterable[PrivacyLoss], *, complete: bool = True) -> PrivacyLoss:
        """The loss itself where one of them dominates all others."""
        several = tuple(dict.fromkeys(losses))
        if above in several:
            return above
        below = max(several, key=lambda loss: loss._log_moment_at(1.0).lower)
        return cls(above, below, several=several, complete=complete)

    def each(self, change: Callable[[PrivacyLoss], PrivacyLoss]) -> PrivacyLoss:
        """The same after a change of all losses under which the one that dominates still is the smallest that does."""
        return OneOf.of(change(self.above), map(change, self.several), complete=self.complete)

    def reverse(self) -> PrivacyLoss:
        back = [loss.reverse() for loss in self.several]
        same = self.above.reverse() == self.above and set(back) == set(self.several)
        return self if same else OneOf.of(self.above.reverse(), back, complete=self.complete)

    def sharpened(self, precision: float) -> PrivacyLoss:
        return self

    def rivals(self, chance: float, at: Event = "gain") -> tuple[PrivacyLoss, ...]:
        """The one that is worst for such tests."""
        place = Fraction(min(max(chance, 1e-300), 1.0 - 1e-9))

        def missed(loss: PrivacyLoss) -> float:
            if at == "gain":
                return -loss.epsilon(place).lower
            return loss.tradeoff(place).upper if at == "level" else loss.reverse().tradeoff(1 - place).upper

        return (min(self.several, key=missed),)

    def read(self, reading: Callable[[PrivacyLoss], Interval]) -> Interval:
        """A reading of one release that grows with the loss."""
        found = larger(map(reading, self.several))
        if self.complete:
            return found
        upper = reading(self.above).upper
        return Interval(min(found.lower, upper), upper)

    def delta_formula(self, epsilon: float) -> Interval:
        return self.above._delta_at(epsilon)

    def infinite_formula(self) -> Interval:
        return self.above.infinite()

    def supremum_formula(self) -> Interval:
        return self.above.supremum()

    def _epsilon_at(self, target: Fraction, least: float = 0.0) -> Interval:
        return self.above._epsilon_at(target, least)

    def _tradeoff_at(self, level: Fraction) -> Interval:
        """From above by the best test between two of them; the curve that dominates is what mixing such tests may reach."""
        upper = min(loss.tradeoff(level).upper for loss in self.several)
        return Interval(min(self.above.tradeoff(level).lower, upper), upper)

    def log_moment_formula(self, order: float) -> Interval:
        return self.read(lambda loss: loss._log_moment_at(order))

    def concentration_formula(self) -> Interval:
        return self.read(lambda loss: loss.concentration())
