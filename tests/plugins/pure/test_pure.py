"""Pure differential privacy against exact finite mechanisms."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, strategies as st

from accountant.loss import FiniteLoss, compose
from accountant_pure import Pure, PureParameter

PURE = Pure()


@st.composite
def pairs(draw: st.DrawFn) -> FiniteLoss:
    size = draw(st.integers(2, 4))
    rows = [draw(st.lists(st.integers(1, 50), min_size=size, max_size=size)) for _ in range(2)]
    return FiniteLoss(zip(*([Fraction(w, sum(row)) for w in row] for row in rows), strict=True))


@given(pairs())
def test_every_pair_is_dominated_by_randomised_response_of_its_epsilon(pair: FiniteLoss) -> None:
    worst = PURE.worst_case(PureParameter(PURE.measure(pair, {}).upper))
    for epsilon in (0, 0.1, 0.5, 1, 2, 4):
        assert pair.delta(epsilon).lower <= worst.delta(epsilon).upper


@given(pairs())
def test_a_smaller_epsilon_than_the_supremum_is_caught(pair: FiniteLoss) -> None:
    epsilon = PURE.measure(pair, {})
    if epsilon.lower > 0.01:
        point = Fraction(epsilon.lower) * Fraction(99, 100)
        sides = (pair, pair.reverse())
        assert any(side.delta(point).lower > PURE.worst_case(PureParameter(point)).delta(point).upper for side in sides)


@given(pairs(), pairs())
def test_epsilons_add_up_to_at_least_the_exact_product(left: FiniteLoss, right: FiniteLoss) -> None:
    total = PURE.measure(left, {}) + PURE.measure(right, {})
    assert PURE.measure(compose([(left, 1), (right, 1)]), {}).lower <= total.upper


@pytest.mark.parametrize("epsilon", ["0", "0.1", "7/3", "50"])
def test_the_worst_case_has_exactly_its_parameter(epsilon: str) -> None:
    assert PURE.measure(PURE.worst_case(PureParameter(epsilon)), {}).exact == Fraction(epsilon)


def test_a_group_of_three_pays_three_times_and_some_mechanism_needs_it() -> None:
    """An outcome doubles its chance from dataset to dataset: every step is log 2, and the ends are log 8 apart."""
    laws = [(Fraction(2**k, 64), 1 - Fraction(2**k, 64)) for k in range(4)]
    step, ends = (FiniteLoss(zip(laws[0], laws[k], strict=True)) for k in (1, 3))
    each = PURE.measure(step, {})
    rule = [PURE.group(PureParameter(end), 3).epsilon for end in (each.lower, each.upper)]
    assert rule[0] <= PURE.measure(ends, {}).upper
    assert PURE.measure(ends, {}).lower <= rule[1]
    assert float(rule[1] - rule[0]) < 1e-14
