"""The Gaussian loss against 60-digit references."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest
from scipy import special

from accountant.errors import InvalidValue, ReadingError
from accountant.loss import GaussianLoss
from tests.loss.references import (
    delta_faults,
    encloses,
    epsilon_faults,
    gaussian_delta,
    gaussian_tradeoff,
    normal_tail,
    real,
)

SQUARES = ["1e-12", "1e-6", "1/10000", "0.3", "1", "2", "25", "1e4", "1e6"]
UNIT = 2.0**-53


@pytest.mark.parametrize("square", SQUARES)
def test_delta_over_the_whole_range(square: str) -> None:
    loss, mu = GaussianLoss(square), math.sqrt(Fraction(square))
    points = [-1000.0, -50.0, -1.0, -0.0, 1e-9, 0.5, 30.0, 1e4, 1e6]
    points += [mu * mu / 2 + k * mu for k in (-39, -20, -6.5, -1, -0.01, 0, 0.01, 0.3, 1, 3, 8, 20, 37, 39, 41)]
    for point in points:
        assert not delta_faults(loss.delta(point), gaussian_delta(square, point)), point


@pytest.mark.parametrize("square", SQUARES)
def test_delta_is_tight(square: str) -> None:
    mu = math.sqrt(Fraction(square))
    for k in (-3, 0, 3, 10, 20):
        found = GaussianLoss(square).delta(mu * mu / 2 + k * mu)
        # k^2 roundoffs in an exponent; tails that agree up to mu/k of themselves are subtracted; mu roundoffs in k itself.
        assert found.width <= 1e-13 * (4 + k * k) * (1.0 + mu + (1 + abs(k)) / mu) * found.upper


@pytest.mark.parametrize("square", SQUARES)
@pytest.mark.parametrize("target", ["0.5", "1e-6", "1e-10", "1e-30", "1e-200"])
def test_epsilon(square: str, target: str) -> None:
    found = GaussianLoss(square).epsilon(target)
    assert not epsilon_faults(found, target, lambda point: gaussian_delta(square, point))
    assert found.width <= 1e-5 * found.upper


@pytest.mark.parametrize(("target", "digits"), [("1e-10", "6.547924"), ("1e-12", "7.238494"), ("1e-14", "7.868736")])
def test_published_epsilons_at_unit_mu(target: str, digits: str) -> None:
    found = GaussianLoss(1).epsilon(target)
    assert f"{found.lower:.6f}" == f"{found.upper:.6f}" == digits


@pytest.mark.parametrize("square", ["1e-12", "1/100", "1", "5.26", "100"])
@pytest.mark.parametrize("level", ["1e-12", "0.01", "0.05", "1/2", "0.999", "0", "1"])
def test_tradeoff(square: str, level: str) -> None:
    found = GaussianLoss(square).tradeoff(level)
    truth = {"0": mp.mpf(1), "1": mp.mpf(0)}.get(level)
    assert encloses(found, gaussian_tradeoff(square, level) if truth is None else truth)
    assert found.width <= 2e-5


def test_power_at_the_census_budget() -> None:
    loss = GaussianLoss("5.26")
    for level, power in (("0.01", 0.486886), ("0.05", 0.741706), ("0.10", 0.844211)):
        found = loss.tradeoff(level)
        assert 1 - found.upper - 1e-6 <= power <= 1 - found.lower + 1e-6


@pytest.mark.parametrize("order", ["1.000000000000000000001", "1.5", "2", "1e17", "100000000000000003", "1e300", "1e400"])
def test_renyi_is_proportional_to_the_order(order: str) -> None:
    found = GaussianLoss("0.3").renyi(order)
    assert encloses(found, real(order) * real("0.15")) or found.upper == math.inf


def test_other_readings() -> None:
    loss = GaussianLoss("3")
    assert loss.supremum().lower == math.inf
    assert loss.concentration().exact == Fraction(3, 2)
    assert loss.infinite().exact == 0
    assert loss.reverse() is loss
    with pytest.raises(ReadingError):
        loss.epsilon(0)
    with pytest.raises(ReadingError):
        loss.renyi(1)
    with pytest.raises(ReadingError):
        loss.tradeoff("1.5")
    with pytest.raises(InvalidValue):
        GaussianLoss(0)


@pytest.mark.parametrize("square", ["1e-400", "1e-250", "1e20", "1e30", "1e250", "1e400"])
def test_parameters_out_of_reach_of_doubles_stay_sound(square: str) -> None:
    loss = GaussianLoss(square)
    half = Fraction(square) / 2
    for point in (-1, 0, 1, half, half - 40 * Fraction(math.isqrt(int(half) + 1)), "-1e308", "1e308", "1e400", "-1e400"):
        found = loss.delta(point)
        with mp.workdps(900):
            mu = mp.sqrt(real(square))
            first, second = real(point) / mu - mu / 2, real(point) / mu + mu / 2
            p_tail = normal_tail(max(min(first, mp.mpf(100)), mp.mpf(-100)))
            q_tail = normal_tail(max(second, mp.mpf(-100))) if second < 100 else mp.mpf(0)
            # delta lies below P's tail, above what Q's can take away from it, and above 1 - e^epsilon.
            scale = mp.exp(max(min(real(point), second**2 / 2), mp.mpf(-(10**6)))) if second < 100 else mp.mpf(0)
        assert mp.mpf(found.lower) <= p_tail
        assert mp.mpf(found.upper) >= -mp.expm1(max(min(real(point), mp.mpf(0)), mp.mpf(-(10**6)))) - mp.mpf(10) ** -100
        if second < 100:
            assert mp.mpf(found.upper) >= p_tail - scale * q_tail - mp.mpf(10) ** -100
    found = loss.epsilon("1e-6")
    assert 0.0 <= found.lower <= found.upper
    assert mp.mpf(found.upper) >= real(square) / 2 - 1 or square.startswith("1e-")


@pytest.mark.parametrize("square", ["1e-12", "1e-4", "1", "36", "1e6"])
@pytest.mark.parametrize("step", [0.01, 0.13, 1.0, 4.0])
def test_cells_hold_the_masses_of_both_worlds(square: str, step: float) -> None:
    mu = math.sqrt(Fraction(square))
    edges = mu * mu / 2 + step * mu * np.arange(-17, 18)
    cells = GaussianLoss(square).cells(edges)
    exact_mu = mp.sqrt(real(square))
    z = [mp.mpf(edge) / exact_mu - exact_mu / 2 for edge in edges.tolist()]

    def between(shift: object, left: object, right: object) -> object:
        """The normal mass between two points, from the smaller tails."""
        a, b = left + shift, right + shift  # type: ignore[operator]
        return normal_tail(a) - normal_tail(b) if a > 0 else normal_tail(-b) - normal_tail(-a)

    low, high = -(mp.mpf(10) ** 4) - exact_mu, mp.mpf(10) ** 4
    bounds = [low, *z, high]
    for k, (left, right) in enumerate(itertools.pairwise(bounds)):
        truth = between(mp.mpf(0), left, right)
        assert abs(mp.mpf(cells.p[k]) - truth) <= cells.p_error[k]
        if k:
            scaled = mp.exp(mp.mpf(edges[k - 1])) * between(exact_mu, left, right)
            assert abs(mp.mpf(cells.q[k]) - scaled) <= cells.q_error[k]
    assert float(np.sum(cells.p_error)) < 1e-8


def test_special_functions_keep_a_tenth_of_the_margin_granted() -> None:
    """The error bounds grant 32 roundoffs to each special function; the libraries at hand stay below 10."""
    generator = np.random.default_rng(7)
    points = np.concatenate([10.0 ** generator.uniform(-12, 6, 400), generator.uniform(0, 40, 400)])
    for function, reference in (
        (special.erfcx, lambda x: _scaled_erfc(x)),
        (special.ndtr, lambda x: 1 - normal_tail(x)),
        (np.exp, lambda x: mp.exp(-x)),
        (np.expm1, lambda x: mp.expm1(-x)),
    ):
        inputs = points if function in (special.erfcx, special.ndtr) else -points[points < 700]
        values = function(inputs)
        for x, value in zip(np.abs(inputs).tolist(), values.tolist(), strict=True):
            truth = reference(mp.mpf(x))
            assert abs(mp.mpf(value) - truth) <= 10 * UNIT * abs(truth), (function, x)


def _scaled_erfc(x: object) -> object:
    if x > 100:  # type: ignore[operator]
        term, total = mp.mpf(1), mp.mpf(1)
        for k in range(1, 16):
            term *= -(2 * k - 1) / (2 * x * x)  # type: ignore[operator]
            total += term
        return total / (x * mp.sqrt(mp.pi))  # type: ignore[operator]
    return mp.exp(x * x) * mp.erfc(x)  # type: ignore[operator]


@pytest.mark.parametrize("mu", [0.001, 0.1, 0.3])
@pytest.mark.parametrize("start", [-0.4, -0.1, 0.0, 0.1, 0.2, 1.0])
def test_what_integration_leaves_out_of_a_narrow_cell_is_charged(mu: float, start: float) -> None:
    """Five nodes are not exact: at the widest cells that are integrated they leave out hundreds of roundoffs."""
    for width in (0.36, 0.3, 0.25, 0.05):
        edges = mu * (np.array([start, start + width]) + 0.5 * mu)
        cells = GaussianLoss(Fraction(mu) ** 2).cells(edges)
        assert cells.gap is not None
        assert cells.gap_error is not None
        with mp.workdps(50):
            m = mp.mpf(mu)
            low, high = (mp.mpf(float(edge)) / m - m / 2 for edge in edges)
            p = mp.ncdf(high) - mp.ncdf(low)
            q = (mp.ncdf(high + m) - mp.ncdf(low + m)) * mp.exp(mp.mpf(float(edges[0])))
            found = ((cells.p, cells.p_error, p), (cells.q, cells.q_error, q), (cells.gap, cells.gap_error, p - q))
            for values, errors, truth in found:
                assert abs(mp.mpf(float(values[1])) - truth) <= mp.mpf(float(errors[1]))


@pytest.mark.parametrize("square", ["1e-200", "1e-60", "1e60", "1e190"])
def test_cells_far_from_all_mass_are_known_closely(square: str) -> None:
    cells = GaussianLoss(square).cells(np.array([-1.0, -0.5, 0.5, 1.0]))
    assert np.max(cells.p_error) < 1e-14
    assert np.max(cells.q_error[1:]) < 1e-14
    small = Fraction(square) < 1
    assert cells.p.tolist() == ([0.0, 0.0, 1.0, 0.0, 0.0] if small else [0.0, 0.0, 0.0, 0.0, 1.0])
