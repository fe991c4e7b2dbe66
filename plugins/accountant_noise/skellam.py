"""Skellam noise."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

from attrs import field, frozen

from accountant import Theorem, fields, loss as losses
from accountant.plugin import Mechanism, Shift
from accountant_noise.moves import GATHERED, whole_moves, whole_norms

if TYPE_CHECKING:
    from accountant.loss import Noise, PrivacyLoss

SKELLAM = Theorem(
    "skellam-privacy-loss",
    "Skellam noise k, the difference of two independent Poisson variables of mean variance/2, on a whole shift d has the "
    "loss log(I_|k|(variance)/I_|k - d|(variance)) in every coordinate, independently, which falls as k rises.",
    "accountant",
    "reference/mechanisms/skellam",
    ("independent noise of the same variance in every coordinate", "whole answers"),
    assurance="proved-here",
)


@frozen
class Skellam(Mechanism):
    """Independent Skellam noise on every coordinate of a whole-numbered answer: Poisson noise less Poisson noise."""

    kind: ClassVar[str] = "skellam"
    theorem: ClassVar[Theorem] = SKELLAM

    variance: Fraction = field(
        converter=fields.exact,
        validator=fields.above(0),
        metadata=fields.about("the variance of the noise: twice the mean of either Poisson variable"),
    )

    def scaled(self, factor: Fraction) -> Skellam:
        return Skellam(self.variance * factor**2)

    def loss(self, shift: Shift) -> PrivacyLoss:
        from accountant_noise.skellam_loss import SkellamLoss

        moves = whole_moves(self.kind, shift, "gaussian")
        if moves is not None:
            return losses.compose((SkellamLoss(self.variance, move), 1) for move in moves)
        above, below = (SkellamLoss(self.variance, move) for move in whole_norms(shift))
        return losses.BracketLoss(above, below)

    def added_noise(self) -> Noise:
        from accountant_noise.laws import SkellamNoise

        return SkellamNoise(self.variance)

    def attained(self, shift: Shift) -> tuple[PrivacyLoss, ...]:
        return () if shift.heaviest is None else (self.loss(shift),)

    def settled_by(self, shift: Shift) -> tuple[Theorem, ...]:
        return (GATHERED,) if shift.coordinates is None else ()
