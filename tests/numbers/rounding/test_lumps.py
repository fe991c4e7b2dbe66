"""Lumps bound what was rounded so often, on its side and closely, whatever the double is."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest

from accountant.numbers.rounding import ROUNDOFF, lowered, raised

VALUES = np.concatenate(
    [np.random.default_rng(5).random(200) * 2.0, 1.0 + np.arange(8) * 2.0**-52, 2.0 - 2.0**-52 * np.arange(8)]
)


@pytest.mark.parametrize("times", [0.0, 1.0, 2.0, 3.0, 64.0, 1000.5, 2.0**20, 2.0**30])
def test_what_was_rounded_so_often_lies_between_its_lumps(times: float) -> None:
    with mp.workdps(60):
        factor = (1 - mp.mpf(ROUNDOFF)) ** -times
        highs, lows = raised(VALUES, times).tolist(), lowered(VALUES, times).tolist()
        for value, high, low in zip(VALUES.tolist(), highs, lows, strict=True):
            assert low <= mp.mpf(value) / factor <= mp.mpf(value) * factor <= high
            assert high - mp.mpf(value) <= mp.mpf(value) * ROUNDOFF * (1.00001 * times + 8)
            assert (high, low) == (raised(value, times), lowered(value, times))


def test_a_lump_without_room_for_its_own_roundings_is_caught() -> None:
    with mp.workdps(60):
        factor = (1 - mp.mpf(ROUNDOFF)) ** -3
        assert any(mp.mpf(value * (1.0 + 3.0 * ROUNDOFF)) < mp.mpf(value) * factor for value in VALUES.tolist())


def test_nothing_stays_nothing() -> None:
    assert raised(0.0, 9.0) == lowered(0.0, 9.0) == 0.0
