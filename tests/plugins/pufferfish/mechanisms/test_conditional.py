"""Drawing again until the output satisfies a public constraint."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from accountant import Interval, InvalidValue, ShiftError
from accountant.finite import FiniteMechanism, FiniteSpecification, TableMechanism, hamming, pure_epsilon, sequences
from accountant.plugin import Shift
from accountant_noise import Gaussian, Geometric, Laplace
from accountant_pufferfish import (
    Conditional,
    Conditioned,
    Metric,
    PublicVariable,
    Scenarios,
    Setting,
    bounded_pairs,
    condition,
    leak,
)

ONE = Shift.along([1])
TRUTH = Fraction(3, 5)
APART = Metric("how far apart", lambda left, right: abs(left - right))


def response(data: tuple[int, ...]) -> dict[tuple[int, ...], Fraction]:
    """Every bit as it is with chance 3/5, and flipped otherwise."""
    outputs = itertools.product((0, 1), repeat=len(data))
    return {
        y: math.prod((TRUTH if a == b else 1 - TRUTH for a, b in zip(data, y, strict=True)), start=Fraction(1))
        for y in outputs
    }


def bits(records: int, allowed: Any) -> Conditioned:
    table = FiniteMechanism.tabulate(sequences((0, 1), records), response)
    return Conditioned(table, [data for data in table.datasets if allowed(data)])


def test_a_public_total_leaves_no_neighbours_and_four_times_epsilon() -> None:
    """Two of four bits are 1. No two such datasets are neighbours, so a promise for neighbours says nothing."""
    two = bits(4, lambda data: sum(data) == 2)
    assert two.distances == (2, 4)
    with pytest.raises(
        InvalidValue, match="no two datasets in the set are within 1 of each other; the closest are 2 apart"
    ):
        two.budget(1)
    worst = pure_epsilon(two.law, FiniteSpecification.universes(two.allowed, hamming))
    assert worst.logarithm_of == Fraction(3, 2) ** 4  # type: ignore[union-attr]
    assert two.factor == 1
    assert two.budget(4).lower <= 4 * math.log(1.5) <= two.budget(4).upper
    assert two.budget(4).upper < 4 * math.log(1.5) + 1e-12


def test_the_promise_relative_to_a_public_total_is_attained() -> None:
    two = bits(4, lambda data: sum(data) == 2)
    opposite = Scenarios.listed({"opposite": {(1, 1, 0, 0): "1/2", (0, 0, 1, 1): "1/2"}})
    setting = Setting(opposite, bounded_pairs(4, (0, 1)), PublicVariable("the total", sum))
    found = leak(two.law, setting)
    assert found.factor == Fraction(3, 2) ** 4  # type: ignore[union-attr]
    promised = two.guarantee(setting).epsilon
    assert two.guarantee(setting).derivation[0].theorem == Conditional.theorem
    assert promised is not None
    assert 0 <= promised.upper - 4 * math.log(1.5) < 1e-12
    everything = Setting(Scenarios.listed({"all": dict.fromkeys(sequences((0, 1), 4), "1/16")}), bounded_pairs(4, (0, 1)))
    with pytest.raises(InvalidValue, match="not in the set"):
        two.guarantee(everything)


def test_a_chance_that_depends_on_the_data_costs_twice() -> None:
    """At most one bit of three is 1: from no bits such outputs are likelier than from one."""
    few = bits(3, lambda data: sum(data) <= 1)
    assert few.factor == 2
    assert few.distances == (1, 2)
    near = FiniteSpecification.neighbours(few.allowed, lambda left, right: hamming(left, right) == 1)
    found = pure_epsilon(few.law, near).value  # type: ignore[union-attr]
    assert math.log(1.5) < found.lower
    assert found.upper <= few.budget(1).upper == pytest.approx(2 * math.log(1.5))


mechanisms = st.lists(st.lists(st.integers(1, 9), min_size=4, max_size=4), min_size=4, max_size=4)


@settings(deadline=None, max_examples=60)
@given(mechanisms, st.sets(st.integers(0, 3), min_size=2, max_size=3))
def test_budgets_hold_at_every_distance(rows: list[list[int]], allowed: set[int]) -> None:
    table = FiniteMechanism({x: {y: Fraction(w, sum(row)) for y, w in enumerate(row)} for x, row in enumerate(rows)})
    found = Conditioned(table, allowed, APART)
    for reach in found.distances:
        pairs = FiniteSpecification.neighbours(allowed, lambda left, right, reach=reach: abs(left - right) <= reach)
        assert pure_epsilon(found.law, pairs).value.lower <= found.budget(reach).upper  # type: ignore[union-attr]


def test_once_epsilon_is_caught_and_twice_is_approached() -> None:
    """An output that is rare leans one way, a likely one the other way, and only these two are shown."""
    ratio, rare = Fraction(3), Fraction(1, 10**6)
    table = FiniteMechanism(
        {
            0: {0: ratio * rare, 1: Fraction(1, 4), 2: 1 - ratio * rare - Fraction(1, 4)},
            1: {0: rare, 1: ratio / 4, 2: 1 - rare - ratio / 4},
        }
    )
    found = Conditioned(table, {0, 1}, APART)
    assert found.epsilon.upper == pytest.approx(math.log(3), rel=1e-4)
    lost = pure_epsilon(found.law, FiniteSpecification.neighbours((0, 1), lambda left, right: True)).value  # type: ignore[union-attr]
    assert lost.lower > 1.999 * math.log(3)
    assert lost.upper <= found.budget(1).upper


def test_outputs_that_never_happen_are_refused() -> None:
    table = FiniteMechanism({0: {0: 1}, 1: {1: 1}})
    with pytest.raises(InvalidValue, match="never end"):
        condition(table, {0})
    with pytest.raises(InvalidValue, match="no law for 2"):
        Conditioned(table, {0, 2})
    with pytest.raises(InvalidValue, match="nothing is compared"):
        Conditioned(table, {0})


def test_a_mechanism_that_tells_two_datasets_apart_has_no_budget() -> None:
    table = FiniteMechanism({0: {0: "1/2", 1: "1/2"}, 1: {1: 1}})
    assert Conditioned(table, {0, 1}, APART).budget(1) == Interval.infinite()


@pytest.mark.parametrize("inside", [Laplace("2"), Geometric("2")])
def test_the_largest_loss_is_at_most_doubled(inside: Any) -> None:
    loss = Conditional(inside, "not negative").loss(ONE)
    assert loss.supremum().upper == 1.0
    assert loss.supremum().lower == 0.5
    assert loss.reverse() == loss


def test_what_is_asked_inside_is_asked_of_the_query() -> None:
    assert Conditional(Laplace("2"), "not negative").asks_query
    assert Conditional(Laplace("2"), "not negative").scaled(Fraction(3)) == Conditional(Laplace("6"), "not negative")


def test_moments_are_those_of_a_range_and_not_of_twice_epsilon() -> None:
    """With losses in an interval of length 1, sup Renyi(a)/a is at most an eighth."""
    loss = Conditional(Laplace("2"), "not negative").loss(ONE)
    assert loss.concentration().upper <= 0.125 * (1 + 1e-12)
    wide = Conditional(Laplace("1/10"), "not negative").loss(ONE)
    assert wide.concentration().upper <= 20.0


def test_truncated_geometric_noise_stays_within_the_claim() -> None:
    """Outputs between 0 and 3, by enumeration with chances in proportion to 2^-|y - x|."""
    half = Fraction(1, 2)
    rows = {x: {y: half ** abs(y - x) for y in range(4)} for x in range(4)}
    table = FiniteMechanism({x: {y: w / sum(row.values()) for y, w in row.items()} for x, row in rows.items()})
    worst = max(table.pair(x, x + step).likelihood_ratio() or 0 for x in range(4) for step in (-1, 1) if 0 <= x + step < 4)
    assert 2 < worst <= 4
    claimed = Conditional(TableMechanism.of(table), "between 0 and 3").loss(ONE)
    assert claimed.supremum().upper >= math.log(worst)


def test_noise_with_unbounded_losses_is_refused() -> None:
    with pytest.raises(ShiftError, match="'gaussian' has none"):
        Conditional(Gaussian("1"), "not negative").loss(ONE)
