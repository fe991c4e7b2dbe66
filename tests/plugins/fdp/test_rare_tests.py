"""What rare tests need, beside tests that are told in long arithmetic: noise on whole numbers, and two outcomes."""

from __future__ import annotations

import random
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import mpmath as mp
import pytest

from accountant.loss import FiniteLoss, PrivacyLoss, SampledLoss
from accountant_fdp.rare_tests import on_sample, rare_tests
from accountant_fdp.smallest_mu import smallest_mu
from accountant_noise.discrete_gaussian_loss import DiscreteGaussianLoss

mp.mp.dps = 60
Test = tuple[Any, Any]
"""Level and power."""


def quantile(tail: Any) -> Any:
    """The number that a normal variable exceeds with so small a chance."""
    start = mp.sqrt(-2 * mp.log(tail))
    return mp.findroot(
        lambda z: mp.log(mp.erfc(z / mp.sqrt(2)) / 2) - mp.log(tail), start - mp.log(start + 1) / (start + 1)
    )


def gap(test: Test) -> Any:
    return quantile(test[0]) - quantile(test[1])


def sampled(test: Test, rate: Fraction) -> Test:
    level, power = test
    share = mp.mpf(rate.numerator) / rate.denominator
    return level, (1 - share) * level + share * power


def whole_number_tests(sigma: str) -> Iterator[Test]:
    """Tests of discrete Gaussian noise that say yes from a place on, from there to where normal tails are 1e-1500."""
    width, last = mp.mpf(sigma), int(90 * float(sigma)) + 60
    weights = [mp.exp(-(mp.mpf(k) ** 2) / (2 * width**2)) for k in range(last)]
    total = 2 * sum(weights) - 1
    tails, rest = [mp.mpf(0)] * (last + 1), mp.mpf(0)
    for k in reversed(range(last)):
        rest += weights[k] / total
        tails[k] = rest
    for k in range(1, int(80 * float(sigma)) + 2):
        yield tails[k], tails[k - 1]


def exactly(value: Any) -> Fraction:
    """A number a little above a positive one."""
    return Fraction(int(mp.ceil(value * mp.mpf(10) ** 1600)), 10**1600)


def below(loss: PrivacyLoss, tests: list[Test]) -> list[Test]:
    """Tests of which more is needed than is said of all that are as rare or rarer."""
    return [
        test for test in tests if test[1] < 0.4 and gap(test) > rare_tests(loss, exactly(test[1])) * (1 + mp.mpf(10) ** -30)
    ]


@pytest.mark.parametrize("rate", ["1/100000", "1/50", "2/5", "9/10"])
@pytest.mark.parametrize("sigma", ["0.4", "1", "3"])
def test_no_test_of_whole_numbers_on_samples_needs_more(sigma: str, rate: str) -> None:
    chance, whole = Fraction(rate), DiscreteGaussianLoss(Fraction(sigma) ** 2, 1)
    tests = [sampled(test, chance) for test in whole_number_tests(sigma)]
    assert below(SampledLoss(whole, chance), tests) == []


@pytest.mark.parametrize("sigma", ["0.4", "1", "3"])
def test_no_test_of_whole_numbers_needs_more(sigma: str) -> None:
    assert below(DiscreteGaussianLoss(Fraction(sigma) ** 2, 1), list(whole_number_tests(sigma))) == []


def outcomes(number: int) -> tuple[FiniteLoss, Test]:
    """Two outcomes, one of them rare under both laws, and the test that tells them apart."""
    dice = random.Random(f"outcomes {number}")
    power = Fraction(f"{10 ** -dice.uniform(3.2, 12.0):.3e}")
    level = power * Fraction(f"{10 ** -dice.uniform(0.05, 8.0):.3e}")
    return FiniteLoss([(power, level), (1 - power, 1 - level)]), (mp.mpf(float(level)), mp.mpf(float(power)))


def test_no_test_of_two_outcomes_needs_more() -> None:
    for number in range(60):
        loss, test = outcomes(number)
        assert below(loss, [test]) == []
        assert gap(test) <= smallest_mu(loss).upper


def test_a_planted_bound_without_the_stretch_of_quantiles_is_caught() -> None:
    """Of the root of twice rho alone, two outcomes need more."""
    over = [gap(test) / mp.sqrt(2 * loss.concentration().lower) for loss, test in map(outcomes, range(60))]
    assert max(over) > 1.01


def test_tests_on_samples_that_take_nearly_all_are_not_said_to_need_no_more() -> None:
    """At such a rate two outcomes need more than the root of twice rho on all records, as they do without a sample."""
    rate = Fraction(99, 100)
    assert on_sample(SampledLoss(DiscreteGaussianLoss(1, 1), rate), Fraction(1, 10**9)) == mp.inf
    worst = max(
        gap(sampled(test, rate)) / mp.sqrt(2 * loss.concentration().upper) for loss, test in map(outcomes, range(60))
    )
    assert worst > 1


def test_the_mu_of_noise_on_samples_is_that_of_its_moments() -> None:
    loss = SampledLoss(DiscreteGaussianLoss(1, 1), Fraction(1, 400))
    found = smallest_mu(loss)
    assert found.lower <= 1 <= found.upper
    assert found.width <= 1e-9
