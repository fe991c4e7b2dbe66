"""Delta and the power of tests are read as precisely as epsilon is, unless only a large grid would help."""

from __future__ import annotations

from fractions import Fraction

import pytest

from accountant.loss import GaussianLoss, PrivacyLoss, SampledLoss, compose
from accountant.loss.readings.precision import DEFAULT_PRECISION
from accountant_noise.discrete_gaussian_loss import DiscreteGaussianLoss
from accountant_noise.laplace_loss import LaplaceLoss

Parts = list[tuple[PrivacyLoss, int]]
SAMPLED: Parts = [
    (SampledLoss(DiscreteGaussianLoss(Fraction(333, 1000) ** 2, 1), Fraction(349, 50000)), 119),
    (LaplaceLoss(Fraction(100, 331)), 3),
]
MIXED: Parts = [(GaussianLoss(Fraction(10, 163) ** 2), 736), (SampledLoss(LaplaceLoss(1), Fraction(239, 100000)), 50)]
FEW: Parts = [(SampledLoss(GaussianLoss(Fraction(1000, 333) ** 2), Fraction(100, 1712)), 3)]


@pytest.mark.parametrize(("parts", "epsilon"), [(SAMPLED, "9/40"), (SAMPLED, "0"), (MIXED, "0"), (FEW, "1/2")])
def test_delta_is_known_to_the_precision(parts: Parts, epsilon: str) -> None:
    whole = compose(parts)
    for loss in (whole, whole.reverse()):
        found = loss.delta(epsilon)
        assert found.width <= DEFAULT_PRECISION * found.upper
        sharp = loss.sharpened(1e-5).delta(epsilon)
        assert found.lower <= sharp.lower <= sharp.upper <= found.upper


def test_the_power_of_a_test_is_known_to_the_precision() -> None:
    missed = compose(FEW).tradeoff("1/100")
    assert missed.width <= DEFAULT_PRECISION * (1.0 - missed.lower)


def test_a_large_grid_is_not_drawn_for_a_delta_that_is_nearly_precise() -> None:
    """What is left is a tenth of what was asked for at most, and sharper numbers are had by asking."""
    loss = compose([(SampledLoss(LaplaceLoss(1), Fraction(557, 10000)), 74)])
    missed = loss.tradeoff("1/2")
    assert DEFAULT_PRECISION < missed.width / missed.upper <= 20.0 * DEFAULT_PRECISION
