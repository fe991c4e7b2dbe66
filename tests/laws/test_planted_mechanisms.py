"""Every law of mechanisms catches a planted error, and holds for the honest version."""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

import pytest
from attrs import field, frozen

from accountant import PrivacyLoss, default_registry, fields
from accountant.loss import FiniteLoss, ResponseLoss
from accountant.plugin import Shift
from accountant.testing import laws
from tests.laws.planted import COIN, ONE, SKEWED, TWO, Coin, ShrinksInCompany, case, registry_with


@frozen
class ClaimsTooLittle(Coin):
    """A claim that its own table beats."""

    def loss(self, shift: Shift) -> PrivacyLoss:
        return FiniteLoss([("5/8", "3/8"), ("3/8", "5/8")])


@frozen
class ForgetsCoordinates(Coin):
    """A claim for one answer, whatever moves."""

    def loss(self, shift: Shift) -> PrivacyLoss:
        return self.pair()


@frozen
class OneDirection(Coin):
    """A claim for one direction of a pair that is not symmetric."""

    def loss(self, shift: Shift) -> PrivacyLoss:
        return PretendsToBeSymmetric(SKEWED.atoms)


@frozen
class PretendsToBeSymmetric(FiniteLoss):
    """A pair that is not symmetric but says so."""

    def reverse(self) -> PrivacyLoss:
        return self


@frozen
class CheaperFarAway(Coin):
    """A mechanism that divides where it should multiply."""

    def loss(self, shift: Shift) -> PrivacyLoss:
        return ResponseLoss(1 / shift.l1)


def halved(value: str | Fraction) -> Fraction:
    return Fraction(fields.exact(value)) / 2


@frozen
class HalvesOnReading(Coin):
    """A parameter that changes each time it is read."""

    kind: ClassVar[str] = "halving-coin"

    scale: Fraction = field(default=Fraction(8), converter=halved, metadata=fields.about("halved on every reading"))


@pytest.mark.parametrize(
    ("planted", "honest", "shift", "pair"),
    [
        (ClaimsTooLittle, Coin, ONE, COIN),
        (ForgetsCoordinates, Coin, TWO, COIN.times(COIN)),
        (OneDirection, None, ONE, SKEWED),
    ],
)
def test_a_claim_that_its_exact_pairs_beat_is_caught(
    planted: type[Coin], honest: type[Coin] | None, shift: Shift, pair: FiniteLoss
) -> None:
    if honest is not None:
        laws.exact_pairs_never_beat_the_claim(case(honest("3/4"), shift, pair))
    with pytest.raises(AssertionError, match="an exact pair of the mechanism beats its claimed loss") as caught:
        laws.exact_pairs_never_beat_the_claim(case(planted("3/4"), shift, pair))
    assert "at epsilon" in str(caught.value)


def test_a_claim_that_only_holds_alone_is_caught_when_repeated() -> None:
    laws.repeated_pairs_never_beat_the_claim(case(Coin("3/4"), ONE, COIN))
    planted = case(ShrinksInCompany("3/4"), ONE, COIN)
    laws.exact_pairs_never_beat_the_claim(planted)
    with pytest.raises(AssertionError, match="the exact product of 3 releases beats their claimed loss"):
        laws.repeated_pairs_never_beat_the_claim(planted)


def test_a_mechanism_that_gets_cheaper_with_distance_is_caught() -> None:
    laws.larger_shifts_never_cost_less(case(Coin("3/4")))
    with pytest.raises(AssertionError, match="a larger shift must not cost less"):
        laws.larger_shifts_never_cost_less(case(CheaperFarAway("3/4")))


def test_a_parameter_that_changes_on_reading_is_caught() -> None:
    registry = registry_with(mechanisms=[Coin, HalvesOnReading])
    laws.written_and_read_is_equal(case(Coin("3/4")), registry)
    with pytest.raises(AssertionError, match="must survive being written and read"):
        laws.written_and_read_is_equal(case(HalvesOnReading("3/4")), registry)


def test_a_mechanism_that_cannot_be_read_back_is_caught() -> None:
    with pytest.raises(AssertionError, match="must be readable after it is written"):
        laws.written_and_read_is_equal(case(Coin("3/4")), default_registry())
