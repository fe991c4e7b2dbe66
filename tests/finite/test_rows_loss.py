"""The loss of a table is that of its worst two rows, in every definition, and not that of a pair which none of them is."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import permutations, product

import pytest
from hypothesis import given, settings, strategies as st

from accountant.finite import TableMechanism, dominating_both
from accountant.finite.rows_loss import RowsLoss, loss_of_rows
from accountant.loss import FiniteLoss, PrivacyLoss, compose
from accountant.release.query import Shift

ONE = Shift.along([1])
ROWS = [["18/27", "4/27", "5/27"], ["10/38", "12/38", "16/38"]]
Rows = list[list[Fraction]]


@st.composite
def tables(draw: st.DrawFn) -> Rows:
    outputs, rows = draw(st.integers(2, 4)), draw(st.integers(2, 4))
    weights = [draw(st.lists(st.integers(1, 20), min_size=outputs, max_size=outputs)) for _ in range(rows)]
    return [[Fraction(weight, sum(row)) for weight in row] for row in weights]


def divergence(first: list[Fraction], second: list[Fraction], order: float) -> float:
    return math.log(math.fsum(float(p) ** order * float(q) ** (1 - order) for p, q in zip(first, second, strict=True))) / (
        order - 1
    )


def power(pairs: list[tuple[Fraction, Fraction]], level: Fraction) -> Fraction:
    """The most that a test of the first world against the second reaches."""
    reached, left = Fraction(0), level
    for p, q in sorted(pairs, key=lambda pair: -pair[0] / pair[1]):
        share = min(Fraction(1), left / q)
        reached, left = reached + share * p, left - share * q
    return reached


def wrong_readings(loss: PrivacyLoss, rows: Rows) -> list[str]:
    """Readings of one release that no two rows have."""
    pairs, found = list(permutations(rows, 2)), []
    for order in (1.5, 2.0, 4.0):
        truth, value = max(divergence(p, q, order) for p, q in pairs), loss.renyi(Fraction(order))
        if not value.lower - 1e-12 <= truth <= value.upper + 1e-12 or value.width > 1e-9:
            found.append(f"renyi {order}")
    for level in (Fraction(1, 10), Fraction(1, 3)):
        missed = 1 - max(power(list(zip(p, q, strict=True)), level) for p, q in pairs)
        value = loss.tradeoff(level)
        if not value.lower <= missed <= value.upper or value.width > 1e-12:
            found.append(f"power at {level}")
    for epsilon in (0.0, 0.3, 1.0):
        ratio = Fraction(math.exp(epsilon))
        truth = float(max(sum(max(a - ratio * b, Fraction(0)) for a, b in zip(p, q, strict=True)) for p, q in pairs))
        value = loss.delta(epsilon)
        if not value.lower - 1e-12 <= truth <= value.upper + 1e-12 or value.width > 1e-12:
            found.append(f"delta at {epsilon}")
    return found


@given(tables())
@settings(max_examples=60, deadline=None)
def test_every_reading_is_that_of_the_worst_two_rows(rows: Rows) -> None:
    assert wrong_readings(TableMechanism(rows).loss(ONE), rows) == []


def test_a_pair_that_dominates_all_rows_and_is_none_of_them_is_caught() -> None:
    rows = [[Fraction(chance) for chance in row] for row in ROWS]
    mechanism = TableMechanism(rows)
    planted = dominating_both([mechanism.mechanism.pair(1, 2)])
    assert "renyi 2.0" in wrong_readings(planted, rows)
    assert wrong_readings(mechanism.loss(ONE), rows) == []


@given(tables(), st.integers(2, 3), st.sampled_from(["1/50", "1/10"]))
@settings(max_examples=25, deadline=None)
def test_several_releases_lose_at_least_the_lower_end_and_at_most_the_upper_one(rows: Rows, count: int, delta: str) -> None:
    """Each release may compare any two rows, chosen for each: some choice reaches the lower end."""
    value = compose([(TableMechanism(rows).loss(ONE), count)]).epsilon(delta)
    pairs = [FiniteLoss(zip(p, q, strict=True)) for p, q in permutations(rows, 2)]
    reached = 0.0
    for chosen in product(pairs, repeat=count) if len(pairs) <= 6 else ((pair,) * count for pair in pairs):
        whole = chosen[0]
        for other in chosen[1:]:
            whole = whole.times(other)
        reached = max(reached, whole.epsilon(delta).lower)
    assert reached <= value.upper + 1e-12
    assert value.lower <= reached * (1 + 1e-9) + 1e-12


@pytest.mark.parametrize("most", [1, 12])
def test_a_table_of_many_rows_keeps_what_dominates_all(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("accountant.finite.rows_loss._MOST_PAIRS", most)
    rows = [[Fraction(chance) for chance in row] for row in ROWS]
    mechanism = TableMechanism(rows)
    loss = mechanism.loss(ONE)
    assert isinstance(loss, RowsLoss)
    assert loss.complete == (most == 12)
    truth = max(divergence(p, q, 2.0) for p, q in permutations(rows, 2))
    assert loss.renyi(2).lower <= truth + 1e-12
    assert loss.renyi(2).upper >= truth - 1e-12


def test_rows_of_which_two_are_the_worst_have_their_loss() -> None:
    mechanism = TableMechanism([["3/4", "1/4"], ["1/4", "3/4"]])
    assert mechanism.loss(ONE) == FiniteLoss([(Fraction(3, 4), Fraction(1, 4)), (Fraction(1, 4), Fraction(3, 4))])
    assert loss_of_rows(mechanism.attained(ONE)[0], mechanism.attained(ONE)) == mechanism.attained(ONE)[0]
