"""A loss that is known from both sides is read one side at a time."""

from __future__ import annotations

from accountant.loss import (
    BracketLoss,
    ComposedLoss,
    FiniteLoss,
    GaussianLoss,
    PrivacyLoss,
    ResponseLoss,
    compose,
    directions,
    enclosed,
    sides,
)
from accountant.numbers.interval import Interval

COIN = FiniteLoss([("3/4", "1/4"), ("1/4", "3/4")])
STRONG = FiniteLoss([("9/10", "1/10"), ("1/10", "9/10")])
BRACKET = BracketLoss(STRONG, COIN)


def total_variation(loss: PrivacyLoss) -> Interval:
    return loss.delta(0)


def test_each_end_comes_from_its_own_side() -> None:
    value = enclosed(total_variation, BRACKET)
    assert value.lower == COIN.delta(0).lower == 0.5
    assert value.upper == STRONG.delta(0).upper


def test_the_parts_of_a_composition_are_taken_apart() -> None:
    above, below = sides(compose([(BRACKET, 2), (COIN, 1)]))
    assert above == STRONG.times(STRONG).times(COIN)
    assert below == COIN.times(COIN).times(COIN)


def test_a_loss_that_is_known_is_both_of_its_sides() -> None:
    for loss in (COIN, GaussianLoss(1), compose([(GaussianLoss(1), 1), (ResponseLoss(1), 1)])):
        above, below = sides(loss)
        assert above is loss
        assert below is loss


SKEWED = FiniteLoss([("1/2", "1/4"), ("1/2", "3/4")])


def test_a_product_of_pairs_and_as_many_exchanged_ones_has_one_direction() -> None:
    both = ComposedLoss.of([(SKEWED, 3), (SKEWED.reverse(), 3)])
    assert directions(both) == [both]
    forward, backward = both.delta(0.5), both.reverse().delta(0.5)
    assert max(forward.lower, backward.lower) <= min(forward.upper, backward.upper)
    assert max(forward.width, backward.width) < 1e-12
    assert directions(COIN) == [COIN]


def test_a_product_that_takes_one_of_them_more_often_has_two() -> None:
    for loss in (SKEWED, ComposedLoss.of([(SKEWED, 3), (SKEWED.reverse(), 2)]), ComposedLoss.of([(SKEWED, 2)])):
        assert directions(loss) == [loss, loss.reverse()]


def test_rho_of_a_product_is_at_most_the_sum_and_at_least_what_an_order_says() -> None:
    skewed = ComposedLoss.of([(SKEWED, 40), (SKEWED.reverse(), 10)])
    found = skewed.concentration()
    most = 40 * SKEWED.concentration().upper + 10 * SKEWED.reverse().concentration().upper
    assert found.upper <= most * (1.0 + 1e-12)
    for order in (2, 5, 50):
        assert found.upper >= skewed.renyi(order).lower / order
    assert found.width <= 1e-6 * found.upper
