"""Every law of mechanisms and of composition catches a planted error, and holds for the honest version."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import ClassVar

import pytest
from attrs import field, frozen
from planted import COIN, ONE, PLANTED, SKEWED, TWO, Coin, Worst, case, registry_with

from accountant import (
    Adaptivity,
    CompositionRule,
    Interval,
    PrivacyLoss,
    Registry,
    Shift,
    Theorem,
    default_registry,
    fields,
)
from accountant.loss import NO_LOSS, Cells, FiniteLoss, Floats, ResponseLoss
from accountant.testing import laws, search, strategies


@frozen
class Rule(CompositionRule):
    """Epsilons add up: the honest rule."""

    name: ClassVar[str] = "planted-rule"
    divergence: ClassVar[str] = "pure"
    adaptivity: ClassVar[Adaptivity] = "fully-adaptive"
    theorem: ClassVar[Theorem] = PLANTED
    merges: ClassVar[bool] = False

    def compose(self, parts: Sequence[tuple[Interval, int]]) -> Interval:
        return sum((value.times(count) for value, count in parts), Interval.of(0))


@frozen
class ForgetsTheCount(Rule):
    """The branch that forgot to multiply."""

    def compose(self, parts: Sequence[tuple[Interval, int]]) -> Interval:
        return sum((value for value, _ in parts), Interval.of(0))


@frozen
class FavoursTheFirst(Rule):
    """A rule under which later releases are cheaper."""

    def compose(self, parts: Sequence[tuple[Interval, int]]) -> Interval:
        value, count = parts[0]
        return value.times(count)


@frozen
class TakesTheSmallest(Rule):
    """A minimum where a sum belongs."""

    def compose(self, parts: Sequence[tuple[Interval, int]]) -> Interval:
        return min((value for value, _ in parts), key=lambda value: value.upper)


@frozen
class TakesTheLargest(Rule):
    """A maximum where a sum belongs: parallel composition of releases that are not parallel."""

    def compose(self, parts: Sequence[tuple[Interval, int]]) -> Interval:
        return max((value for value, _ in parts), key=lambda value: value.upper)


# Rules in an account -------------------------------------------------------------------------------------------------

QUARTER, TENTH = case(Coin("3/4")), case(Coin("9/10"))


def count_law(registry: Registry) -> None:
    laws.count_equals_repetition(QUARTER, registry)


def order_law(registry: Registry) -> None:
    laws.order_is_irrelevant(QUARTER, TENTH, registry)


def adding_law(registry: Registry) -> None:
    laws.adding_never_lowers(TENTH, QUARTER, registry)


@pytest.mark.parametrize(
    ("law", "planted", "words"),
    [
        (count_law, ForgetsTheCount, "count must equal repetition"),
        (order_law, FavoursTheFirst, "order of releases must not matter"),
        (adding_law, TakesTheSmallest, "must not lower the loss"),
    ],
)
def test_an_account_with_a_broken_rule_is_caught(law: Callable[[Registry], None], planted: type[Rule], words: str) -> None:
    law(registry_with(composition_rules=[Rule()]))
    with pytest.raises(AssertionError, match=words):
        law(registry_with(composition_rules=[planted()]))


def test_count_law_shows_a_small_counterexample() -> None:
    with pytest.raises(AssertionError) as caught:
        count_law(registry_with(composition_rules=[ForgetsTheCount()]))
    assert str(caught.value).splitlines() == [
        "count must equal repetition",
        "    release: planted",
        "    value: epsilon of 'approx' at delta = 1e-6",
        "    3 times: 1.09861 to 1.09862",
        "    3 releases: 3.29583 to 3.29584",
    ]


# Losses that break composition ---------------------------------------------------------------------------------------


@frozen
class SpendsOnlyOnce(Coin):
    """A mechanism that thinks it has paid after the first time."""

    asked: list[Shift] = field(factory=list, eq=False)

    def loss(self, shift: Shift) -> PrivacyLoss:
        self.asked.append(shift)
        return COIN if len(self.asked) == 1 else NO_LOSS


@frozen
class BlindLoss(ResponseLoss):
    """A loss that equals every other of its family, so that composition counts them as one."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, BlindLoss)

    def __hash__(self) -> int:
        return 0


@frozen
class BlindCoin(Coin):
    """A mechanism with a loss that forgets its parameter when compared."""

    def loss(self, shift: Shift) -> PrivacyLoss:
        return BlindLoss(self.kept)


@frozen
class ShrinkingLoss(ResponseLoss):
    """A loss that is honest alone and forgets most of its mass in company."""

    def cells(self, edges: Floats) -> Cells:
        return ResponseLoss("1/5").cells(edges)


@frozen
class ShrinksInCompany(Coin):
    """A mechanism whose loss cannot be trusted in a composition; alone, 11/10 is just above the log of 3."""

    def loss(self, shift: Shift) -> PrivacyLoss:
        return ShrinkingLoss("11/10")


def test_a_mechanism_that_pays_only_once_is_caught_by_the_count_law() -> None:
    laws.count_equals_repetition(case(Coin("3/4")), default_registry())
    with pytest.raises(AssertionError, match="count must equal repetition"):
        laws.count_equals_repetition(case(SpendsOnlyOnce("3/4")), default_registry())


def test_a_loss_with_blind_equality_is_caught_by_the_order_law() -> None:
    laws.order_is_irrelevant(case(Coin("3/4")), case(Coin("9/10")), default_registry())
    with pytest.raises(AssertionError, match="order of releases must not matter"):
        laws.order_is_irrelevant(case(BlindCoin("1/4")), case(BlindCoin("3")), default_registry())


def test_a_loss_that_shrinks_in_company_is_caught_by_the_adding_law() -> None:
    noise = registry_with().conformance_cases()["laplace 30"]
    laws.adding_never_lowers(case(Coin("3/4")), noise, default_registry())  # type: ignore[arg-type]
    with pytest.raises(AssertionError, match="must not lower the loss"):
        laws.adding_never_lowers(case(ShrinksInCompany("3/4")), noise, default_registry())  # type: ignore[arg-type]


# Rules alone ---------------------------------------------------------------------------------------------------------

PAIRS = strategies.finite_losses(size=3, smallest=1)
COUNTS = strategies.st.integers(2, 4)


@pytest.mark.parametrize(
    ("law", "planted", "arguments"),
    [
        (laws.rule_counts_repetition, ForgetsTheCount, {"pair": PAIRS, "count": COUNTS}),
        (laws.rule_ignores_order, FavoursTheFirst, {"first": PAIRS, "second": PAIRS}),
        (laws.rule_never_undercuts, TakesTheLargest, {"first": PAIRS, "second": PAIRS, "count": COUNTS}),
        (laws.rule_never_undercuts, ForgetsTheCount, {"first": PAIRS, "second": PAIRS, "count": COUNTS}),
    ],
)
def test_a_broken_rule_is_caught(
    law: Callable[..., None], planted: type[Rule], arguments: dict[str, strategies.SearchStrategy[object]]
) -> None:
    search(law, Rule(), Worst(), **arguments)
    with pytest.raises(AssertionError, match="the rule 'planted-rule' must"):
        search(law, planted(), Worst(), **arguments)


# Mechanisms ----------------------------------------------------------------------------------------------------------


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
