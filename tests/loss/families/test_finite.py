"""Exact pairs: outcomes with one likelihood ratio are one, and stand in falling order."""

from __future__ import annotations

import itertools
from fractions import Fraction

import pytest
from hypothesis import given, strategies as st

from accountant import InvalidValue
from accountant.loss import FiniteLoss

WEIGHTS = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=7).filter(
    lambda pairs: any(p for p, _ in pairs) and any(q for _, q in pairs)
)


@given(WEIGHTS)
def test_outcomes_with_one_ratio_are_one_and_ratios_fall(weights: list[tuple[int, int]]) -> None:
    left, right = (sum(weight[side] for weight in weights) for side in (0, 1))
    pairs = [(Fraction(p, left), Fraction(q, right)) for p, q in weights]
    shares: dict[Fraction, tuple[Fraction, Fraction]] = {}
    for p, q in pairs:
        if p or q:
            before = shares.get(p / (p + q), (Fraction(0), Fraction(0)))
            shares[p / (p + q)] = (before[0] + p, before[1] + q)
    assert FiniteLoss(pairs).atoms == tuple(shares[share] for share in sorted(shares, reverse=True))


@given(WEIGHTS, st.fractions(0, 6, max_denominator=7))
def test_the_gain_at_a_ratio_is_that_of_the_best_event(weights: list[tuple[int, int]], ratio: Fraction) -> None:
    left, right = (sum(weight[side] for weight in weights) for side in (0, 1))
    pairs = [(Fraction(p, left), Fraction(q, right)) for p, q in weights]
    events = itertools.product((0, 1), repeat=len(pairs))
    best = max(sum(inside * (p - ratio * q) for inside, (p, q) in zip(event, pairs, strict=True)) for event in events)
    assert FiniteLoss(pairs)._gain(ratio) == best


@pytest.mark.parametrize(
    ("pairs", "why"),
    [
        ([("1/2", "1"), ("1/3", "0")], "of P must sum to 1, got 5/6"),
        ([("1", "1/2"), ("0", "2/3")], "of Q must sum to 1, got 7/6"),
        ([("3/2", "1"), ("-1/2", "0")], "cannot be negative"),
        ([], "of P must sum to 1, got 0"),
    ],
)
def test_what_is_no_pair_of_laws_is_refused(pairs: list[tuple[str, str]], why: str) -> None:
    with pytest.raises(InvalidValue, match=why):
        FiniteLoss(pairs)
