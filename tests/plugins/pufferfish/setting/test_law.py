"""Laws in exact numbers."""

from __future__ import annotations

from fractions import Fraction

import pytest

from accountant import InvalidValue
from accountant.finite import FiniteMechanism
from accountant_pufferfish import Law


@pytest.mark.parametrize(
    ("table", "fault"),
    [
        ({0: "1/2"}, "must sum to 1, got 0.5"),
        ({0: "1/2", 1: "3/4"}, "must sum to 1, got 1.25"),
        ({0: -1, 1: 2}, "is negative"),
        ({}, "must sum to 1, got 0"),
        ({0: "a half"}, "not a finite number"),
        ([0, 1], "expected a table of probabilities"),
    ],
)
def test_what_is_no_law_is_refused(table: object, fault: str) -> None:
    with pytest.raises(InvalidValue, match=fault):
        Law(table)


def test_weights_need_a_positive_sum() -> None:
    with pytest.raises(InvalidValue, match="positive sum"):
        Law.weighted({0: 0})
    with pytest.raises(InvalidValue, match="positive sum"):
        Law.uniform([])
    with pytest.raises(InvalidValue, match="is negative"):
        Law.weighted({0: -1, 1: 3})


def test_an_outcome_that_never_happens_is_not_listed_and_has_probability_zero() -> None:
    law = Law({"a": 1, "b": 0})
    assert list(law) == ["a"]
    assert law["b"] == 0
    assert "b" not in law
    assert law == Law.point("a")


def test_equal_laws_are_equal_whatever_their_order() -> None:
    left, right = Law({0: "1/3", 1: "2/3"}), Law.weighted({1: 4, 0: 2})
    assert left == right
    assert hash(left) == hash(right)
    assert left != Law.uniform([0, 1])


def test_independent_records_multiply() -> None:
    law = Law.records([{0: "1/4", 1: "3/4"}, {0: "1/3", 1: "2/3"}])
    assert law[0, 0] == Fraction(1, 12)
    assert law[1, 0] == Fraction(3, 12)
    assert law.mapped(lambda dataset: dataset[1]) == Law({0: "1/3", 1: "2/3"})


def test_conditioning_keeps_proportions() -> None:
    law = Law({0: "1/2", 1: "1/3", 2: "1/6"}).given(lambda value: value > 0)
    assert law == Law({1: "2/3", 2: "1/3"})
    with pytest.raises(InvalidValue, match="probability 0"):
        law.given(lambda value: value == 0)


def test_mixtures_need_weights_that_sum_to_one() -> None:
    assert Law.mixture([("1/4", {0: 1}), ("3/4", Law.uniform([0, 1]))]) == Law({0: "5/8", 1: "3/8"})
    with pytest.raises(InvalidValue, match="must sum to 1"):
        Law.mixture([("1/4", {0: 1})])
    with pytest.raises(InvalidValue, match="cannot be negative"):
        Law.mixture([(-1, {0: 1}), (2, {1: 1})])


def test_laws_and_finite_mechanisms_take_each_other() -> None:
    mechanism = FiniteMechanism.tabulate((0, 1), lambda bit: Law({bit: "3/4", 1 - bit: "1/4"}))
    assert Law({0: "1/3", 1: "2/3"}).through(mechanism.law) == Law({0: "5/12", 1: "7/12"})
    assert Law(mechanism.law(0)) == Law({0: "3/4", 1: "1/4"})
