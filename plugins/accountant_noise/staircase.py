"""Staircase noise."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

from attrs import evolve, field, frozen

from accountant import ShiftError, Theorem, fields, loss as losses
from accountant.plugin import Mechanism, Shift

if TYPE_CHECKING:
    from accountant import Interval
    from accountant.loss import PrivacyLoss

STAIRCASE = Theorem(
    "staircase-privacy-loss",
    "Staircase noise x, whose density falls by e^-epsilon at every stair, on a shift d loses epsilon times how many more "
    "stairs lie between 0 and |x - d| than between 0 and |x| in every coordinate, independently, and at most epsilon times "
    "|d|/sensitivity, rounded up, in each.",
    "accountant",
    "reference/mechanisms/staircase",
    ("independent noise in every coordinate",),
    assurance="proved-here",
)

# Beyond these the loss is enclosed: by randomised response from above, by that of fewer stairs from below.
_MOST_STAIRS = 2**12
_LEAST_GAMMA, _STEEP, _STEEPEST = Fraction(1, 10**250), Fraction(500), Fraction(10**250)


@frozen
class Staircase(Mechanism):
    """Independent staircase noise on every coordinate of the answer: with the right gamma, the least that keeps epsilon.

    Its density falls by e^-epsilon at gamma, gamma + 1, gamma + 2, ... times the sensitivity, on both sides of 0.
    """

    kind: ClassVar[str] = "staircase"
    theorem: ClassVar[Theorem] = STAIRCASE

    epsilon: Fraction = field(
        converter=fields.exact,
        validator=fields.above(0),
        metadata=fields.about("the loss at every stair: the largest loss of an answer that moves by the sensitivity"),
    )
    gamma: Fraction = field(
        converter=fields.exact,
        validator=[fields.at_least(0), fields.at_most(1)],
        metadata=fields.about("how far from 0 the first stair is, as a share of the sensitivity"),
    )
    sensitivity: Fraction = field(
        default=Fraction(1),
        converter=fields.exact,
        validator=fields.above(0),
        metadata=fields.about("the distance of stairs: how far the answer may move at the cost of epsilon"),
    )

    def scaled(self, factor: Fraction) -> Staircase:
        return evolve(self, sensitivity=self.sensitivity * factor)

    def loss(self, shift: Shift) -> PrivacyLoss:
        if shift.coordinates is None:
            raise ShiftError(
                f"'{self.kind}' loses epsilon at every stair that a coordinate passes, but the query moves {shift}, and in "
                "how many coordinates is not known; state the shift as a 'vector', or use 'laplace'"
            )
        return losses.compose((self._alone(abs(move) / self.sensitivity), 1) for move in shift.coordinates)

    def error(self, share: Fraction) -> Interval | None:
        if self.epsilon > _STEEPEST or (self.gamma and self.gamma < _LEAST_GAMMA):
            return None
        from accountant.plugin import distance
        from accountant_noise.laws import StaircaseNoise

        return distance(StaircaseNoise(self.epsilon, self.gamma or Fraction(1), self.sensitivity), share)

    def _alone(self, move: Fraction) -> PrivacyLoss:
        """The loss of one coordinate that moves by so many stairs."""
        from accountant_noise.pure_loss import PureLoss
        from accountant_noise.staircase_loss import StaircaseLoss

        # A stair at 0 itself makes no difference, and the next one is a whole step away.
        gamma, top = self.gamma or Fraction(1), self.epsilon * math.ceil(move)
        if top > _STEEPEST or (gamma < _LEAST_GAMMA and self.epsilon > _STEEP):
            return PureLoss(losses.ResponseLoss(top), losses.NO_LOSS)
        if move > _MOST_STAIRS:
            return PureLoss(losses.ResponseLoss(top), StaircaseLoss(self.epsilon, gamma, Fraction(_MOST_STAIRS)))
        return StaircaseLoss(self.epsilon, gamma, move)
