"""The supremum of Renyi(a)/a over large orders alone, beside the ratios themselves."""

from __future__ import annotations

from fractions import Fraction

import pytest

from accountant.loss import PrivacyLoss, ResponseLoss, SampledLoss, certified_supremum, compose
from accountant_noise.laplace_loss import LaplaceLoss
from accountant_noise.staircase_loss import StaircaseLoss

LOSSES: dict[str, PrivacyLoss] = {
    "Laplace": compose([(LaplaceLoss("1/20"), 400)]),
    "responses on samples": compose([(SampledLoss.of(ResponseLoss("2"), Fraction(1, 50)), 30)]),
    "staircases and a response": compose([(StaircaseLoss("1/3", "1/2", "1"), 12), (ResponseLoss("1"), 1)]),
}


def highest(loss: PrivacyLoss, first: float) -> float:
    """The largest ratio that is seen at orders from there on."""
    orders = [Fraction(1 + first) * Fraction(26, 25) ** k for k in range(180)]
    return max(loss.renyi(order).lower / float(order) for order in orders)


@pytest.mark.parametrize("first", [0.5, 4.0, 60.0])
@pytest.mark.parametrize("name", LOSSES)
def test_no_large_order_has_more_than_the_supremum_over_them(name: str, first: float) -> None:
    loss = LOSSES[name]
    found, truth = certified_supremum(loss, first=first), highest(loss, first)
    assert truth <= found.upper * (1 + 1e-12)
    assert found.upper <= truth * (1 + 1e-3)
    assert found.lower <= found.upper <= loss.concentration().upper * (1 + 1e-9)


def test_bounded_losses_have_less_at_large_orders() -> None:
    loss = LOSSES["Laplace"]
    assert certified_supremum(loss, first=60.0).upper < 0.8 * loss.concentration().lower


def test_a_search_that_begins_too_far_out_is_caught() -> None:
    loss = LOSSES["Laplace"]
    assert certified_supremum(loss, first=90.0).upper < highest(loss, 60.0)
