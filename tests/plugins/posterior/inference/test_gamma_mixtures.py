"""Truncated gamma mixtures and truncated draws against quadrature in many digits."""

from __future__ import annotations

from typing import Any

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from accountant import InvalidValue
from accountant_posterior.inference import TruncatedGammaMixture
from accountant_posterior.inference.truncation import gamma_between, log_gamma_above, log_gamma_below, normal_between


def unnormalised(shape: float, rate: float, slope: float, kink: float) -> Any:
    return lambda s: s ** (mp.mpf(shape) - 1) * mp.exp(-rate * s - slope * abs(s - kink))


def distance(draws: np.ndarray[Any, Any], cumulative: Any) -> float:
    """The Kolmogorov-Smirnov distance times the square root of the number; beyond 2 has a chance below 1e-3."""
    ordered = np.sort(draws)
    values = np.array([float(cumulative(place)) for place in ordered[:: max(1, len(ordered) // 200)]])
    steps = np.arange(len(ordered))[:: max(1, len(ordered) // 200)] / len(ordered)
    return float(np.abs(values - steps).max() * np.sqrt(len(ordered)))


def test_the_recorded_share() -> None:
    assert float(TruncatedGammaMixture(2, 2, 1, 1).share_below) == pytest.approx(0.6177566, abs=5e-8)


@settings(deadline=None, max_examples=25)
@given(
    st.floats(0.6, 8),
    st.floats(0.5, 6),
    st.floats(0.0, 0.95),
    st.floats(-1.0, 4.0),
    st.sampled_from([np.inf, 0.5, 2.5]),
)
def test_shares_and_densities_are_those_of_quadrature(
    shape: float, rate: float, part: float, kink: float, upper: float
) -> None:
    slope = part * rate
    mixture = TruncatedGammaMixture(shape, rate, slope, kink, upper)
    with mp.workdps(20):
        bare = unnormalised(shape, rate, slope, kink)
        top = mp.inf if upper == np.inf else mp.mpf(upper)
        inside = min(max(kink, 0.0), upper)
        below = mp.quad(bare, [0, inside]) if inside > 0 else mp.mpf(0)
        above = mp.quad(bare, [inside, inside + 1, inside + 6, top]) if top == mp.inf else mp.quad(bare, [inside, top])
        assert float(mixture.share_below) == pytest.approx(float(below / (below + above)), rel=1e-6, abs=1e-9)
        for place in (0.2, 0.45, 1.7):
            expected = bare(mp.mpf(place)) / (below + above) if place <= upper else 0
            assert float(mixture.density(place)) == pytest.approx(float(expected), rel=1e-6)


def test_the_density_is_continuous_at_the_kink_and_one_gamma_law_without_it() -> None:
    mixture = TruncatedGammaMixture(3, 2, 1.5, 0.8)
    assert float(mixture.density(0.8 - 1e-9)) == pytest.approx(float(mixture.density(0.8 + 1e-9)), rel=1e-7)
    low = TruncatedGammaMixture(3, 2, 1.5, -0.4)
    assert float(low.share_below) == 0
    assert float(low.density(0.6)) == pytest.approx(3.5**3 / 2 * 0.6**2 * np.exp(-3.5 * 0.6))
    assert float(low.density(-1.0)) == 0


@pytest.mark.parametrize(
    ("shape", "rate", "slope", "kink", "upper"),
    [
        (2, 2, 1, 1, np.inf),
        (21, 60, 10.75, 0.2, np.inf),
        (21, 60, 10.75, 0.2, 0.25),
        (21, 300, 10.75, -0.1, 0.05),
        (3, 4, 1, 2, 0.3),
    ],
)
def test_draws_follow_the_density(shape: float, rate: float, slope: float, kink: float, upper: float) -> None:
    size = 20_000
    draws = TruncatedGammaMixture(*(np.full(size, v) for v in (shape, rate, slope, kink, upper))).sample(
        np.random.default_rng(3)
    )
    assert np.all((draws > 0) & (draws <= upper))
    grid = np.linspace(0.0, min(upper, float(draws.max()) * 1.2), 20_001)
    density = TruncatedGammaMixture(shape, rate, slope, kink, upper).density(grid)
    sums = np.concatenate([[0.0], np.cumsum((density[1:] + density[:-1]) / 2 * np.diff(grid))])
    assert sums[-1] == pytest.approx(1.0, abs=1e-4)
    assert distance(draws, lambda place: np.interp(place, grid, sums)) < 2


def test_draws_of_the_wrong_mixture_are_caught() -> None:
    size = 20_000
    wrong = TruncatedGammaMixture(*(np.full(size, v) for v in (2, 2, 0.3, 1))).sample(np.random.default_rng(3))
    grid = np.linspace(0.0, 20.0, 20_001)
    density = TruncatedGammaMixture(2, 2, 1, 1).density(grid)
    sums = np.concatenate([[0.0], np.cumsum((density[1:] + density[:-1]) / 2 * np.diff(grid))])
    assert distance(wrong, lambda place: np.interp(place, grid, sums)) > 4


@pytest.mark.parametrize(
    ("shape", "x"), [(500.0, 5.0), (21.0, 1e-20), (2.0, 900.0), (499.5, 3000.0), (21.0, 20.0), (0.5, 1e-3)]
)
def test_logs_of_chances_far_out(shape: float, x: float) -> None:
    with mp.workdps(30):
        below = mp.log(mp.gammainc(shape, 0, x, regularized=True))
        above = mp.log(mp.gammainc(shape, x, mp.inf, regularized=True))
    assert float(log_gamma_below(np.array([shape]), np.array([x]))[0]) == pytest.approx(float(below), rel=1e-10, abs=1e-14)
    assert float(log_gamma_above(np.array([shape]), np.array([x]))[0]) == pytest.approx(float(above), rel=1e-10, abs=1e-14)


@pytest.mark.parametrize(
    ("shape", "low", "high"), [(500.0, 0.0, 5.0), (500.0, 3000.0, np.inf), (21.0, 15.0, 16.0), (2.0, 900.0, 901.0)]
)
def test_gamma_draws_between_bounds_far_out(shape: float, low: float, high: float) -> None:
    size = 4000
    draws = gamma_between(
        np.full(size, shape), np.full(size, 1.0), np.full(size, low), np.full(size, high), np.random.default_rng(1)
    )
    assert np.all((draws >= low) & (draws <= high))
    with mp.workdps(30):
        total = mp.gammainc(shape, low, mp.mpf(high), regularized=True)
        share = [
            float(mp.gammainc(shape, low, mp.mpf(float(np.quantile(draws, q))), regularized=True) / total)
            for q in (0.2, 0.5, 0.8)
        ]
    assert share == pytest.approx([0.2, 0.5, 0.8], abs=0.03)


@pytest.mark.parametrize(
    ("mean", "low", "high"), [(0.0, 8.0, 9.0), (0.0, -60.0, -50.0), (0.3, -1.0, 2.0), (40.0, 0.0, 1.0)]
)
def test_normal_draws_between_bounds_far_out(mean: float, low: float, high: float) -> None:
    size = 4000
    draws = normal_between(
        np.full(size, mean), np.ones(size), np.full(size, low), np.full(size, high), np.random.default_rng(1)
    )
    assert np.all((draws >= low) & (draws <= high))
    with mp.workdps(420):
        cumulative = lambda x: mp.ncdf(mp.mpf(x) - mean)  # noqa: E731
        total = cumulative(high) - cumulative(low)
        share = [float((cumulative(float(np.quantile(draws, q))) - cumulative(low)) / total) for q in (0.2, 0.5, 0.8)]
    assert share == pytest.approx([0.2, 0.5, 0.8], abs=0.03)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ((0, 2, 1, 1), "shape"),
        ((2, 1, 1, 1), "slope < rate"),
        ((2, 2, -1, 1), "slope < rate"),
        ((2, 2, 1, 1, 0), "upper bound"),
    ],
)
def test_parameters_that_give_no_law_are_refused(parameters: tuple[float, ...], message: str) -> None:
    with pytest.raises(InvalidValue, match=message):
        TruncatedGammaMixture(*parameters)
