"""The loss of the sparse vector technique."""

from __future__ import annotations

from attrs import frozen

from accountant import Interval, PrivacyLoss
from accountant.loss import BracketLoss


@frozen
class StreamLoss(BracketLoss):
    """A bracket whose largest loss some streams come as close to as one likes."""

    def sharpened(self, precision: float) -> PrivacyLoss:
        return StreamLoss(self.above, self.below.sharpened(precision))

    def supremum_formula(self) -> Interval:
        return self.above.supremum()
