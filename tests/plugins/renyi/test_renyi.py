"""Renyi differential privacy: never beaten by a mechanism with that parameter, and as tight as yes-or-no outcomes allow."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise

import mpmath
import pytest
from attrs import evolve, frozen
from hypothesis import assume, given, settings, strategies as st

import accountant
from accountant import Interval, InvalidValue
from accountant.loss import NO_LOSS, FiniteLoss, GaussianLoss, PrivacyLoss
from accountant.testing import laws, search, strategies
from accountant_renyi import Renyi, RenyiParameter, RenyiSum
from accountant_renyi.envelope import envelope
from accountant_zcdp.envelope import envelope as zcdp_envelope
from tests.laws.quick import QUICK

RENYI = Renyi()
EPSILONS = (0, 0.01, 0.1, 0.3, 0.7, 1, 1.5, 2, 3, 5, 8)
ORDERS = st.sampled_from([Fraction(number) for number in ("1.01", "3/2", "2", "7", "64", "1e6")])
PAIRS = strategies.finite_losses(smallest=1)


def gamma(pair: PrivacyLoss, order: Fraction) -> Fraction:
    return Fraction(RENYI.measure(pair, {"order": order}).upper)


def beaten(pair: PrivacyLoss, worst: PrivacyLoss) -> list[float]:
    """The epsilons at which an exact pair gains more than the worst case allows, in either direction."""
    sides = (pair, pair.reverse())
    return [eps for eps in EPSILONS if any(side.delta(eps).lower > worst.delta(eps).upper for side in sides)]


# The oracle ----------------------------------------------------------------------------------------------------------


@given(PAIRS, ORDERS)
@settings(max_examples=40, deadline=None)
def test_no_finite_mechanism_beats_the_worst_case_of_its_own_gamma(pair: FiniteLoss, order: Fraction) -> None:
    value = gamma(pair, order)
    assume(value > 1e-12)
    assert beaten(pair, RENYI.worst_case(RenyiParameter(order, value))) == []


@given(PAIRS, st.lists(ORDERS, min_size=2, max_size=4, unique=True))
@settings(max_examples=25, deadline=None)
def test_no_finite_mechanism_beats_the_worst_case_of_its_curve(pair: FiniteLoss, orders: list[Fraction]) -> None:
    points = [RenyiParameter(order, gamma(pair, order)) for order in orders]
    assume(all(point.gamma > 1e-12 for point in points))
    assert beaten(pair, RENYI.worst_case_of(points)) == []


@pytest.mark.parametrize(("p", "q"), [("0.02", "0.001"), ("0.3", "0.1"), ("0.5", "0.2")])
@pytest.mark.parametrize("spoil", [lambda o, g: (o, g * Fraction(9, 10)), lambda o, g: (2 * o, g)], ids=["gamma", "order"])
def test_an_envelope_for_too_small_a_parameter_is_caught(
    p: str, q: str, spoil: Callable[..., tuple[Fraction, Fraction]]
) -> None:
    pair = FiniteLoss([(p, q), (1 - Fraction(p), 1 - Fraction(q))])
    order = Fraction(4)
    gain = {eps: pair.delta(eps).lower for eps in (k / 50 for k in range(400))}
    honest = envelope(((order, gamma(pair, order)),))
    assert all(value <= honest.delta(eps).upper for eps, value in gain.items())
    small = envelope((spoil(order, gamma(pair, order)),))
    assert any(value > small.delta(eps).upper for eps, value in gain.items())


# Closed forms --------------------------------------------------------------------------------------------------------


def largest_power(points: Sequence[tuple[str, str]], level: str) -> float:
    """The largest power at which both binary inequalities hold at every order, by bisection at 30 digits."""
    with mpmath.workdps(30):
        known = [(mpmath.mpf(order), mpmath.mpf(value)) for order, value in points]
        q, low, high = mpmath.mpf(level), mpmath.mpf(level), mpmath.mpf(1)

        def allowed(p: mpmath.mpf) -> bool:
            return all(
                x**a * y ** (1 - a) + (1 - x) ** a * (1 - y) ** (1 - a) <= mpmath.exp(value * (a - 1))
                for a, value in known
                for x, y in ((p, q), (q, p))
            )

        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if allowed(middle) else (low, middle)
        return float(low)


@pytest.mark.parametrize("level", ["0.0001", "0.01", "0.05", "0.3", "0.8"])
@pytest.mark.parametrize(
    "points", [[("2", "1")], [("8", "0.3")], [("1.5", "0.01")], [("50", "2")], [("2", "0.5"), ("8", "1"), ("32", "3")]]
)
def test_the_largest_power_solves_the_binary_inequalities(points: list[tuple[str, str]], level: str) -> None:
    expected = largest_power(points, level)
    found = 1 - RENYI.worst_case_of([RenyiParameter(*point) for point in points]).tradeoff(level).lower
    assert expected * (1 - 1e-12) <= found <= expected * 1.0005


@pytest.mark.parametrize(("order", "value"), [("2", "1"), ("3/2", "1e-4"), ("32", "5/3")])
def test_gaussian_noise_attains_the_parameter(order: str, value: str) -> None:
    noise = GaussianLoss(2 * Fraction(value) / Fraction(order))
    assert RENYI.measure(noise, {"order": Fraction(order)}).contains(value)
    assert RENYI.worst_case(RenyiParameter(order, value)).dominated() == noise


def test_many_orders_approach_the_worst_case_of_zcdp_from_above() -> None:
    rho = Fraction(1, 10)
    orders = [1 + Fraction(3, 2) ** k / 1000 for k in range(30)]
    many = RENYI.worst_case_of([RenyiParameter(order, rho * order) for order in orders])
    few = RENYI.worst_case_of([RenyiParameter(order, rho * order) for order in orders[::6]])
    for level in ("0.001", "0.1", "0.5"):
        powers = [1 - loss.tradeoff(level).lower for loss in (zcdp_envelope(rho), many, few)]
        assert powers[0] <= powers[1] * (1 + 1e-4)
        assert powers[1] <= powers[2]
        assert powers[1] <= powers[0] * 1.02


def test_no_divergence_means_no_loss() -> None:
    assert RENYI.worst_case(RenyiParameter(2, 0)) == NO_LOSS


@pytest.mark.parametrize(
    ("order", "value"), [("1.00000000000000000001", "1"), ("1e300", "1"), ("2", "1e300"), ("2", "1e-300")]
)
def test_extreme_parameters_stay_sound(order: str, value: str) -> None:
    worst = RENYI.worst_case(RenyiParameter(order, value))
    for epsilon in (0, 1, 100):
        assert worst.dominated().delta(epsilon).lower <= worst.delta(epsilon).upper


def test_an_order_of_one_is_refused() -> None:
    with pytest.raises(InvalidValue, match="above 1"):
        RenyiParameter(1, 1)


# Groups --------------------------------------------------------------------------------------------------------------


@given(strategies.chains(), st.sampled_from([Fraction(8), Fraction(17), Fraction(100)]))
@settings(max_examples=200, deadline=None)
def test_no_chain_of_neighbours_exceeds_the_group_parameter(chain: list[tuple[Fraction, ...]], order: Fraction) -> None:
    assert not exceeded(RENYI, chain, order)


def exceeded(rule: Renyi, chain: Sequence[tuple[Fraction, ...]], order: Fraction) -> bool:
    steps = [FiniteLoss(zip(left, right, strict=True)) for left, right in pairwise(chain)]
    together = rule.group(RenyiParameter(order, max(gamma(step, order) for step in steps)), len(steps))
    assert together is not None
    ends = FiniteLoss(zip(chain[0], chain[-1], strict=True))
    return RENYI.measure(ends, {"order": together.order}).lower > together.gamma


@frozen
class KeepsTheOrder(Renyi):
    """A group rule that forgets what the order costs."""

    def group(self, parameter: RenyiParameter, size: int) -> RenyiParameter | None:
        return evolve(parameter, gamma=3 * parameter.gamma)


def test_a_group_rule_that_keeps_the_order_is_caught() -> None:
    """Two steps of noise on a count, each just one apart, are about four times one step at the same order."""
    law = [tuple(Fraction(weight, 300) for weight in row) for row in ((90, 110, 100), (100, 100, 100), (110, 90, 100))]
    assert not exceeded(RENYI, law, Fraction(8))
    assert exceeded(KeepsTheOrder(), law, Fraction(8))


def test_groups_need_orders_to_give_away() -> None:
    assert RENYI.group(RenyiParameter(16, 1), 1) == RenyiParameter(16, 1)
    assert RENYI.group(RenyiParameter(16, 1), 2) == RenyiParameter(8, 3)
    assert RENYI.group(RenyiParameter(16, 1), 3) == RENYI.group(RenyiParameter(16, 1), 4) == RenyiParameter(4, 9)
    assert RENYI.group(RenyiParameter(3, 1), 2) is None


# Composition ---------------------------------------------------------------------------------------------------------


@frozen
class OnlyTheLargest(RenyiSum):
    """A rule that forgets to add."""

    def compose(self, parts: Sequence[tuple[Interval, int]]) -> Interval:
        return max((value for value, _ in parts), key=lambda value: value.upper)


def test_gammas_of_one_order_add_up_to_at_least_the_exact_product() -> None:
    pair = strategies.finite_losses(size=3, smallest=1)
    arguments = {"first": pair, "second": pair, "count": st.integers(2, 4)}
    search(laws.rule_never_undercuts, RenyiSum(), RENYI, **arguments)
    with pytest.raises(AssertionError, match="must not undercut the exact product"):
        search(laws.rule_never_undercuts, OnlyTheLargest(), RENYI, **arguments, depth=QUICK)


def test_the_sum_counts_repetition_and_ignores_order() -> None:
    pair = strategies.finite_losses(size=3, smallest=1)
    search(laws.rule_counts_repetition, RenyiSum(), RENYI, pair=pair, count=st.integers(2, 4))
    search(laws.rule_ignores_order, RenyiSum(), RENYI, first=pair, second=pair)


def test_the_places_of_the_sum_are_words_of_the_first_reading() -> None:
    assert all(set(place) == set(RENYI.primary.at) for place in RenyiSum.places)


def test_a_plan_is_read_at_an_order() -> None:
    plan = accountant.read_plan(
        {
            "specification": {"neighbours": "replace-one"},
            "release": [
                {"name": "noise", "query": {"kind": "count"}, "mechanism": {"kind": "gaussian", "sigma": "2"}, "times": 3}
            ],
        }
    )
    assert accountant.account(plan).measure("renyi", order=4).value.contains(Fraction(4 * 3, 2 * 4))
