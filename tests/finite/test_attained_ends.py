"""Lower ends of a table belong to two of its rows: in every definition, of several releases, and on samples."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from accountant import Account, Interval, Neighbours, Plan, Release, Specification, account, default_registry
from accountant.finite import FiniteMechanism, Pair, TableMechanism, one_of
from accountant.loss import FiniteLoss, OneOf, compose
from accountant.plugin import ADD_REMOVE, REPLACE_ONE, Relation
from accountant.promise.divergence import DIVERGENCES
from accountant.release.query import Shift
from accountant_builtin.samplings import Poisson, WithoutReplacement
from tests.finite.strategies import laws

ROWS = (("18/27", "4/27", "5/27"), ("10/38", "12/38", "16/38"))
THREE = (("1/2", "1/3", "1/6"), ("1/4", "1/4", "1/2"), ("1/10", "1/2", "2/5"))
ONE = Shift.along([1])
READINGS: tuple[tuple[str, Mapping[str, Any]], ...] = (
    ("pure", {}),
    ("approx", {"delta": "0.01"}),
    ("approx", {"epsilon": "0.3"}),
    ("zcdp", {}),
    ("renyi", {"order": "2"}),
    ("renyi", {"order": "7/2"}),
    ("gdp", {}),
    ("fdp", {"level": "0.1"}),
    ("pbdp", {"delta": "0.05"}),
    ("pbdp", {"epsilon": "0.3"}),
    ("statistical-distance", {}),
    ("relative-entropy", {}),
    ("hellinger", {}),
)


def tables(rows: int = 3, smallest: int = 1) -> Any:
    return st.lists(laws(3, smallest), min_size=rows, max_size=rows)


def row_pairs(rows: Iterable[Any]) -> list[FiniteLoss]:
    return [FiniteLoss(zip(one, other, strict=True)) for one, other in itertools.permutations(rows, 2)]


def measured(name: str, at: Mapping[str, Any], loss: Any) -> Interval:
    places = {word: Fraction(value) for word, value in at.items()}
    return default_registry()[DIVERGENCES][name].measure(loss, places)  # type: ignore[no-any-return]


def accounted(releases: Iterable[Release], relation: Relation = REPLACE_ONE) -> Account:
    return account(Plan("tables", Specification(Neighbours(relation)), tuple(releases)))


def test_rho_of_a_table_is_that_of_its_worst_rows() -> None:
    """By enumeration of orders: 0.3555 for these rows, where the loss that dominates both orders has 0.3751."""
    whole = accounted([Release("a", TableMechanism(ROWS))])
    rho = whole.measure("zcdp").value
    orders = [1 + Fraction(2) ** -k for k in range(-5, 12)]
    pairs = [Pair(pair.atoms) for pair in row_pairs(ROWS)]
    reached = max(pair.renyi(order).lower / float(order) for pair in pairs for order in orders)
    assert rho.lower <= rho.upper < 0.35546
    assert reached <= rho.upper
    assert rho.lower == pytest.approx(reached, rel=1e-3)


@pytest.mark.parametrize(("name", "at"), READINGS)
@pytest.mark.parametrize("rows", [ROWS, THREE])
def test_one_release_loses_what_its_worst_rows_lose(rows: Any, name: str, at: Mapping[str, Any]) -> None:
    value = accounted([Release("a", TableMechanism(rows))]).measure(name, **at).value
    truth = [measured(name, at, pair) for pair in row_pairs(rows)]
    assert value.lower <= max(each.upper for each in truth)
    assert value.upper >= max(each.lower for each in truth)
    assert value.width <= 1e-3 * value.upper


@pytest.mark.parametrize(("name", "at"), READINGS)
def test_several_releases_lose_what_some_rows_of_each_lose(name: str, at: Mapping[str, Any]) -> None:
    releases = [Release("a", TableMechanism(ROWS)), Release("b", TableMechanism(THREE))]
    value = accounted(releases).measure(name, **at).value
    truth = [measured(name, at, one.times(other)) for one in row_pairs(ROWS) for other in row_pairs(THREE)]
    assert value.lower <= max(each.upper for each in truth)
    assert value.upper >= max(each.lower for each in truth)
    assert value.lower > 0.9 * max(each.lower for each in truth)


@pytest.mark.slow
@given(tables(), st.integers(2, 3), st.sampled_from([Fraction(0), Fraction(1, 10), Fraction(1, 2), Fraction(3, 2)]))
@settings(max_examples=25, deadline=None)
def test_no_end_of_random_tables_is_beyond_what_rows_attain(rows: Any, times: int, epsilon: Fraction) -> None:
    """All choices of two rows for each of several releases, exactly."""
    loss = compose([(TableMechanism(rows).loss(ONE), times)])
    choices = itertools.combinations_with_replacement(row_pairs(rows), times)
    products = [Pair(compose((one, 1) for one in choice).atoms) for choice in choices]  # type: ignore[attr-defined]
    renyi, value = loss.renyi(3), loss.delta(epsilon)
    assert renyi.lower <= max(pair.renyi(3).upper for pair in products)
    assert renyi.upper >= max(pair.renyi(3).lower for pair in products)
    deltas = [FiniteLoss(pair.atoms).delta(epsilon) for pair in products]
    assert value.lower <= max(each.upper for each in deltas)
    assert value.upper >= max(each.lower for each in deltas)
    error = loss.tradeoff(Fraction(1, 10))
    assert error.upper >= float(min(pair.tradeoff(Fraction(1, 10)) for pair in products)) - 1e-12
    assert error.lower <= float(min(pair.tradeoff(Fraction(1, 10)) for pair in products)) + 1e-12


SAMPLES = ((Poisson("1/4"), ADD_REMOVE), (WithoutReplacement(1, 4), REPLACE_ONE))


@given(tables(2), st.sampled_from(SAMPLES))
@settings(max_examples=25, deadline=None)
def test_samples_of_a_table_lose_what_some_rows_lose(rows: Any, sampled: tuple[Any, Relation]) -> None:
    """Where the record is taken the answer has one row, and otherwise the other, in either order."""
    (sampling, relation), rate = sampled, Fraction(1, 4)
    loss = accounted([Release("a", TableMechanism(rows), sampling=sampling)], relation).loss
    mixed = [
        Pair((rate * p + (1 - rate) * q, q) for p, q in zip(one, other, strict=True))
        for one, other in itertools.permutations(rows, 2)
    ]
    orders = [order for pair in mixed for order in (pair, pair.reverse())]
    value = max(loss.renyi(2).lower, loss.reverse().renyi(2).lower)
    assert value <= max(pair.renyi(2).upper for pair in orders)
    for ratio in (1, Fraction(11, 10), Fraction(3, 2)):
        found = max(loss.delta(_log(ratio)).lower, loss.reverse().delta(_log(ratio)).lower)
        assert found <= float(max(pair.delta(ratio) for pair in orders)) + 1e-12


def _log(ratio: Fraction | int) -> Fraction:
    from accountant.numbers import log_of

    return Fraction(log_of(Fraction(ratio)).upper)


def test_rows_one_of_which_dominates_are_that_loss_alone() -> None:
    response = TableMechanism([["3/4", "1/4"], ["1/4", "3/4"]])
    assert response.loss(ONE) == FiniteLoss([("3/4", "1/4"), ("1/4", "3/4")])
    assert isinstance(TableMechanism(ROWS).loss(ONE), OneOf)


def test_of_many_rows_upper_ends_hold_and_lower_ends_are_those_of_some() -> None:
    """Seven rows have 42 ordered pairs, too many to look at all of them for every reading."""
    rows = [[Fraction(k + 1, 40), Fraction(20 - 2 * k, 40), Fraction(19 + k, 40)] for k in range(7)]
    loss = TableMechanism(rows).loss(ONE)
    assert isinstance(loss, OneOf)
    assert not loss.complete
    pairs = [Pair(pair.atoms) for pair in row_pairs(rows)]
    for order in (2, 5, 20):
        most = max(pair.renyi(order).upper for pair in pairs)
        assert 0.999 * most < loss.renyi(order).lower <= most <= loss.renyi(order).upper * (1 + 1e-12)
    assert {FiniteLoss(pair.atoms) for pair in pairs} >= set(loss.several)


def test_a_loss_of_one_of_several_reads_alike_in_both_directions() -> None:
    loss = TableMechanism(THREE).loss(ONE)
    assert loss.reverse() is loss
    one_way = one_of([Pair([("1/2", "1/3"), ("1/2", "2/3")])]).reverse()
    assert one_way.reverse() is one_way


def test_the_table_of_a_mechanism_is_read_by_the_oracle_too() -> None:
    table = FiniteMechanism({index: dict(enumerate(row)) for index, row in enumerate(THREE)})
    loss = TableMechanism.of(table).loss(ONE)
    truth = max(table.pair(a, b).renyi(4).upper for a in range(3) for b in range(3) if a != b)
    assert loss.renyi(4).lower <= truth <= loss.renyi(4).upper * (1 + 1e-12)
