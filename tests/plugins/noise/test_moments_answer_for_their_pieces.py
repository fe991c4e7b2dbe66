"""Moments of discrete noise off the real line, with one piece at a time off by as much as it says, or far up the line."""

from __future__ import annotations

from typing import Any

import mpmath as mp
import numpy as np
import pytest

from accountant.loss import Floats
from accountant.numbers.rounding import ROUNDOFF
from accountant_noise import geometric_loss
from accountant_noise.discrete_gaussian_moments import _dual, _log_theta
from accountant_noise.geometric_loss import GeometricMoments, _lack

OFF = 2.0**-14
RATIOS, TOPS = np.array([[0.25], [1.5]]), np.array([[0.75], [3.0]])
POINTS = np.array([0.5 + 0.0j, 0.75 + 1.25j, 2.0 - 0.5j])


def geometric_moment(ratio: float, top: float, point: complex) -> Any:
    z, r, t = mp.mpc(point), mp.mpf(ratio), mp.mpf(top)
    u, q = mp.exp(-(1 + 2 * z) * r), mp.exp(-r)
    share = (1 - q * u) / ((1 - u) * (1 + q))
    return share * mp.exp(z * t) + (1 - share) * mp.exp(-(1 + z) * t)


@pytest.mark.parametrize("turn", [1.0, -1.0, 1.0j])
@pytest.mark.parametrize("piece", [None, *range(5)])
def test_moments_of_geometric_noise_answer_for_each_difference(
    piece: int | None, turn: complex, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = iter(range(99))

    def off(turns: Any) -> tuple[Any, Floats]:
        value, doubt = _lack(turns)
        return (value * (1.0 + turn * OFF), doubt + OFF * 1.001) if next(calls) == piece else (value, doubt)

    monkeypatch.setattr(geometric_loss, "_lack", off)
    values, errors = GeometricMoments(RATIOS, TOPS).log_moments(POINTS)
    for (row, column), value in np.ndenumerate(values):
        truth = geometric_moment(RATIOS[row, 0], TOPS[row, 0], complex(POINTS[column]))
        assert abs(mp.exp(mp.mpc(complex(value))) / truth - 1) <= mp.expm1(mp.mpf(float(errors[row, column])))
        assert errors[row, column] <= (1e-12 if piece is None else 100 * OFF)


def test_differences_from_one_answer_for_turns_that_were_rounded() -> None:
    dice = np.random.default_rng(7)
    turns = np.exp(dice.uniform(-30.0, 3.0, 200)) * np.exp(2j * np.pi * dice.random(200))
    values, doubts = _lack(turns)
    for turn, value, doubt in zip(turns.tolist(), values.tolist(), doubts.tolist(), strict=True):
        for shift in (0, 4, -4, 4j):
            truth = -mp.expm1(mp.mpc(turn) * (1 + shift * mp.mpf(ROUNDOFF)))
            assert abs(mp.mpc(value) - truth) <= mp.mpf(doubt) * abs(truth) * (1 + mp.mpf(2) ** -40)
    assert (_lack(np.zeros(2, dtype=np.complex128))[1] > 0.0).all()


def theta(variance: Any, place: Any) -> Any:
    """1 + 2 sum e^(-2 pi^2 variance n^2) cos(2 pi n x)."""
    terms = (2 * mp.exp(-2 * mp.pi**2 * variance * n * n) * mp.cos(2 * mp.pi * n * place) for n in range(1, 12))
    return 1 + mp.fsum(terms)


@pytest.mark.parametrize("displaced", [0.0, 2.0**-30, 2.0**-14])
@pytest.mark.parametrize("side", [-1.0, 0.0, 1.0])
def test_a_series_answers_for_heights_that_are_displaced(side: float, displaced: float) -> None:
    dice = np.random.default_rng(8)
    variance, move = dice.uniform(0.3, 0.5, 12), dice.integers(1, 4, 12).astype(np.float64)
    # No height is taken beyond half a period.
    tilts, heights = dice.uniform(0.1, 2.0, 12), dice.uniform(-0.5, 0.5, 12) * np.pi * variance / move
    values, errors = _log_theta(variance, move, tilts, heights, np.full(12, displaced))
    for v, m, tilt, height, value, error in zip(
        variance, move, tilts, heights, values.tolist(), errors.tolist(), strict=True
    ):
        place = mp.mpf(m) * mp.mpc(tilt, height + side * displaced)
        assert abs(mp.exp(mp.mpc(value)) / theta(mp.mpf(v), place) - 1) <= mp.expm1(mp.mpf(error))


@pytest.mark.parametrize("far", [0.0, 1e3, 1e7, 1e11])
def test_moments_of_discrete_gaussian_noise_hold_far_up_the_line(far: float) -> None:
    """Whole periods are taken away, and with them as many digits as the height has."""
    dice = np.random.default_rng(9)
    variance, move = dice.uniform(0.4, 3.0, (4, 1)), dice.integers(1, 3, (4, 1)).astype(np.float64)
    points = dice.uniform(0.2, 2.0, 5) + 1j * (far + dice.uniform(-1.0, 1.0, 5))
    values, errors = _dual(variance, move, points)
    with mp.workdps(40):
        for (row, column), value in np.ndenumerate(values):
            v, m, z = mp.mpf(variance[row, 0]), mp.mpf(move[row, 0]), mp.mpc(complex(points[column]))
            truth = moment(v, m, z)
            assert abs(mp.exp(mp.mpc(complex(value))) / truth - 1) <= mp.expm1(mp.mpf(float(errors[row, column])))


def moment(v: Any, m: Any, z: Any) -> Any:
    """The mean of e^(zL) by the sum over places, L being (m^2 - 2 m k)/(2 v) at place k."""
    centre = int(mp.nint(-z.real * m))
    places = range(centre - 40, centre + 41)
    whole = mp.fsum(mp.exp((-mp.mpf(k * k) + z * (m * m - 2 * m * k)) / (2 * v)) for k in places)
    return whole / mp.fsum(mp.exp(-mp.mpf(k * k) / (2 * v)) for k in range(-40, 41))
