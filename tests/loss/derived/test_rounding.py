"""What rounding does to sampled losses, against the same formulas in 40 digits."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from pathlib import Path

import mpmath as mp
import numpy as np
import pytest

import accountant.loss.derived
from accountant.loss import ResponseLoss, SampledLoss
from accountant.loss.derived.log_sums import log1p_exp, log_of_terms
from accountant.loss.derived.masses import scaled
from accountant.loss.derived.sampled_moments import _SHARES, _far_out
from accountant.numbers.rounding import Ball, Balls
from tests.loss.references import Real, real

DIGITS = 40


def test_no_error_is_bounded_by_hand() -> None:
    files = sorted(Path(accountant.loss.derived.__file__).parent.glob("*.py"))
    assert len(files) > 20
    for file in files:
        source = file.read_text()
        assert "ROUNDOFF" not in source, file.name
        assert "nextafter" not in source, file.name
        assert "(1.0 + 1e" not in source, file.name
        assert "(1.0 - 1e" not in source, file.name


def exact_far_out(rate: Fraction, order: float, moment: float, place: float) -> Real:
    chance = real(str(rate.numerator)) / rate.denominator
    factor = mp.log(chance + (1 - chance) * mp.exp(-mp.mpf(place)))
    power = mp.mpf(order) + 1
    return mp.log(mp.exp(power * factor + moment) + mp.exp(power * (mp.mpf(place) + factor)))


def test_moments_far_out_are_bounded_at_high_orders() -> None:
    """Next to 1 a factor is off by a share of 1, as often as the order is high."""
    rng = random.Random(1)
    with mp.workdps(DIGITS):
        for _ in range(60):
            order, moment = 2.0 ** rng.uniform(5.0, 30.0), rng.uniform(1.0, 4.0)
            rate = Fraction(rng.randint(900, 999), 1000)
            places = (moment / order * _SHARES).tolist()
            exact = min(exact_far_out(rate, order, moment, place) for place in places)
            found = _far_out((Ball.of(rate), Ball.of(1 - rate)), order, moment)
            assert exact <= found <= exact * (1 + real("1e-5"))


def test_what_is_told_outright_is_not_counted_below_the_edges() -> None:
    """Half of the law has a loss of 460, which tells losses beyond 300 of the base apart."""
    loss = SampledLoss(ResponseLoss("1", "0.5"), 1 - Fraction(1, 10**200)).reverse()
    cells = loss.cells(np.array([310.0, 320.0]))
    assert float((cells.p + cells.p_error)[2]) >= 0.5


def test_what_lies_below_all_edges_is_charged() -> None:
    loss = SampledLoss(ResponseLoss("400"), 1 - Fraction(1, 10**200))
    cells = loss.cells(np.array([-450.0, -320.0]))
    with mp.workdps(DIGITS):
        rare = 1 / (1 + mp.exp(400))
        # Where the base loses -400, the sample has rest (1 - rare) + rate rare, a loss of about -399.
        mass = mp.mpf(10) ** -200 * (1 - rare) + (1 - mp.mpf(10) ** -200) * rare
        assert float(cells.p[1] + cells.p_error[1]) >= mass


@pytest.mark.parametrize("value", [-1e4, -745.2, -700.0, -1.0, -1e-9, 0.0, 1e-300, 0.5, 36.0, 800.0, 1e15])
@pytest.mark.parametrize("radius", [0.0, 1e-12, 1e-3])
def test_one_more_than_an_exponential_is_enclosed(value: float, radius: float) -> None:
    found = log1p_exp(Ball(value, radius))
    with mp.workdps(DIGITS):
        for end in (mp.mpf(value) - radius, mp.mpf(value) + radius):
            exact = mp.log1p(mp.exp(end))
            assert found.lower <= exact <= found.upper
        assert found.radius <= 3.0 * (radius + 1e-14) * exact + 1e-300


def test_endless_logarithms_stay_so() -> None:
    assert log1p_exp(Ball(math.inf)).lower == math.inf
    assert log1p_exp(Ball(-math.inf)).upper == 0.0
    assert log_of_terms(np.array([0.0, math.inf]), 1.0, 1.0).lower == math.inf
    assert log_of_terms(np.array([-math.inf]), 1.0, 1.0).upper == -math.inf


def test_sums_by_logarithms_are_enclosed() -> None:
    rng = np.random.default_rng(1)
    for scale in (1e-9, 1.0, 50.0, 700.0):
        logs = np.append(rng.normal(0.0, scale, 300), -math.inf)
        with mp.workdps(DIGITS):
            exact = mp.log(sum(mp.exp(mp.mpf(value)) for value in logs[:-1].tolist()))
            found = log_of_terms(logs, 0.0, 0.0)
            assert found.lower <= exact <= found.upper
            # Each logarithm may have been off by twelve roundoffs of itself.
            moved = mp.log(sum(mp.exp(mp.mpf(value) + 12 * abs(mp.mpf(value)) * 2.0**-53) for value in logs[:-1].tolist()))
            assert moved <= found.upper


def test_masses_times_exponentials_are_enclosed() -> None:
    rng = np.random.default_rng(2)
    exponents = rng.uniform(-800.0, 300.0, 400)
    sizes = np.where(np.arange(400) % 7 == 0, 0.0, 10.0 ** rng.uniform(-300.0, 0.0, 400))
    values = Balls(sizes, sizes * rng.choice([0.0, 1e-17, 1e-3, 0.5], 400) + rng.choice([0.0, 1e-200, 1e-9], 400))
    found = scaled(values, np.exp(exponents))
    with mp.workdps(DIGITS):
        for index in range(400):
            factor, (low, high) = (
                mp.exp(mp.mpf(exponents[index])),
                (mp.mpf(float(values.middle[index])) + sign * mp.mpf(float(values.radii[index])) for sign in (-1, 1)),
            )
            assert found.lower[index] <= low * factor
            assert high * factor <= found.upper[index]
            assert found.radii[index] > 0.0 or low == high == 0
