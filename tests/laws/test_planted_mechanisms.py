"""Every law of mechanisms catches a planted error, and holds for the honest version."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import ClassVar

import pytest
from attrs import field, frozen

from accountant import PrivacyLoss, default_registry, fields
from accountant.loss import FiniteLoss, ResponseLoss, compose
from accountant.plugin import CASES, Mechanism, MechanismCase, Shift
from accountant.testing import laws
from accountant_noise import Gaussian, Laplace
from accountant_noise.laplace_loss import LaplaceLoss
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
    laws.exact_pairs_never_beat_the_claim(case(Coin("3/4"), ONE, COIN))
    planted = case(ShrinksInCompany("3/4"), ONE, COIN)
    with pytest.raises(AssertionError, match="the exact product of 3 releases beats their claimed loss"):
        laws.exact_pairs_never_beat_the_claim(planted)


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


# Consistency ------------------------------------------------------------------------------------------------------------


@frozen
class Noise(Laplace):
    """Laplace noise, honestly accounted for."""


@frozen
class NormsTooCheap(Noise):
    """The L2 norm, rounded down, where only norms are known: less than what two coordinates cost."""

    def loss(self, shift: Shift) -> PrivacyLoss:
        if shift.coordinates is None:
            return LaplaceLoss(shift.linf / self.scale / 2)
        return super().loss(shift)


@frozen
class HalvesCostMore(Noise):
    """Moves by whole scales are cheap, and those between are not bounded by them."""

    def loss(self, shift: Shift) -> PrivacyLoss:
        moves = shift.coordinates or (shift.l1,)
        return compose((LaplaceLoss(abs(move) / self.scale * (1 if move.denominator == 1 else 3)), 1) for move in moves)


@frozen
class SecondCoordinateLowers(Noise):
    """Two coordinates share what one of them costs, and more than that."""

    def loss(self, shift: Shift) -> PrivacyLoss:
        return LaplaceLoss(shift.linf / self.scale / len(shift.coordinates or (1,)) ** 2)


@frozen
class ScaledTheWrongWay(Noise):
    """Twice the noise is half of it."""

    def scaled(self, factor: Fraction) -> Laplace:
        return Laplace(self.scale / factor)


@frozen
class ForgetsRepetition(LaplaceLoss):
    """A loss that knows better what many releases cost, and is wrong."""

    def repeated(self, count: int) -> PrivacyLoss | None:
        return None if count < 11 else LaplaceLoss(self.ratio * 2)


@frozen
class CheapInLargeNumbers(Noise):
    """Many releases for the price of two."""

    def loss(self, shift: Shift) -> PrivacyLoss:
        return ForgetsRepetition(shift.l1 / self.scale)


@frozen
class OnlyWrongAtTheTenth(Noise):
    """A claim that is too small from the seventh digit on."""

    def loss(self, shift: Shift) -> PrivacyLoss:
        return LaplaceLoss(shift.l1 / self.scale * (1 - Fraction(1, 10**8)))


@frozen
class CrashesOnUnequalMoves(Noise):
    """An error that no user can read."""

    def loss(self, shift: Shift) -> PrivacyLoss:
        return LaplaceLoss(1 / (shift.linf - 1))


@pytest.mark.parametrize(
    ("law", "planted", "shift", "words"),
    [
        (laws.norms_dominate_coordinates, NormsTooCheap, TWO, "known by its norms must cost no less"),
        (laws.larger_shifts_never_cost_less, HalvesCostMore, ONE, "must bound smaller moves"),
        (laws.larger_shifts_never_cost_less, SecondCoordinateLowers, ONE, "a larger shift must not cost less"),
        (laws.more_noise_never_costs_more, ScaledTheWrongWay, ONE, "more noise must not cost more"),
        (laws.one_more_release_never_costs_less, CheapInLargeNumbers, ONE, "more releases must not cost less"),
        (laws.larger_shifts_never_cost_less, CrashesOnUnequalMoves, ONE, "must claim a loss or refuse"),
    ],
    ids=lambda item: getattr(item, "__name__", None),
)
def test_a_claim_that_contradicts_itself_is_caught(
    law: Callable[..., None], planted: type[Noise], shift: Shift, words: str
) -> None:
    law(case(Noise(2), shift))
    with pytest.raises(AssertionError, match=words) as caught:
        law(case(planted(2), shift))
    assert "look at" in str(caught.value)


@pytest.mark.parametrize("shift", [Shift.along([1, 1]), ONE], ids=["two coordinates", "one"])
def test_noise_that_is_not_independent_may_lose_more_by_a_smaller_move(shift: Shift) -> None:
    """What two coordinates share in noise is seen better where one of them moves alone."""
    laws.larger_shifts_never_cost_less(case(Gaussian(covariance=[[5, 3], [3, 5]]), shift))


def test_a_claim_must_hold_in_both_orders() -> None:
    """A shift does not tell which of two neighbours has more."""

    @frozen
    class OneOrder(Coin):
        def loss(self, shift: Shift) -> PrivacyLoss:
            return SKEWED

    with pytest.raises(AssertionError, match="dominate the pair in both orders"):
        laws.exact_pairs_never_beat_the_claim(case(OneOrder("3/4"), ONE, SKEWED))


def test_a_reverse_that_is_ignored_is_what_to_look_at() -> None:
    @frozen
    class Reversed(FiniteLoss):
        def reverse(self) -> PrivacyLoss:
            return FiniteLoss([("1/2", "1/2"), ("1/2", "1/2")])

    @frozen
    class Ignores(Coin):
        def loss(self, shift: Shift) -> PrivacyLoss:
            return Reversed(COIN.atoms)

    with pytest.raises(AssertionError, match="beats its claimed loss") as caught:
        laws.exact_pairs_never_beat_the_claim(case(Ignores("3/4"), ONE, COIN))
    assert "look at: Reversed.reverse" in str(caught.value)


def test_as_many_digits_are_shown_as_tell_two_numbers_apart() -> None:
    exact = next(case.pairs[0] for case in offered(Laplace) if case.name == "laplace 2")
    with pytest.raises(AssertionError, match="beats its claimed loss") as caught:
        laws.exact_pairs_never_beat_the_claim(case(OnlyWrongAtTheTenth(2), ONE, exact))
    facts = dict(line.strip().split(": ", 1) for line in str(caught.value).splitlines()[1:])
    ends = [Fraction(facts[name].split(" to ")[-1]) for name in ("delta that is claimed", "delta of the pair")]
    assert ends[0] < ends[1]


def offered(cls: type[Mechanism]) -> list[MechanismCase]:
    cases = default_registry().offered(CASES).values()
    return [case for case in cases if isinstance(case, MechanismCase) and isinstance(case.mechanism, cls)]


def test_noise_that_is_not_scaled_is_caught() -> None:
    @frozen
    class Unchanged(Noise):
        def scaled(self, factor: Fraction) -> Laplace:
            return self

    with pytest.raises(AssertionError, match="must not be the same"):
        laws.more_noise_never_costs_more(case(Unchanged(2)))


def test_a_leak_beyond_all_other_losses_is_caught() -> None:
    leaky = FiniteLoss([("0.0001", 0), ("0.9999", "0.9999"), (0, "0.0001")])

    @frozen
    class Hides(Coin):
        """A claim that holds up to a large epsilon and forgets the leak."""

        def loss(self, shift: Shift) -> PrivacyLoss:
            return ResponseLoss(9)

    laws.exact_pairs_never_beat_the_claim(case(Coin(1), ONE, leaky))
    with pytest.raises(AssertionError, match="beats its claimed loss"):
        laws.exact_pairs_never_beat_the_claim(case(Hides("3/4"), ONE, leaky))


def test_a_claim_that_only_holds_a_few_times_is_caught_when_repeated_often() -> None:
    @frozen
    class FewTimes(ResponseLoss):
        def repeated(self, count: int) -> PrivacyLoss | None:
            return None if count < 5 else compose([(ResponseLoss(self.epsilon_parameter), 5)])

    @frozen
    class Few(Coin):
        def loss(self, shift: Shift) -> PrivacyLoss:
            return FewTimes("1.0987")

    with pytest.raises(AssertionError, match="exact pairs of 30 releases beat"):
        laws.exact_pairs_never_beat_the_claim(case(Few("3/4"), ONE, COIN))


# Evidence ---------------------------------------------------------------------------------------------------------------


def test_pairs_with_two_equal_laws_are_no_evidence() -> None:
    laws.pairs_are_evidence(case(Coin("3/4"), ONE, COIN))
    with pytest.raises(AssertionError, match="say nothing: their two laws are equal"):
        laws.pairs_are_evidence(case(Coin("3/4"), ONE, FiniteLoss([("1/2", "1/2"), ("1/2", "1/2")])))


def test_pairs_far_below_the_claim_are_no_evidence() -> None:
    faint = FiniteLoss([("0.51", "0.49"), ("0.49", "0.51")])
    laws.pairs_come_near_the_claim("coin", [case(Coin("3/4"), ONE, faint), case(Coin("3/4"), ONE, COIN)])
    with pytest.raises(AssertionError, match="no exact pair comes near to what is claimed"):
        laws.pairs_come_near_the_claim("coin", [case(Coin("3/4"), ONE, faint)])
