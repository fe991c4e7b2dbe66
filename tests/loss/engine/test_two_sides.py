"""A loss that is known from both sides is read one side at a time."""

from __future__ import annotations

from accountant.loss import BracketLoss, FiniteLoss, GaussianLoss, PrivacyLoss, ResponseLoss, compose, enclosed, sides
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
