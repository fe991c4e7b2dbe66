"""Losses of which only the largest value is known exactly."""

from __future__ import annotations

from attrs import frozen

from accountant import Interval
from accountant.loss import BracketLoss


@frozen
class PureLoss(BracketLoss):
    """A loss that is known from both sides, and whose supremum is exactly that of the loss above.

    Noise whose largest loss is proportional to how far a coordinate moves has a largest loss proportional to the L1 norm of
    the move, and that is attained; how likely it is depends on the coordinates, which are not always known.
    """

    def supremum_formula(self) -> Interval:
        return self.above.supremum()
