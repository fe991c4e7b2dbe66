"""Laplace noise."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

from attrs import field, frozen

from accountant import Theorem, fields, loss as losses
from accountant.plugin import Mechanism, Shift
from accountant_noise.moves import GATHERED

if TYPE_CHECKING:
    from numpy.random import Generator

    from accountant.loss import Floats, Noise, PrivacyLoss

LAPLACE = Theorem(
    "laplace-privacy-loss",
    "Laplace noise of a scale on a shift d has the loss (|x - d| - |x|)/scale in every coordinate, independently, and at "
    "most |d|/scale in the L1 norm altogether.",
    "dwork2006calibrating",
    "Proposition 1",
    ("independent noise of the same scale in every coordinate",),
)


SCALE: Mapping[str, str] = {
    "epsilon": "give the noise, not what it costs: 'scale' is how far the query moves divided by epsilon",
    **dict.fromkeys(("noise", "noise_scale"), "did you mean 'scale'?"),
}
"""What to write for words that people expect noise of a scale to be given by."""


@frozen
class Laplace(Mechanism):
    """Independent Laplace noise on every coordinate of the answer."""

    kind: ClassVar[str] = "laplace"
    theorem: ClassVar[Theorem] = LAPLACE
    instead: ClassVar[Mapping[str, str]] = {
        **SCALE,
        **dict.fromkeys(("sigma", "std", "stddev"), "'scale' is the standard deviation divided by the square root of 2"),
    }

    scale: Fraction = field(
        converter=fields.exact,
        validator=fields.above(0),
        metadata=fields.about("the scale of the noise: its standard deviation divided by the square root of 2"),
    )

    def scaled(self, factor: Fraction) -> Laplace:
        return Laplace(self.scale * factor)

    def loss(self, shift: Shift) -> PrivacyLoss:
        from accountant_noise.laplace_loss import LaplaceLoss

        if shift.heaviest is None:
            from accountant_noise.pure_loss import PureLoss

            return PureLoss(LaplaceLoss(shift.l1 / self.scale), LaplaceLoss(shift.linf / self.scale))
        return losses.compose((LaplaceLoss(abs(move) / self.scale), 1) for move in shift.heaviest)

    def added_noise(self) -> Noise:
        from accountant_noise.laws import LaplaceNoise

        return LaplaceNoise(self.scale)

    def attained(self, shift: Shift) -> tuple[PrivacyLoss, ...]:
        return () if shift.heaviest is None else (self.loss(shift),)

    def settled_by(self, shift: Shift) -> tuple[Theorem, ...]:
        return (GATHERED,) if shift.coordinates is None else ()

    def simulate(self, answers: Floats, generator: Generator) -> Floats:
        return answers + generator.laplace(scale=float(self.scale), size=answers.shape)

    def log_ratio(self, outputs: Floats, first: Floats, second: Floats) -> Floats:
        ratios: Floats = (abs(outputs - first) - abs(outputs - second)).sum(axis=1) / float(self.scale)
        return ratios
