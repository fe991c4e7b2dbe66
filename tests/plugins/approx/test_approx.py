"""Approximate differential privacy against exact finite mechanisms."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, strategies as st

from accountant.loss import FiniteLoss
from accountant_approx import Approx, ApproxParameter

APPROX = Approx()


@st.composite
def pairs(draw: st.DrawFn) -> FiniteLoss:
    size = draw(st.integers(2, 4))
    rows = [draw(st.lists(st.integers(0, 50), min_size=size, max_size=size).filter(any)) for _ in range(2)]
    return FiniteLoss(zip(*([Fraction(w, sum(row)) for w in row] for row in rows), strict=True))


@given(pairs(), st.fractions(Fraction(1, 1000), Fraction(9, 10)))
def test_every_pair_is_dominated_by_the_worst_case_of_any_point_on_its_curve(pair: FiniteLoss, delta: Fraction) -> None:
    epsilon = APPROX.measure(pair, {"delta": delta})
    if epsilon.upper < float("inf"):
        worst = APPROX.worst_case(ApproxParameter(epsilon.upper, delta))
        for level in ("0.001", "0.05", "0.3", "0.9"):
            assert pair.tradeoff(level).upper >= worst.tradeoff(level).lower


@given(pairs(), st.fractions(Fraction(1, 1000), Fraction(9, 10)))
def test_both_readings_agree(pair: FiniteLoss, delta: Fraction) -> None:
    epsilon = APPROX.measure(pair, {"delta": delta})
    if epsilon.upper < float("inf"):
        assert APPROX.measure(pair, {"epsilon": Fraction(epsilon.upper)}).lower <= delta
    if 0 < epsilon.lower < float("inf"):
        assert APPROX.measure(pair, {"epsilon": Fraction(epsilon.lower) * Fraction(999, 1000)}).upper > delta


@pytest.mark.parametrize(("epsilon", "delta"), [("0.5", "1e-6"), ("3", "0.01"), ("20", "1e-30")])
def test_the_worst_case_has_exactly_its_parameter(epsilon: str, delta: str) -> None:
    worst = APPROX.worst_case(ApproxParameter(epsilon, delta))
    assert APPROX.measure(worst, {"epsilon": Fraction(epsilon)}).exact == Fraction(delta)
    reading = APPROX.measure(worst, {"delta": Fraction(delta)})
    assert reading.lower <= float(epsilon) <= reading.upper
    assert reading.width <= 1e-9


def test_the_direction_that_loses_more_counts() -> None:
    pair = FiniteLoss([("1/2", "1/2"), ("1/2", 0), (0, "1/2")])
    skewed = FiniteLoss([("9/10", 1), ("1/10", 0)])
    assert APPROX.measure(skewed, {"epsilon": Fraction(0)}) == APPROX.measure(skewed.reverse(), {"epsilon": Fraction(0)})
    assert APPROX.measure(pair, {"delta": Fraction(1, 4)}).lower == float("inf")
