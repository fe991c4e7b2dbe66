"""Moments of discrete Gaussian losses off the real line: as close as they say, and no series where none is felt."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from mpmath import mp

from accountant_noise import discrete_gaussian_moments as room

CASES = 60


def truth(variance: float, move: float, point: complex) -> mp.mpc:
    """The logarithm of the sum over the noise k of e^(z loss), with loss (move^2 + 2 move k)/(2 variance)."""
    scale, step, z = mp.mpf(variance), mp.mpf(move), mp.mpc(point)
    # Tilted by the real part of z, the mass lies around that many moves.
    centre = round(point.real * move)
    reach = int(24 * math.sqrt(variance)) + 12
    places = range(centre - reach, centre + reach + 1)
    moment = mp.fsum(mp.exp((z * (step**2 + 2 * step * k) - mp.mpf(k) ** 2) / (2 * scale)) for k in places)
    return mp.log(moment) - mp.log(mp.fsum(mp.exp(-(mp.mpf(k) ** 2) / (2 * scale)) for k in range(-reach, reach + 1)))


def draws(seed: int) -> list[tuple[float, float, complex]]:
    """Variances, moves and points, most of them where the first term is about as large as what is left out."""
    draw = random.Random(seed)
    found = []
    for _ in range(CASES):
        variance, move = (
            draw.choice([0.25, 0.7, 2.0, 6.5, 19.0, draw.uniform(0.25, 40.0)]),
            float(draw.choice([1, 1, 2, 5])),
        )
        exponent = draw.choice([-10.0, -44.0, -59.0, -61.0, -99.0, -101.0, draw.uniform(-130.0, 0.0)])
        height = max(0.0, (exponent + 2.0 * math.pi**2 * variance) / (2.0 * math.pi * move))
        turns = draw.choice([0, 0, 1, -2]) * 2.0 * math.pi * variance / move
        found.append((variance, move, complex(draw.uniform(0.1, 4.0), draw.choice([1.0, -1.0]) * height + turns)))
    return found


def wrong(seed: int) -> list[tuple[float, float, complex]]:
    """Where a log moment is farther off than it admits, up to whole turns."""
    faults = []
    # Half a period up, terms cancel to about e^(-pi^2 variance/2) of them.
    with mp.workdps(180):
        for variance, move, point in draws(seed):
            # Beside a point where every series is felt, so that none is left out for all at once.
            points = np.array([point, complex(point.real, math.pi * variance / move)])
            values, errors = room.log_moments(np.array([variance]), np.array([move]), points)
            if np.isinf(errors[0, 0]):
                continue
            off = mp.mpc(complex(values[0, 0])) - truth(variance, move, point)
            turns = off.imag / (2 * mp.pi)
            if abs(mp.mpc(off.real, 2 * mp.pi * (turns - mp.nint(turns)))) > errors[0, 0]:
                faults.append((variance, move, point))
    return faults


def test_log_moments_are_as_close_as_they_say_on_either_side_of_what_is_felt() -> None:
    assert wrong(1) == []


def test_leaving_out_what_is_felt_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "_UNFELT", -9.0)
    assert wrong(1)


def test_the_series_is_added_up_only_where_it_is_felt(monkeypatch: pytest.MonkeyPatch) -> None:
    """Counted: the points at which it is, for wide noise and heights all over a period."""
    asked = []
    series = room._log_theta

    def counted(*args: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        asked.append(args[0].size)
        return series(*args)

    monkeypatch.setattr(room, "_log_theta", counted)
    variances, moves = np.array([50.0, 5000.0]), np.array([1.0, 1.0])
    heights = np.linspace(0.0, 2.0 * math.pi * 5000.0, 4001)
    room.log_moments(variances, moves, (1.5 + 1j * heights).astype(np.complex128))
    assert 0 < sum(asked) < 0.15 * 2 * heights.size
