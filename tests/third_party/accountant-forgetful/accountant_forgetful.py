"""A coin with a bug that two accounting libraries have had: it forgets how many answers move."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

from attrs import field, frozen

from accountant import fields, loss as losses
from accountant.plugin import ConformanceCase, Mechanism, MechanismCase, MechanismOracle, Shift, Theorem, hookimpl

if TYPE_CHECKING:
    from accountant.loss import FiniteLoss, PrivacyLoss

COIN = Theorem(
    name="forgetful-coin-loss",
    statement="An answer that is kept with some chance and flipped otherwise has the loss of that pair.",
    key="accountant-forgetful",
    locator="-",
    assurance="claimed",
)


@frozen
class ForgetfulCoin(Mechanism):
    """Yes-or-no answers, each kept with the same chance and flipped otherwise."""

    kind: ClassVar[str] = "forgetful-coin"
    theorem: ClassVar[Theorem] = COIN

    kept: Fraction = field(
        converter=fields.exact,
        validator=[fields.above(Fraction(1, 2)), fields.below(1)],
        metadata=fields.about("the chance that an answer is kept"),
    )

    def loss(self, shift: Shift) -> PrivacyLoss:
        # The bug: every answer that moves is flipped by its own coin, so the loss should be taken len(coordinates) times.
        return self.pair()

    def pair(self) -> FiniteLoss:
        """The exact pair of one answer."""
        return losses.FiniteLoss([(self.kept, 1 - self.kept), (1 - self.kept, self.kept)])


@hookimpl
def accountant_mechanisms() -> Iterable[type[Mechanism]]:
    return (ForgetfulCoin,)


@hookimpl
def accountant_theorems() -> Iterable[Theorem]:
    return (COIN,)


@hookimpl
def accountant_conformance_cases() -> Iterable[ConformanceCase]:
    one = losses.FiniteLoss([("3/4", "1/4"), ("1/4", "3/4")])
    yield MechanismCase("one answer", ForgetfulCoin("3/4"), Shift.along([1]), (one,))
    yield MechanismOracle("forgetful-coin", law=_tossed, answers=lambda coin: (0, 1))


def _tossed(coin: ForgetfulCoin, answer: Fraction) -> dict[Hashable, Fraction]:
    return {answer: coin.kept, 1 - answer: 1 - coin.kept}
