"""Exact noise: a mechanism for small worlds, with probabilities that are rationals. A plugin that is never installed."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import ClassVar

from attrs import field, frozen

from accountant.errors import ShiftError
from accountant.fields import about, at_least, below, exact
from accountant.loss import NO_LOSS, BracketLoss, FiniteLoss, PrivacyLoss
from accountant.plugin.hookspecs import hookimpl
from accountant.promise.theorem import Theorem
from accountant.release.query import Shift
from accountant.release.release import Mechanism

EXACT = Theorem(
    "exact-noise",
    "Between counts that differ by c, noise that is r times as likely with every step from 0 has finitely many likelihood "
    "ratios: r^-c where it speaks most for one count, r^c where it speaks most for the other, and those between.",
    "accountant",
    "explanation/one-loss",
    assurance="proved-here",
)


@frozen
class ExactNoise(Mechanism):
    """Whole noise on every count, each step from 0 as many times as likely as the one before."""

    kind: ClassVar[str] = "exact-noise"
    theorem: ClassVar[Theorem] = EXACT

    ratio: Fraction = field(
        converter=exact,
        validator=[at_least(0), below(1)],
        metadata=about("how many times as likely the noise is with every step from 0; no noise where it is 0"),
    )

    settled: bool = field(
        default=True,
        metadata=about("whether it is known to lose so much, or may as well lose nothing", {"type": "boolean"}),
    )

    def loss(self, shift: Shift) -> PrivacyLoss:
        most = self._most(shift)
        return most if self.settled else BracketLoss(most, NO_LOSS)

    def _most(self, shift: Shift) -> PrivacyLoss:
        product: FiniteLoss | None = None
        for move in filter(None, map(abs, shift.coordinates or self._worst(shift))):
            pair = FiniteLoss(self.pair(int(move)))
            product = pair if product is None else product.times(pair)
        return NO_LOSS if product is None else product

    def _worst(self, shift: Shift) -> list[Fraction]:
        """The worst moves of up to two records.

        One count that moves by 2 tells more than two that move by 1: it speaks as strongly, and more often so.
        """
        if shift.linf != 2 or shift.l1 not in (2, 4):
            raise ShiftError("exact noise is for up to two records that differ")
        return [shift.linf] * int(shift.l1 / 2)

    def pair(self, move: int) -> list[tuple[Fraction, Fraction]]:
        """The two laws of one noisy count that moves, outcomes beyond both counts taken together."""
        ratio = self.ratio
        middle = [
            ((1 - ratio) * ratio**place / (1 + ratio), (1 - ratio) * ratio ** (move - place) / (1 + ratio))
            for place in range(1, move)
        ]
        near, far = 1 / (1 + ratio), ratio**move / (1 + ratio)
        return [(near, far), *middle, (far, near)]


@hookimpl
def accountant_mechanisms() -> Iterable[type[Mechanism]]:
    return (ExactNoise,)
