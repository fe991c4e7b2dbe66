"""A loss known from both sides, of which some instances are bad at one place and others at another."""

from __future__ import annotations

from abc import abstractmethod
from fractions import Fraction
from typing import Literal

from attrs import evolve, field, frozen

from accountant.loss.families.two_sided import BracketLoss
from accountant.loss.readings.base import PrivacyLoss
from accountant.loss.readings.closing import delta_of_moments, epsilon_of_moments
from accountant.numbers.interval import Interval

_WIDE = 1e-3
Event = Literal["gain", "level", "power"]


@frozen
class RivalledLoss(BracketLoss):
    """A bracket beside which there are further losses that the release can have, each bad for some events.

    Guarantee: lower ends belong to `below` or to one of these, whichever loses more at the place that is read.
    """

    sought: bool = field(default=True, kw_only=True, eq=False, repr=False)
    """Whether further losses are looked for, as whoever reads lower ends wants."""

    @abstractmethod
    def rivals(self, chance: float, at: Event = "gain") -> tuple[PrivacyLoss, ...]:
        """Losses that the release can have, each bad for tests of about this level or this power, or at this delta."""

    @property
    def for_upper_ends(self) -> RivalledLoss:
        """The same for whoever reads upper ends only."""
        return evolve(self, sought=False)

    def _beside(self, chance: float, at: Event = "gain") -> tuple[PrivacyLoss, ...]:
        return self.rivals(chance, at) if self.sought else ()

    def alone(self) -> BracketLoss:
        """The bracket without its rivals: its upper ends are the same, and are found faster."""
        return BracketLoss(self.above, self.below, self.most_concentration)

    def delta_within(self, left: float, right: float) -> Interval:
        known = super().delta_within(left, right)
        if not _wide(known):
            return known
        if left > 0.0:
            known = _lowered(known, delta_of_moments(self, left))
        return _raised(known, [rival.delta(right) for rival in self._beside(known.upper)])

    def _epsilon_at(self, target: Fraction, least: float = 0.0) -> Interval:
        known = super()._epsilon_at(target, least)
        if known.upper <= least or not _wide(known):
            return known
        known = _lowered(known, epsilon_of_moments(self, target))
        return _raised(known, [rival.epsilon(target, least=least) for rival in self._beside(float(target))])

    def _tradeoff_at(self, level: Fraction) -> Interval:
        known = super()._tradeoff_at(level)
        if not _wide(known):
            return known
        rivals = [rival.tradeoff(level).upper for rival in self._beside(float(level), "level")]
        return Interval(known.lower, max(known.lower, min([known.upper, *rivals])))


def _lowered(known: Interval, most: float) -> Interval:
    """The same with its upper end lowered to what moments say: whoever reads a narrow value does not ask them again."""
    return Interval(min(known.lower, most), min(known.upper, most))


def _wide(known: Interval) -> bool:
    return known.width > _WIDE * known.upper


def _raised(known: Interval, rivals: list[Interval]) -> Interval:
    """The same with its lower end raised to the largest of some that are attained."""
    return Interval(min(max([known.lower, *(rival.lower for rival in rivals)]), known.upper), known.upper)
