"""Report noisy max."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

from attrs import field, frozen

from accountant import InvalidValue, Theorem, fields
from accountant.plugin import Mechanism, Relation, Shift
from accountant_selection.monotone import about_monotone, check_relation, check_shift, flag

if TYPE_CHECKING:
    from accountant.loss import PrivacyLoss

NOISES = ("exponential", "gumbel", "laplace")

NOISY_MAX = Theorem(
    "noisy-max-loss",
    "When two scores move apart by at most r scales, the index of the largest score after exponential or Laplace noise is "
    "dominated by the pair of Laplace noise on a move by r scales, and several are by the best choice of two candidates "
    "with exponential noise at each step; after Gumbel noise all its losses lie in an interval of length r.",
    "accountant",
    "explanation/choosing-one-of-many",
    ("independent noise of the same scale on every score", "only the index is released, not the noisy score"),
    assurance="proved-here",
)


def _noise(value: str) -> str:
    if value not in NOISES:
        raise InvalidValue(f"expected one of {', '.join(NOISES)}, got {value!r}")
    return value


@frozen
class ReportNoisyMax(Mechanism):
    """The index of the largest score after noise on every score.

    Between neighbours no score moves by more than the query's largest move, so two scores move apart by at most twice that,
    or by once that if all move in the same direction.
    """

    kind: ClassVar[str] = "report-noisy-max"
    theorem: ClassVar[Theorem] = NOISY_MAX

    noise: str = field(
        converter=_noise,
        metadata=fields.about(
            "the noise on every score: exponential, gumbel or laplace", schema={"type": "string", "enum": list(NOISES)}
        ),
    )
    scale: Fraction = field(
        converter=fields.exact, validator=fields.above(0), metadata=fields.about("the scale of the noise")
    )
    monotone: bool = field(default=False, converter=flag, metadata=about_monotone("scores"))

    def check(self, relation: Relation) -> None:
        if self.monotone:
            check_relation(self.kind, relation)

    def scaled(self, factor: Fraction) -> ReportNoisyMax:
        return ReportNoisyMax(self.noise, self.scale * factor, self.monotone)

    def loss(self, shift: Shift) -> PrivacyLoss:
        if self.monotone:
            check_shift(self.kind, shift)
        ratio = shift.linf * (1 if self.monotone else 2) / self.scale
        if self.noise == "gumbel":
            from accountant_selection.range_loss import RangeLoss

            return RangeLoss(ratio)
        from accountant_selection.noisy_max_loss import NoisyMaxLoss

        return NoisyMaxLoss(ratio, laplace=self.noise == "laplace")
