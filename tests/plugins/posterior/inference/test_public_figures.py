"""Public figures with a standard error, beside noisy numbers."""

from __future__ import annotations

import math

import numpy as np
import pytest

from accountant import InvalidValue
from accountant_posterior.inference import (
    Beta,
    Conjugate,
    GaussianNoise,
    LaplaceNoise,
    NoisyMoments,
    NoisyProportion,
    NoisySums,
    PublicFigure,
    StatedMoments,
    effective_size,
    infer,
    infer_line,
)


def test_a_public_count_multiplies_the_masses_of_counts_by_its_density() -> None:
    noisy = NoisyProportion(9, LaplaceNoise(2), 4.0)
    both = NoisyProportion(9, LaplaceNoise(2), 4.0, PublicFigure(6.5, 1.5))
    counts = np.arange(10)
    expected = np.exp(noisy.log_masses(Beta())) * np.exp(-((6.5 - counts) ** 2) / (2 * 1.5**2))
    np.testing.assert_allclose(np.exp(both.log_masses(Beta())), expected / expected.sum(), rtol=1e-12)


def test_a_public_mean_is_worth_another_release_with_gaussian_noise() -> None:
    """Precisions add: noise of 3 around 40 and an error of 4 around 50 are noise of 2.4 around 43.6."""
    prior = Conjugate(45, 100, 1, 5)
    variance = GaussianNoise(20)
    beside = NoisyMoments(StatedMoments(20, 0, 100, GaussianNoise(3), variance), 40, 120, PublicFigure(50, 4))
    alone = NoisyMoments(StatedMoments(20, 0, 100, GaussianNoise(2.4), variance), 43.6, 120)
    first, second = (
        infer(seen, prior, np.random.default_rng(place), chains=200, iterations=150, burn=80)
        for place, seen in enumerate((beside, alone))
    )
    for one, other in ((first.mean, second.mean), (first.variance, second.variance)):
        errors = [float(draws.std()) / math.sqrt(effective_size(draws)) for draws in (one, other)]
        assert float(one.mean()) == pytest.approx(float(other.mean()), abs=4.5 * math.hypot(*errors))
    assert float(first.mean.mean()) > 42


@pytest.mark.slow
def test_a_public_sum_pulls_the_sum_of_a_line() -> None:
    seen = [6.0, 6.0, 4.0, 3.5, 4.0]
    alone = NoisySums(12, [0, 0], [1, 1], LaplaceNoise(1), seen)
    beside = NoisySums(12, [0, 0], [1, 1], LaplaceNoise(1), seen, public=((1, PublicFigure(8.0, 0.05)),))
    sums = np.array([seen, [6.0, 7.0, 4.0, 3.5, 4.0]]).T
    weights = beside.log_weights(sums, sums) - alone.log_weights(sums, sums)
    np.testing.assert_allclose(weights, [-0.5 * (2 / 0.05) ** 2, -0.5 * (1 / 0.05) ** 2])
    draws = infer_line(beside, generator=np.random.default_rng(2), chains=100, iterations=30, burn=60)
    assert float(draws.sums[1].mean()) == pytest.approx(8.0, abs=0.05)


@pytest.mark.parametrize(("value", "error"), [(1, 0), (1, -2), (math.nan, 1), (1, math.inf)])
def test_figures_without_an_error_are_refused(value: float, error: float) -> None:
    with pytest.raises(InvalidValue, match="standard error above 0"):
        PublicFigure(value, error)


def test_a_figure_of_no_sum_is_refused() -> None:
    with pytest.raises(InvalidValue, match="is for another"):
        NoisySums(12, [0, 0], [1, 1], LaplaceNoise(1), [1, 2, 3, 4, 5], public=((5, PublicFigure(1, 1)),))
