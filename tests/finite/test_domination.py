"""One loss stands for several pairs, exactly, and a table of probabilities is a mechanism."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import pytest
from hypothesis import strategies as st

from accountant.errors import InvalidValue
from accountant.finite import (
    FiniteMechanism,
    FiniteSpecification,
    Pair,
    TableMechanism,
    compose,
    delta,
    delta_at_ratio,
    dominating,
    dominating_both,
    dominating_loss,
    renyi,
    tradeoff,
)
from accountant.loss import FiniteLoss
from accountant.release.query import Shift
from tests.finite.strategies import DATASETS, check, levels, mechanisms, pairs, ratios

ALL = FiniteSpecification.neighbours(DATASETS, lambda left, right: True)
ONE = Shift.along([1])


def read(loss: FiniteLoss, ratio: Fraction) -> Fraction:
    return sum((max(p - ratio * q, Fraction(0)) for p, q in loss.atoms), Fraction(0))


def domination_is_the_largest_delta(dominating):
    def law(several: list[Pair], ratio: Fraction) -> None:
        loss = dominating(several)
        corners = [p / q for pair in several for p, q in pair.atoms if q]
        corners += [p / q for p, q in loss.atoms if q]
        for point in [ratio, Fraction(0), max([*corners, ratio]) + 1, *corners]:
            assert read(loss, point) == max(pair.delta(point) for pair in several)

    check(law, several=st.lists(pairs(), min_size=1, max_size=4), ratio=ratios)


def keeps_the_largest_epsilon(several: list[Pair]) -> FiniteLoss:
    """The pair with the largest likelihood ratio stands for all."""
    worst = max(several, key=lambda pair: (pair.likelihood_ratio() is None, pair.likelihood_ratio() or 0))
    return FiniteLoss(worst.atoms)


def averages(several: list[Pair]) -> FiniteLoss:
    return FiniteLoss((p / len(several), q / len(several)) for pair in several for p, q in pair.atoms)


def keeps_the_corners_off_the_hull(several: list[Pair]) -> FiniteLoss:
    """All corners joined in order of level, without removing those below the hull."""
    tests = sorted({corner for pair in several for corner in pair.corners()})
    best: list[tuple[Fraction, Fraction]] = []
    for test in tests:
        if not best or test[1] >= best[-1][1]:
            best.append(test)
    steps = itertools.pairwise(best)
    return FiniteLoss((after[1] - before[1], after[0] - before[0]) for before, after in steps)


@pytest.mark.slow
def test_the_dominating_loss_has_the_largest_delta_everywhere() -> None:
    domination_is_the_largest_delta(dominating)


@pytest.mark.parametrize("wrong", [keeps_the_largest_epsilon, averages, keeps_the_corners_off_the_hull])
def test_a_loss_that_does_not_dominate_is_caught(wrong) -> None:
    with pytest.raises(AssertionError):
        domination_is_the_largest_delta(wrong)


def test_the_two_directions_of_domination_agree() -> None:
    def law(several: list[Pair]) -> None:
        assert dominating(several).reverse() == dominating(pair.reverse() for pair in several)

    check(law, several=st.lists(pairs(), min_size=1, max_size=4))


def test_both_directions_at_once_are_all_pairs_and_their_reverses() -> None:
    def law(several: list[Pair]) -> None:
        loss = dominating_both(several)
        assert loss == dominating([*several, *(pair.reverse() for pair in several)])
        assert loss.reverse() is loss

    check(law, several=st.lists(pairs(), min_size=1, max_size=4))


def test_one_pair_dominates_itself() -> None:
    def law(pair: Pair) -> None:
        assert dominating([pair]) == FiniteLoss(pair.atoms)

    check(law, pair=pairs())


def test_crossing_curves_need_a_pair_of_their_own() -> None:
    """A frequent small loss against a rare large one: neither stands for both."""
    frequent = Pair([("2/3", "1/3"), ("1/3", "2/3")])
    rare = Pair([("1/10", 0), ("9/10", 1)])
    loss = dominating([frequent, rare])
    assert read(loss, Fraction(1)) == frequent.delta(1) == Fraction(1, 3) > rare.delta(1)
    assert read(loss, Fraction(3)) == rare.delta(3) == Fraction(1, 10) > frequent.delta(3)
    assert loss not in (FiniteLoss(frequent.atoms), FiniteLoss(rare.atoms))


def test_nothing_cannot_be_dominated() -> None:
    with pytest.raises(InvalidValue, match="nothing to dominate"):
        dominating([])


def readings_of_the_loss_are_the_oracles(loss_of):
    def law(mechanism: FiniteMechanism, ratio: Fraction, level: Fraction) -> None:
        loss = loss_of(mechanism, ALL)
        assert read(loss, ratio) == delta_at_ratio(mechanism, ALL, ratio).value.exact
        # The hull of several curves may lie below each of them, never above.
        assert loss.tradeoff(level).exact <= tradeoff(mechanism, ALL, level).value.exact
        assert loss.reverse() is loss

    check(law, mechanism=mechanisms(), ratio=ratios, level=levels)


def test_the_loss_of_a_specification_reads_as_the_mechanism_does() -> None:
    readings_of_the_loss_are_the_oracles(dominating_loss)


def test_a_loss_of_one_direction_only_is_caught() -> None:
    def one_direction(mechanism: FiniteMechanism, specification: FiniteSpecification) -> FiniteLoss:
        return dominating(mechanism.pair(item.left, item.right) for item in specification.comparisons)

    with pytest.raises(AssertionError):
        readings_of_the_loss_are_the_oracles(one_direction)


def composed_losses_dominate(together):
    def law(first: FiniteMechanism, second: FiniteMechanism, ratio: Fraction) -> None:
        product = together(dominating_loss(first, ALL), dominating_loss(second, ALL))
        assert delta_at_ratio(compose(first, second), ALL, ratio).value.exact <= read(product, ratio)

    check(law, first=mechanisms(), second=mechanisms(), ratio=ratios)


@pytest.mark.slow
def test_the_product_of_dominating_losses_dominates_the_composition() -> None:
    composed_losses_dominate(FiniteLoss.times)


def test_forgetting_one_factor_of_a_composition_is_caught() -> None:
    with pytest.raises(AssertionError):
        composed_losses_dominate(lambda first, second: first)


def test_the_loss_reads_delta_and_renyi_around_the_oracle() -> None:
    def law(mechanism: FiniteMechanism, epsilon: Fraction, order: Fraction) -> None:
        pair = FiniteSpecification.neighbours(("a", "b"), lambda left, right: True)
        loss = dominating_loss(mechanism, pair)
        exact, found = delta(mechanism, pair, epsilon).value, loss.delta(epsilon)
        assert found.lower <= exact.upper
        assert exact.lower <= found.upper
        assert exact.width < 1e-15
        assert renyi(mechanism, pair, order).value.lower <= loss.renyi(order).upper

    check(
        law,
        mechanism=mechanisms(datasets=("a", "b"), smallest=1),
        epsilon=st.fractions(min_value=-3, max_value=3, max_denominator=16),
        order=st.sampled_from([Fraction(3, 2), Fraction(2), Fraction(5)]),
    )


def test_delta_at_epsilon_zero_is_exact() -> None:
    mechanism = FiniteMechanism({"a": {0: "2/3", 1: "1/3"}, "b": {0: "1/3", 1: "2/3"}, "c": {0: "1/2", 1: "1/2"}})
    assert delta(mechanism, ALL, 0).value.exact == Fraction(1, 3)
    assert delta(mechanism, ALL, 0).datasets in (("a", "b"), ("b", "a"))


# A table in a plan ------------------------------------------------------------------------------------------


def test_a_table_of_two_rows_is_randomised_response() -> None:
    table = TableMechanism([["2/3", "1/3"], ["1/3", "2/3"]])
    loss = table.loss(ONE)
    assert loss == FiniteLoss([("2/3", "1/3"), ("1/3", "2/3")])
    assert loss.supremum().lower <= math.log(2) <= loss.supremum().upper
    assert loss.reverse() is loss


def test_a_table_compares_all_of_its_rows_whatever_the_shift() -> None:
    def law(mechanism: FiniteMechanism) -> None:
        table = TableMechanism.of(mechanism)
        assert table.loss(ONE).dominating() == dominating_loss(mechanism, ALL)
        assert table.loss(ONE) == table.loss(Shift.along([5, 5]))

    check(law, mechanism=mechanisms())


def test_a_table_of_equal_rows_loses_nothing() -> None:
    assert TableMechanism([["1/2", "1/2"], ["0.5", "0.5"]]).loss(ONE) == FiniteLoss([(1, 1)])


def test_a_table_declares_what_a_plan_needs() -> None:
    assert TableMechanism.kind == "table"
    assert not TableMechanism.needs_query
    theorem = TableMechanism.theorem
    assert (theorem.name, theorem.key, theorem.locator) == (
        "finite-table",
        "accountant",
        "explanation/one-loss",
    )
    assert theorem.assurance == "proved-here"


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("2/3", "expected a list of rows, got '2/3'"),
        ({"a": 1}, "expected a list of rows"),
        (3, "expected a list of rows, got 3"),
        ([], "at least two rows, one per answer of the query, got 0"),
        ([[1]], "at least two rows, one per answer of the query, got 1"),
        ([[1], "1"], "row 2: expected a list of numbers, got '1'"),
        ([["1/2", "1/2"], [1]], "row 2 has another length than row 1 .1 and 2."),
        ([["1/2", "1/2"], ["1/2", "0.4"]], "row 2: probabilities must sum to exactly 1, got 0.9"),
        ([["1/2", "half"], [1, 0]], "row 1, entry 2: 'half' is not a finite number"),
        ([[1, 0], [2, -1]], "row 2, entry 2: a probability cannot be negative, got -1"),
        ([[True, 0], [1, 0]], "row 1, entry 1: expected a number, got the boolean true"),
        ([[1, 0], []], "row 2: probabilities must sum to exactly 1, got 0"),
    ],
)
def test_a_bad_table_is_refused_by_row_and_entry(rows, message) -> None:
    with pytest.raises(InvalidValue, match=message):
        TableMechanism(rows)
