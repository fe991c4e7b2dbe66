"""Geometric noise, also called discrete Laplace noise."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

from attrs import field, frozen

from accountant import Theorem, fields, loss as losses
from accountant.plugin import Mechanism, Shift
from accountant_noise.laplace import SCALE
from accountant_noise.moves import GATHERED, whole_moves, whole_norms

if TYPE_CHECKING:
    from accountant.loss import Noise, PrivacyLoss

GEOMETRIC = Theorem(
    "geometric-privacy-loss",
    "Geometric noise k, with chances proportional to e^(-|k|/scale), on a whole shift d has the loss (|k - d| - |k|)/scale "
    "in every coordinate, independently, and at most |d|/scale in the L1 norm altogether.",
    "ghosh2012universally",
    "Section 2",
    ("independent noise of the same scale in every coordinate", "whole answers"),
)


@frozen
class Geometric(Mechanism):
    """Independent geometric noise on every coordinate of a whole-numbered answer: Laplace noise on whole numbers."""

    kind: ClassVar[str] = "geometric"
    theorem: ClassVar[Theorem] = GEOMETRIC
    instead: ClassVar[Mapping[str, str]] = SCALE

    scale: Fraction = field(
        converter=fields.exact,
        validator=fields.above(0),
        metadata=fields.about("the scale of the noise: k is e^(1/scale) times as likely as k + 1, for k from 0 on"),
    )

    def scaled(self, factor: Fraction) -> Geometric:
        return Geometric(self.scale * factor)

    def loss(self, shift: Shift) -> PrivacyLoss:
        moves = whole_moves(self.kind, shift, "laplace")
        if moves is not None:
            return losses.compose((self._alone(move), 1) for move in moves)
        from accountant_noise.pure_loss import PureLoss

        above, below = (self._alone(move) for move in whole_norms(shift))
        return PureLoss(above, below)

    def added_noise(self) -> Noise:
        from accountant_noise.laws import GeometricNoise

        return GeometricNoise(self.scale)

    def attained(self, shift: Shift) -> tuple[PrivacyLoss, ...]:
        return () if shift.heaviest is None else (self.loss(shift),)

    def settled_by(self, shift: Shift) -> tuple[Theorem, ...]:
        return (GATHERED,) if shift.coordinates is None else ()

    def _alone(self, move: int) -> PrivacyLoss:
        """The loss of one coordinate. A move by 1 is randomised response."""
        if move == 1:
            return losses.ResponseLoss(1 / self.scale)
        from accountant_noise.geometric_loss import GeometricLoss

        return GeometricLoss(1 / self.scale, move)
