"""Lower ends of few shuffled reports belong to the randomiser that loses most there, found by enumeration."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from accountant.loss import compose
from accountant_response.shuffled_loss import ShuffledLoss, shuffled_loss
from tests.plugins.response.enumeration import Pair, categories, delta, hidden, pair, shuffled

RATIO = Fraction(3)
EPSILON = Fraction(math.log(3.0))


def attained(reports: int) -> list[Pair]:
    """Two categories while all others hold the one or the other, and three while all others hold the third."""
    two, three = categories(2, RATIO), categories(3, RATIO)
    return [
        pair(*(shuffled([row, *[others] * (reports - 1)]) for row in rows[:2]))
        for rows, others in ((two, two[0]), (two, two[1]), (three, three[2]))
    ]


def times(left: Pair, right: Pair) -> Pair:
    return [(p * a, q * b) for p, q in left for a, b in right]


@pytest.mark.parametrize("reports", [2, 4, 6])
@pytest.mark.parametrize("ratio", [Fraction(1), Fraction(11, 10), Fraction(3, 2), Fraction(2), Fraction(5, 2)])
def test_the_lower_end_is_the_largest_that_is_attained(reports: int, ratio: Fraction) -> None:
    value = shuffled_loss(EPSILON, reports).delta(Fraction(math.log(ratio)))
    reached = max(delta(law, ratio) for law in attained(reports))
    assert value.lower == pytest.approx(float(reached), rel=1e-9)
    assert value.upper == pytest.approx(float(delta(hidden(RATIO, reports, 1 / (RATIO + 1)), ratio)), rel=1e-9)


def test_one_randomiser_alone_is_not_the_lower_end() -> None:
    """The planted error of the former choice by numbers alone: elsewhere another randomiser loses more."""
    best = [max(range(3), key=lambda k, r=ratio: delta(attained(4)[k], r)) for ratio in (Fraction(11, 10), Fraction(5, 2))]
    assert best[0] != best[1]


@pytest.mark.parametrize("ratio", [Fraction(1), Fraction(2), Fraction(6)])
def test_several_shuffles_are_products_of_what_is_attained(ratio: Fraction) -> None:
    value = compose([(shuffled_loss(EPSILON, 3), 2)]).delta(Fraction(math.log(ratio)))
    reached = max(delta(times(law, law), ratio) for law in attained(3))
    above = hidden(RATIO, 3, 1 / (RATIO + 1))
    assert float(reached) * (1.0 - 1e-6) <= value.lower <= float(reached) * (1.0 + 1e-9)
    assert value.upper == pytest.approx(float(delta(times(above, above), ratio)), rel=1e-6)


def test_several_shuffles_are_counted_once() -> None:
    single = shuffled_loss(EPSILON, 5)
    three = compose([(single, 3)])
    assert isinstance(three, ShuffledLoss)
    assert three.taken_apart() == ((single, 3),)
    assert compose([(single, 1), (single, 2)]) == three
    assert three.supremum().upper == pytest.approx(3 * float(EPSILON), rel=1e-12)
    assert three.concentration().upper == pytest.approx(3 * single.concentration().upper, rel=1e-6)
    assert three.reverse().delta("0.5").upper == three.delta("0.5").upper
    assert compose([(single, 40)]).delta(1).lower > three.delta(1).upper


@pytest.mark.parametrize("reports", [100, 1000])
def test_moments_of_many_reports_are_close(reports: int) -> None:
    """Two categories, all others holding the answer that the changed one had, are as concentrated as is allowed."""
    value = shuffled_loss(Fraction(2), reports).concentration()
    assert value.lower > 0.95 * value.upper
