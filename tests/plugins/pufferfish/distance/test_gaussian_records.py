"""How far linear statistics of Gaussian records move when one record is known."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from accountant import InvalidValue
from accountant_pufferfish.distance.gaussian import GaussianRecords, Linear, gaussian_distance

TEN = GaussianRecords.equicorrelated(10)


@pytest.mark.parametrize("records", [1, 2, 10])
def test_independent_records_move_the_mean_by_their_share(records: int) -> None:
    sample = GaussianRecords.equicorrelated(records, "7/2")
    assert sample.slope(sample.mean(), 0) == Fraction(1, records)


@pytest.mark.parametrize("correlation", ["0", "1/4", "1", "-1/9"])
def test_correlated_records_move_it_with_all_others(correlation: str) -> None:
    sample = GaussianRecords.equicorrelated(10, "2", correlation)
    assert sample.slope(sample.mean(), 3) == (1 + 9 * Fraction(correlation)) / 10


@pytest.mark.parametrize("variance", ["1", "1/100", "1000"])
def test_a_public_noisy_mean_lowers_the_slope(variance: str) -> None:
    noise = Fraction(variance)
    slope = TEN.slope(TEN.mean(), 0, [TEN.mean(noise)])
    assert slope == (noise / 10) / (Fraction(1, 10) + noise - Fraction(1, 100))
    assert slope < Fraction(1, 10)


def test_the_slope_with_noise_of_variance_one() -> None:
    assert round(float(TEN.slope(TEN.mean(), 0, [TEN.mean(1)])), 7) == 0.0917431


def test_public_statistics_that_weigh_one_record_raise_the_slope_without_bound() -> None:
    for weight in (Fraction(7, 10), Fraction(70)):
        public = Linear([Fraction(1, 10) - (weight if place == 0 else 0) for place in range(10)], Fraction(1, 10**12))
        assert abs(TEN.slope(TEN.mean(), 0, [public]) - weight) < Fraction(1, 10**6)


def test_an_exact_public_mean_leaves_nothing_to_move() -> None:
    assert TEN.slope(TEN.mean(), 0, [TEN.mean()]) == 0


def test_saying_the_same_twice_changes_nothing() -> None:
    once, noisy = TEN.mean(), TEN.mean("1/2")
    known = TEN.slope(Linear([1] + [0] * 8 + [1]), 1, [noisy, once])
    assert TEN.slope(Linear([1] + [0] * 8 + [1]), 1, [noisy, once, Linear([2 * w for w in once.weights])]) == known


@settings(deadline=None, max_examples=30)
@given(st.lists(st.lists(st.integers(-3, 3), min_size=4, max_size=4), min_size=4, max_size=4), st.integers(1, 3))
def test_slopes_agree_with_linear_regression(factor: list[list[int]], public: int) -> None:
    """The coefficient of the record in the regression on the record and the public statistics, in floating point."""
    root = np.array(factor)
    covariance = root @ root.T + np.eye(4, dtype=int)
    sample = GaussianRecords(covariance.tolist())
    beside = [Linear([int(place == 3 - k) for place in range(4)], "1/2") for k in range(public)]
    rows = np.array([[1.0, 0, 0, 0], *([float(w) for w in item.weights] for item in beside)])
    joint = rows @ covariance @ rows.T + np.diag([0.0] + [0.5] * public)
    expected = np.linalg.solve(joint, rows @ covariance @ np.ones(4))[0]
    assert float(sample.slope(Linear([1, 1, 1, 1]), 0, beside)) == pytest.approx(expected, rel=1e-6, abs=1e-9)


def test_gaussian_laws_of_different_spread_are_infinitely_far_apart() -> None:
    assert gaussian_distance("0.1", 2, "1.1", 2) == 1
    assert gaussian_distance(0, 1, 0, 2) is None


def test_a_record_that_is_public_cannot_be_hidden() -> None:
    with pytest.raises(InvalidValue, match="determine record 0"):
        TEN.slope(TEN.mean(), 0, [Linear([1] + [0] * 9)])


@pytest.mark.parametrize(
    ("covariance", "message"),
    [([[1, 2], [3, 1]], "symmetric"), ([[1, 0]], "square"), ([], "square"), ([[1, 2], [2, 1]], "negative variance")],
)
def test_what_are_no_covariances_is_refused(covariance: list[list[int]], message: str) -> None:
    with pytest.raises(InvalidValue, match=message):
        GaussianRecords(covariance).slope(Linear([1, 1]), 0)


def test_a_statistic_of_other_records_is_refused() -> None:
    with pytest.raises(InvalidValue, match="as many weights"):
        TEN.slope(Linear([1]), 0)
    with pytest.raises(InvalidValue, match="no record 10"):
        TEN.slope(TEN.mean(), 10)
    with pytest.raises(InvalidValue, match="cannot be negative"):
        gaussian_distance(0, -1, 0, -1)
