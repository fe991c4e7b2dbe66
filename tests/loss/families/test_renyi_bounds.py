"""Tangent cuts: valid wherever they touch, and touching where the inequality is tight."""

from __future__ import annotations

from collections.abc import Iterator

import mpmath
import numpy as np
import pytest
from hypothesis import assume, given, settings, strategies as st

from accountant.loss import FiniteLoss
from accountant.loss.families import renyi_bounds
from accountant.loss.families.renyi_bounds import _cuts, largest_ratio, log_odds, tangent_loss
from accountant.testing import strategies

EPSILONS = (-1, 0, 0.1, 0.5, 1, 2, 4)


@pytest.mark.slow
@given(
    strategies.finite_losses(smallest=1),
    st.lists(st.tuples(st.floats(-50, 50), st.floats(1.0000001, 1000)), min_size=1, max_size=6),
)
@settings(deadline=None)
def test_cuts_hold_for_every_pair_within_the_bounds_wherever_they_touch(
    pair: FiniteLoss, places: list[tuple[float, float]]
) -> None:
    odds, orders = (np.array(values) for values in zip(*places, strict=True))
    bounds = np.array([max(side.renyi(order).upper for side in (pair, pair.reverse())) for order in orders.tolist()])
    assume((bounds > 0.0).all())
    worst = tangent_loss(odds, orders, bounds)
    for side in (pair, pair.reverse()):
        assert all(side.delta(epsilon).lower <= worst.delta(epsilon).upper for epsilon in EPSILONS)


def test_cuts_for_half_the_divergence_are_caught() -> None:
    pair = FiniteLoss([("1/2", "1/10"), ("1/2", "9/10")])
    odds, orders = np.linspace(-5, 5, 200), np.full(200, 3.0)
    bound = max(side.renyi(3).upper for side in (pair, pair.reverse()))
    honest, small = (tangent_loss(odds, orders, np.full(200, share * bound)) for share in (1.0, 0.5))
    assert pair.delta(1).lower <= honest.delta(1).upper
    assert pair.delta(1).lower > small.delta(1).upper


@pytest.mark.parametrize("bound", [1e-9, 0.01, 1.0, 40.0])
@pytest.mark.parametrize("order", [1.000001, 1.3, 2.0, 17.0, 1e5])
@pytest.mark.parametrize("odds", [-300.0, -20.0, -1.0, 2.0, 15.0])
def test_a_cut_lies_above_the_tight_point_and_close_to_it(order: float, bound: float, odds: float) -> None:
    """The point is found by bisection at 60 digits: the smallest chance under Q that the inequality allows."""
    (epsilon,), (delta,) = _cuts(np.array([odds]), np.array([order]), np.array([bound]))
    if not np.isfinite(epsilon):
        return
    with mpmath.workdps(60):
        a, p = mpmath.mpf(order), 1 / (1 + mpmath.exp(-mpmath.mpf(odds)))
        most = mpmath.exp(mpmath.mpf(bound) * (a - 1))
        low, high = mpmath.mpf(0), mpmath.mpf(bound) - mpmath.log(p) / (a - 1)
        for _ in range(180):
            ratio = (low + high) / 2
            q = p * mpmath.exp(-ratio)
            allowed = p**a * q ** (1 - a) + (1 - p) ** a * (1 - q) ** (1 - a) <= most
            low, high = (ratio, high) if allowed else (low, ratio)
        gained = p - mpmath.exp(mpmath.mpf(float(epsilon))) * p * mpmath.exp(-low)
        assert gained <= mpmath.mpf(float(delta))
        # Rounding is charged in full, and shows where the inequality is almost an equation.
        if order > 1.1 and bound > 1e-3:
            assert mpmath.mpf(float(delta)) <= gained + p / 10**5


def test_the_search_ends_where_it_moves_nothing_any_more(monkeypatch: pytest.MonkeyPatch) -> None:
    steps: list[int] = []

    def counted(most: int) -> Iterator[int]:
        for step in range(most):
            steps.append(step)
            yield step

    odds = log_odds(10.0)
    orders, bounds = np.full(odds.shape, 4.0), np.full(odds.shape, 2.0)
    with monkeypatch.context() as longer:
        longer.setattr(renyi_bounds, "_CLOSE", 0.0)
        whole = largest_ratio(odds, orders, bounds)
    monkeypatch.setattr(renyi_bounds, "range", counted, raising=False)
    found = largest_ratio(odds, orders, bounds)
    assert len(steps) <= 12
    np.testing.assert_allclose(found, whole, rtol=1e-13, equal_nan=True)
