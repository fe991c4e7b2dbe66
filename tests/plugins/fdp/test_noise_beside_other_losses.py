"""What is lost beside Gaussian noise is counted as often as it is released."""

from __future__ import annotations

from fractions import Fraction

import pytest

from accountant import loss as losses
from accountant.loss import GaussianLoss, ResponseLoss
from accountant_fdp.smallest_mu import _noise_and_rest


@pytest.mark.parametrize("power", [Fraction(1, 10), Fraction(1, 2), Fraction(9, 10)])
def test_three_responses_need_as_much_as_one_that_loses_three_times_as_much(power: Fraction) -> None:
    noise = (GaussianLoss(Fraction(1, 4)), 1)
    often = losses.compose([(ResponseLoss(Fraction(1, 2)), 3), noise])
    once = losses.compose([(ResponseLoss(Fraction(3, 2)), 1), noise])
    assert _noise_and_rest(often, power) == pytest.approx(_noise_and_rest(once, power), rel=1e-9)
    assert _noise_and_rest(often, power) > _noise_and_rest(
        losses.compose([(ResponseLoss(Fraction(1, 2)), 1), noise]), power
    )
