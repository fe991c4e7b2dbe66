"""What is lost beside Gaussian noise is counted as often as it is released."""

from __future__ import annotations

from fractions import Fraction

import pytest

from accountant import loss as losses
from accountant.loss import GaussianLoss, ResponseLoss
from accountant_fdp.rare_tests import noise_and_rest


@pytest.mark.parametrize("power", [Fraction(1, 10), Fraction(1, 2), Fraction(9, 10)])
def test_three_responses_need_as_much_as_one_that_loses_three_times_as_much(power: Fraction) -> None:
    noise = (GaussianLoss(Fraction(1, 4)), 1)
    often = losses.compose([(ResponseLoss(Fraction(1, 2)), 3), noise])
    once = losses.compose([(ResponseLoss(Fraction(3, 2)), 1), noise])
    assert noise_and_rest(often, power) == pytest.approx(noise_and_rest(once, power), rel=1e-9)
    assert noise_and_rest(often, power) > noise_and_rest(losses.compose([(ResponseLoss(Fraction(1, 2)), 1), noise]), power)
