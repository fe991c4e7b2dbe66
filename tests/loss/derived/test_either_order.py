"""Releases that may be worst in either order: all strategies of somebody who chooses are tried."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache
from typing import Any

import pytest

from accountant import account, read_plan
from accountant.loss import GaussianLoss, PrivacyLoss, ResponseLoss, SampledLoss, both_orders, compose, either_order
from accountant.loss.derived.either_order import ChosenOrders, EitherOrder

EPSILON = Fraction(1)


def sampled(rate: Fraction) -> PrivacyLoss:
    return SampledLoss.of(ResponseLoss(EPSILON), rate)


def best(rate: float, count: int, epsilon: float, orders: str = "both") -> float:
    """What somebody gains who chooses the order of every release after seeing the outcomes of all before."""
    high = math.exp(float(EPSILON)) / (1 + math.exp(float(EPSILON)))
    absent = (1 - high, high)
    present = tuple((1 - rate) * a + rate * b for a, b in zip(absent, (high, 1 - high), strict=True))
    pairs = [(present, absent), (absent, present)][: 2 if orders == "both" else 1]

    @cache
    def gain(left: int, first: float, second: float) -> float:
        if not left:
            return max(0.0, first - math.exp(epsilon) * second)
        return max(
            sum(gain(left - 1, first * p, second * q) for p, q in zip(one, other, strict=True)) for one, other in pairs
        )

    return gain(count, 1.0, 1.0)


@pytest.mark.parametrize("rate", [Fraction(1, 10), Fraction(1, 2)])
@pytest.mark.parametrize("count", [2, 3, 6])
def test_no_choice_of_orders_gains_more(rate: Fraction, count: int) -> None:
    loss = compose([(either_order(both_orders(sampled(rate))), count)])
    curve = ChosenOrders(sampled(rate), count)._curve
    for epsilon in (0.0, 0.05, 0.2, 0.5):
        truth = best(float(rate), count, epsilon)
        assert truth <= loss.delta(Fraction(epsilon)).upper * (1 + 1e-12)
        assert loss.delta(Fraction(epsilon)).lower <= truth * (1 + 1e-12)
        if curve is not None:
            assert truth <= curve.delta(Fraction(epsilon)).upper * (1 + 1e-12)
            assert curve.delta(Fraction(epsilon)).upper <= truth * 1.03 + 1e-4


def test_one_order_for_all_releases_would_be_too_little() -> None:
    """The planted error: somebody who may not choose gains less."""
    assert best(0.5, 6, 0.2, "one") < 0.999 * best(0.5, 6, 0.2)


@pytest.mark.parametrize("order", ["1.5", "4"])
def test_renyi_divergences_are_those_of_the_worse_order_every_time(order: str) -> None:
    pair = SampledLoss.of(GaussianLoss(1), Fraction(1, 10))
    value = compose([(either_order(both_orders(pair)), 20)]).renyi(order)
    truth = max(side.renyi(order).upper for side in (pair, pair.reverse())) * 20
    assert value.lower <= truth
    assert value.upper <= truth * (1 + 1e-12)
    assert value.upper - value.lower <= 1e-9 * value.upper


def measured(query: dict[str, Any], sampling: dict[str, Any], times: int) -> Any:
    release = {
        "name": "r",
        "query": query,
        "mechanism": {"kind": "gaussian", "sigma": "1"},
        "sampling": sampling,
        "times": times,
    }
    plan = read_plan({"specification": {"neighbours": "replace-one"}, "release": [release]})
    return account(plan).measure("approx", delta="1e-6").value


@pytest.mark.parametrize(
    "sampling", [{"kind": "poisson", "rate": "0.01"}, {"kind": "without-replacement", "sample": 10, "population": 1000}]
)
def test_counts_on_samples_are_within_a_hundredth(sampling: dict[str, Any]) -> None:
    value = measured({"kind": "count"}, sampling, 100)
    assert value.upper - value.lower < 0.01 * value.upper


@pytest.mark.slow
def test_sums_that_noise_hardly_hides_may_have_other_pairs_and_are_not_taken_for_counts() -> None:
    sampling = {"kind": "without-replacement", "sample": 10, "population": 1000}
    sums = measured({"kind": "sum", "lower": 0, "upper": 1}, sampling, 100)
    assert sums.upper > measured({"kind": "count"}, sampling, 100).upper


def test_only_a_pair_and_its_exchange_are_chosen_from() -> None:
    assert isinstance(either_order(both_orders(sampled(Fraction(1, 2)))), EitherOrder)
    assert either_order(GaussianLoss(1)) == GaussianLoss(1)
