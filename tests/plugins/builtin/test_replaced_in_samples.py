"""Poisson samples between datasets in which one record is replaced: both ends beside integrals over a line and a plane."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy.integrate import trapezoid
from scipy.special import ndtr

from accountant import account, read_plan
from accountant.loss import Noise, PrivacyLoss
from accountant_noise import DiscreteGaussian, Gaussian, Geometric, Laplace, Skellam

REPLACED = {"neighbours": "replace-one"}


def release(query: dict[str, Any], mechanism: dict[str, Any], rate: str, name: str = "release", times: int = 1) -> Any:
    sampling = {"kind": "poisson", "rate": rate}
    return {"name": name, "query": query, "mechanism": mechanism, "sampling": sampling, "times": times}


def lost(*releases: Any) -> PrivacyLoss:
    return account(read_plan({"specification": REPLACED, "release": list(releases)})).loss


def total(lower: str, upper: str) -> dict[str, Any]:
    return {"kind": "sum", "lower": lower, "upper": upper}


GAUSSIAN = {"kind": "gaussian", "sigma": "2"}
LAPLACE = {"kind": "laplace", "scale": "2"}
HISTOGRAM = {"kind": "histogram"}


def normal(x: Any, centre: float, sigma: float) -> Any:
    return np.exp(-(((x - centre) / sigma) ** 2) / 2) / (sigma * math.sqrt(2 * math.pi))


def double_exponential(x: Any, centre: float, scale: float) -> Any:
    return np.exp(-np.abs(x - centre) / scale) / (2 * scale)


def delta_on_the_line(density: Any, size: float, first: float, second: float, rate: float, epsilon: float) -> float:
    """The integral of what the first law has beyond e^epsilon times the second."""
    x = np.linspace(-40.0, 40.0, 200_001)
    shared = (1 - rate) * density(x, 0.0, size)
    gain = shared + rate * density(x, first, size) - math.exp(epsilon) * (shared + rate * density(x, second, size))
    return float(trapezoid(np.maximum(gain, 0.0), x))


def delta_on_the_plane(sigma: float, rate: float, epsilon: float) -> float:
    """Two cells of Gaussian noise: given the second, all of the first beyond a threshold counts."""
    y = np.linspace(-12.0, 13.0, 400_001)
    mu = 1.0 / sigma
    weight = math.exp(epsilon) * (1 - rate + rate * np.exp(mu * y - mu * mu / 2)) - (1 - rate)
    threshold = (np.log(weight / rate) + mu * mu / 2) / mu
    gain = rate * ndtr(mu - threshold) - weight * ndtr(-threshold)
    return float(trapezoid(gain * normal(y, 0.0, 1.0), y))


@pytest.mark.parametrize(
    ("sigma", "rate", "epsilon"), [("1", "0.3", 0.5), ("2", "0.3", 1.5), ("1", "0.01", 0.5), ("0.7", "0.8", 1.5)]
)
def test_gaussian_histograms_lose_what_two_cells_at_right_angles_lose(sigma: str, rate: str, epsilon: float) -> None:
    value = lost(release(HISTOGRAM, {"kind": "gaussian", "sigma": sigma}, rate)).delta(Fraction(epsilon))
    truth = delta_on_the_plane(float(sigma), float(rate), epsilon)
    assert value.lower <= truth * (1 + 1e-6)
    assert truth * (1 - 1e-6) <= value.upper
    assert value.upper - value.lower < 2e-3 * value.upper


@pytest.mark.parametrize("epsilon", [0.05, 0.2, 0.3])
def test_laplace_histograms_lose_what_two_cells_lose(epsilon: float) -> None:
    """By sums over a fine grid of the plane, from below: outcomes in one square are not told apart."""
    edges = np.linspace(-20.0, 21.0, 2051)

    def masses(centre: float) -> Any:
        places = edges - centre
        return np.diff(np.where(places < 0, 0.5 * np.exp(places / 2), 1 - 0.5 * np.exp(-places / 2)))

    absent, present, rate = masses(0.0), masses(1.0), 0.1
    seen = (1 - rate) * absent + rate * present
    truth = float(np.maximum(np.outer(seen, absent) - math.exp(epsilon) * np.outer(absent, seen), 0.0).sum())
    value = lost(release(HISTOGRAM, LAPLACE, "0.1")).delta(Fraction(epsilon))
    assert truth <= value.upper * (1 + 1e-9)
    assert value.lower <= truth * (1 + 1e-3) + 1e-12
    assert value.upper <= truth * (1 + 3e-3) + 1e-12


@pytest.mark.parametrize(
    ("lower", "upper"), [("2", "3"), ("-1", "2"), ("-3", "-1"), ("-2", "2"), ("0", "2"), ("1/2", "3/5")]
)
@pytest.mark.parametrize(("noise", "density"), [(GAUSSIAN, normal), (LAPLACE, double_exponential)])
def test_sums_lose_what_three_points_on_a_line_lose(noise: dict[str, Any], density: Any, lower: str, upper: str) -> None:
    loss = lost(release(total(lower, upper), noise, "0.3"))
    ends = sorted((float(Fraction(lower)), float(Fraction(upper))), key=abs)
    for epsilon in (0.0, 0.05, 0.2):
        value = loss.delta(Fraction(epsilon))
        truth = delta_on_the_line(density, 2.0, ends[1], ends[0], 0.3, epsilon)
        assert value.lower <= truth + 1e-6
        assert truth <= value.upper + 1e-6
        assert value.upper - value.lower <= 3e-3 * value.upper + 1e-9


def test_no_other_values_of_a_sum_lose_more() -> None:
    loss = lost(release(total("-1", "2"), LAPLACE, "0.3"))
    for epsilon in (0.0, 0.1, 0.3):
        most = loss.delta(Fraction(epsilon)).upper
        for first in np.linspace(-1.0, 2.0, 7):
            for second in np.linspace(-1.0, 2.0, 7):
                found = delta_on_the_line(double_exponential, 2.0, first, second, 0.3, epsilon)
                assert found <= most + 1e-6


def test_the_usual_deltas_of_far_sums_are_no_longer_unknown() -> None:
    value = lost(release(total("2", "3"), {"kind": "gaussian", "sigma": "3"}, "0.3")).delta("1.5")
    assert value.upper - value.lower < 1e-3 * value.upper


@pytest.mark.parametrize("order", ["1.5", "3", "20"])
def test_renyi_divergences_of_gaussian_histograms_are_the_integrals(order: str) -> None:
    rate, mu, alpha = 0.1, 1.0, float(order)
    x = np.linspace(-20.0, 35.0, 800_001)
    ratio = 1 - rate + rate * np.exp(mu * x - mu * mu / 2)
    moments = [float(trapezoid(ratio**power * normal(x, 0.0, 1.0), x)) for power in (alpha, 1 - alpha)]
    truth = math.log(moments[0] * moments[1]) / (alpha - 1)
    value = lost(release(HISTOGRAM, {"kind": "gaussian", "sigma": "1"}, "0.1")).renyi(order)
    assert value.lower <= truth * (1 + 1e-8)
    assert truth * (1 - 1e-8) <= value.upper
    assert value.upper - value.lower < 1e-6 * value.upper


def test_many_sums_with_the_same_shift_are_not_taken_for_each_other() -> None:
    """Between replaced records sums of 0 to 1 and of 2 to 3 move as far, but not where a record is not taken."""
    near = release(total("0", "1"), {"kind": "gaussian", "sigma": "1"}, "0.3", "near")
    far = [release(total("2", "3"), {"kind": "gaussian", "sigma": "1"}, "0.3", f"far {k}") for k in range(100)]
    for several in ((near, *far), (*far, near)):
        assert sorted(count for _, count in lost(*several).taken_apart()) == [1, 100]


NOISES = [Gaussian("3/2"), Laplace("3/2"), Geometric("3/2"), DiscreteGaussian(variance="5/2"), Skellam("5/2")]


@pytest.mark.parametrize("mechanism", NOISES, ids=lambda mechanism: mechanism.kind)
def test_chances_of_noise_agree_with_its_loss(mechanism: Any) -> None:
    """Merged into few outcomes, the two laws of one coordinate lose no more than the family says, and nearly as much."""
    from accountant.plugin import Shift

    noise: Noise = mechanism.added_noise()
    edges = np.arange(-40.0, 43.0) + 0.5 if noise.whole else np.linspace(-40.0, 42.0, 8001)
    (first, _), (_, second) = noise.masses(edges, 1.0), noise.masses(edges, 0.0)
    loss = mechanism.loss(Shift.along([1]))
    for epsilon in (0.0, 0.1, 0.5):
        found = float(np.maximum(first - math.exp(epsilon) * second, 0.0).sum())
        assert found <= loss.delta(Fraction(epsilon)).upper
        assert found >= loss.delta(Fraction(epsilon)).lower - 1e-5


def delta_of_whole_numbers(variance: float, rate: float, count: int, epsilon: float) -> float:
    """All outcomes of a few sums of -1 to 1 with noise that has the chances of a discrete Gaussian."""
    numbers = np.arange(-30.0, 31.0)
    absent, first, second = (np.exp(-np.square(numbers - own) / (2 * variance)) for own in (0.0, 1.0, -1.0))
    p, q = ((1 - rate) * absent / absent.sum() + rate * own / own.sum() for own in (first, second))
    top, bottom = p, q
    for _ in range(count - 1):
        top, bottom = np.multiply.outer(top, p), np.multiply.outer(bottom, q)
    return float(np.maximum(top - math.exp(epsilon) * bottom, 0.0).sum())


@pytest.mark.parametrize(("variance", "rate"), [("0.59", "0.2"), ("5.7", "0.01")])
@pytest.mark.parametrize("count", [1, 3])
def test_whole_numbers_on_a_line_are_known_exactly(variance: str, rate: str, count: int) -> None:
    loss = lost(release(total("-1", "1"), {"kind": "discrete-gaussian", "variance": variance}, rate, times=count))
    for epsilon in (0.01, 0.1, 0.4):
        truth, value = delta_of_whole_numbers(float(variance), float(rate), count, epsilon), loss.delta(Fraction(epsilon))
        assert value.lower <= truth * (1 + 1e-9)
        assert truth <= value.upper * (1 + 1e-9) + 1e-16
        assert value.width <= (1e-9 if count == 1 else 1e-3) * value.upper + 1e-16


@pytest.mark.parametrize(
    "mechanism",
    [
        {"kind": "discrete-gaussian", "sigma": "0.02"},
        {"kind": "geometric", "scale": "0.001"},
        {"kind": "skellam", "variance": "1e-150"},
    ],
    ids=lambda mechanism: mechanism["kind"],
)
def test_whole_numbers_that_no_noise_hides_tell_who_was_sampled(mechanism: dict[str, Any]) -> None:
    """Each of the three answers is published as it is: two datasets differ as often as the record is taken."""
    found = lost(release(total("-2", "2"), mechanism, "0.1")).delta("1")
    assert found.lower <= 0.1 <= found.upper <= 0.1001


@pytest.mark.parametrize("count", [1, 9])
def test_noise_with_long_tails_on_a_line_is_known_to_one_in_ten_thousand(count: int) -> None:
    value = lost(release(total("-1", "1"), {"kind": "laplace", "scale": "2.5"}, "0.0083", times=count)).epsilon("1e-6")
    assert value.width <= 1e-4 * value.upper
