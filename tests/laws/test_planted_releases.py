"""Every law of composition catches a planted error, and holds for the honest version."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from attrs import field, frozen
from hypothesis import strategies as st

from accountant import Interval, PrivacyLoss, Registry, default_registry
from accountant.loss import NO_LOSS, ResponseLoss
from accountant.plugin import CASES, Shift
from accountant.testing import laws, search, strategies
from tests.laws.planted import COIN, Coin, Rule, ShrinksInCompany, Worst, case, registry_with
from tests.laws.quick import QUICK


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
        "    value: epsilon of 'pure'",
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


def test_a_mechanism_that_pays_only_once_is_caught_by_the_count_law() -> None:
    laws.count_equals_repetition(case(Coin("3/4")), default_registry())
    with pytest.raises(AssertionError, match="count must equal repetition"):
        laws.count_equals_repetition(case(SpendsOnlyOnce("3/4")), default_registry())


def test_a_loss_with_blind_equality_is_caught_by_the_order_law() -> None:
    laws.order_is_irrelevant(case(Coin("3/4")), case(Coin("9/10")), default_registry())
    with pytest.raises(AssertionError, match="order of releases must not matter"):
        laws.order_is_irrelevant(case(BlindCoin("1/2")), case(BlindCoin("1")), default_registry())


@pytest.mark.slow
def test_a_loss_that_shrinks_in_company_is_caught_by_the_adding_law() -> None:
    noise = registry_with().offered(CASES)["laplace 30"]
    laws.adding_never_lowers(case(Coin("3/4")), noise, default_registry())  # type: ignore[arg-type]
    with pytest.raises(AssertionError, match=r"must not lower the loss|cannot be read"):
        laws.adding_never_lowers(case(ShrinksInCompany("3/4")), noise, default_registry())  # type: ignore[arg-type]


# Rules alone ---------------------------------------------------------------------------------------------------------

PAIRS = strategies.finite_losses(size=3, smallest=1)
COUNTS = st.integers(2, 4)


@pytest.mark.parametrize(
    ("law", "planted", "arguments"),
    [
        (laws.rule_counts_repetition, ForgetsTheCount, {"pair": PAIRS, "count": COUNTS}),
        (laws.rule_ignores_order, FavoursTheFirst, {"first": PAIRS, "second": PAIRS}),
        (laws.rule_never_undercuts, TakesTheLargest, {"first": PAIRS, "second": PAIRS, "count": COUNTS}),
        (laws.rule_never_undercuts, ForgetsTheCount, {"first": PAIRS, "second": PAIRS, "count": COUNTS}),
    ],
)
def test_a_broken_rule_is_caught(law: Callable[..., None], planted: type[Rule], arguments: dict[str, Any]) -> None:
    search(law, Rule(), Worst(), **arguments)
    with pytest.raises(AssertionError, match="the rule 'planted-rule' must"):
        search(law, planted(), Worst(), **arguments, depth=QUICK)
