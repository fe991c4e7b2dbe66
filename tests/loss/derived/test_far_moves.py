"""A record that moves the answer very far is accounted for or refused, without a number that is none."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy.stats import binom, norm

from accountant import account
from accountant.loss.derived.sampled_rule import Densities

SAMPLINGS = [{"kind": "poisson", "rate": "0.01"}, {"kind": "without-replacement", "sample": 10, "population": 1000}]


def binomial_epsilon(rate: float, times: int, move: float, delta: float) -> float:
    """Where the chance of losing more meets delta, for samples whose records are seen whenever they are taken."""
    taken = np.arange(1, min(times, 400))
    middle = taken * (move**2 / 2 + np.log(rate)) + (times - taken) * np.log1p(-rate)
    low, high = 1e3, 2e6
    for _ in range(60):
        epsilon = (low + high) / 2
        chance = np.sum(binom.pmf(taken, times, rate) * norm.sf((epsilon - middle) / (move * np.sqrt(taken))))
        low, high = (epsilon, high) if chance > delta else (low, epsilon)
    return low


@pytest.mark.slow
@pytest.mark.parametrize("times", [100, pytest.param(10_000, marks=pytest.mark.sweep)])
@pytest.mark.parametrize("sampling", SAMPLINGS)
def test_hardly_any_noise_on_a_sample_is_enclosed_and_nothing_overflows(sampling: dict[str, object], times: int) -> None:
    release = {"name": "r", "query": {"kind": "count"}, "mechanism": {"kind": "gaussian", "sigma": "0.01"}}
    plan = {"specification": {"neighbours": "add-remove"}, "release": [{**release, "sampling": sampling, "times": times}]}
    truth = binomial_epsilon(0.01, times, 100.0, 1e-6)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = account(plan).measure("approx", delta="1e-6").value
    assert found.lower <= 1.001 * truth
    assert 0.999 * truth <= found.upper


def test_next_to_no_laplace_noise_on_a_sample_brings_no_warning() -> None:
    release = {"name": "r", "query": {"kind": "count"}, "mechanism": {"kind": "laplace", "scale": "1e-300"}}
    plan = {"specification": {"neighbours": "replace-one"}, "release": [{**release, "sampling": SAMPLINGS[1]}]}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert account(plan).measure("gdp").value.upper > 1


def test_densities_are_numbers_or_refused() -> None:
    laws = Densities(100.0, 0.0, 0.01, 0.99)
    for place in (-200.0, 0.0, 50.0, 56.9, 57.1, 1e6):
        try:
            found = laws.at(np.array([place]))
        except OverflowError:
            assert place > 56.9
        else:
            assert np.isfinite([found.log_a[0], found.share_a[0]]).all()
