"""Pieces of sums on a grid: what each grants is at least what the roundings that it speaks of can do, and hardly more."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest

from accountant.loss.engine.convolution import Tilted, convolve, displaced, infinite_mass, log_size, sizes_of
from accountant.loss.engine.grid import Measure
from accountant.numbers.rounding import ROUNDOFF

OFF = 1e-3


def measures(slack: float = 0.0) -> list[tuple[Measure, int]]:
    dice = np.random.default_rng(5)
    first, second = (masses / masses.sum() for masses in (dice.random(7), dice.random(4)))
    return [(Measure(-3, first, 0.0, slack), 3), (Measure(-1, second, 0.0, 3 * slack), 2)]


@pytest.mark.parametrize("tilt", [0.3, 1.7, 5.1])
def test_the_scale_of_a_sum_is_off_by_no_more_than_its_doubt(tilt: float) -> None:
    parts, step = measures(), Fraction(1, 3)
    law = convolve(parts, step, tilt)
    tilted = [Tilted.of(measure, count, float(step), tilt) for measure, count in parts]
    truth = sum((part.count * Fraction(part.log_total) for part in tilted), Fraction(0))
    assert abs(Fraction(law.log_scale) - truth) <= Fraction(law.log_doubt)
    sizes = sum((part.count * abs(Fraction(part.log_total)) for part in tilted), Fraction(0))
    assert 2 * Fraction(ROUNDOFF) * sizes <= Fraction(law.log_doubt) <= 3 * Fraction(ROUNDOFF) * sizes
    spread = sum((part.count * Fraction(part.spread) for part in tilted), Fraction(0))
    assert spread <= Fraction(law.spread) <= spread * (1 + Fraction(1, 10**6))
    stray = sum((part.count * Fraction(part.stray) for part in tilted), Fraction(0))
    assert stray <= Fraction(law.stray) <= 3 * stray


@pytest.mark.parametrize("tilt", [0.0, 1.7])
def test_masses_of_a_sum_are_off_by_no_more_than_is_said(tilt: float) -> None:
    parts, step = measures(), Fraction(1, 3)
    law = convolve(parts, step, tilt)
    exact: dict[int, Fraction] = {0: Fraction(1)}
    for measure, count in parts:
        for _ in range(count):
            more: dict[int, Fraction] = {}
            for place, mass in exact.items():
                for k, own in enumerate(measure.masses.tolist()):
                    more[place + measure.start + k] = more.get(place + measure.start + k, Fraction(0)) + mass * Fraction(
                        own
                    )
            exact = more
    for k, mass in enumerate(law.masses.tolist()):
        loss = mp.mpf(law.base) + k * mp.mpf(law.step)
        place = round(float(loss / float(step)))
        weight = exact.get(place, Fraction(0))
        truth = mp.mpf(weight.numerator) / weight.denominator * mp.exp(tilt * loss - mp.mpf(law.log_scale))
        assert abs(mp.mpf(mass) - truth) <= law.error + (law.spread + 2 * law.log_doubt + 64 * ROUNDOFF) * truth + law.stray


def test_losses_of_a_sum_are_displaced_by_as_much_as_all_parts_together() -> None:
    parts = measures(OFF)
    sums = 3 * Fraction(OFF) + 2 * Fraction(3 * OFF)
    for reach in (0.0, 1e3):
        found = Fraction(displaced(parts, reach))
        assert sums + 8 * Fraction(ROUNDOFF) * Fraction(reach) <= found
        assert found <= sums * (1 + Fraction(1, 10**14)) + 32 * Fraction(ROUNDOFF) * Fraction(reach)
    assert convolve(parts, Fraction(1, 3), 0.0).slack >= sums


def test_what_loses_everything_for_sure_does_so_however_often() -> None:
    sure = Measure(0, np.zeros(1), 1.0, 0.0)
    assert infinite_mass([(sure, 2)]) == (1.0, 1.0)
    assert infinite_mass([(sure, 0)]) == (0.0, 0.0)
    lower, upper = infinite_mass([(Measure(0, np.ones(1), 0.5, 0.0), 2000)])
    assert lower <= 1.0 == upper
    assert lower > 1.0 - 1e-12


def test_logarithms_of_sizes_are_at_least_those_of_what_may_be_there() -> None:
    dice = np.random.default_rng(7)
    spectrum = np.exp(dice.normal(size=200) * 20.0) * np.exp(1j * dice.random(200))
    for error in (0.0, OFF):
        bounds = log_size(spectrum, error)
        for value, bound in zip(spectrum.tolist(), bounds.tolist(), strict=True):
            truth = mp.log(abs(mp.mpc(value)) + error)
            assert truth <= mp.mpf(bound) <= truth + 32 * ROUNDOFF * (1 + abs(truth))


def test_sizes_are_at_least_exponentials_of_sums_that_were_rounded() -> None:
    for log_most in (-800.0, -740.0, -300.3, -1.7, 0.0, 45.1):
        for parts in (1, 5):
            found = mp.mpf(float(sizes_of(np.array([log_most]), parts)[0]))
            truth = mp.exp(mp.mpf(log_most))
            assert truth * (1 + 750 * parts * ROUNDOFF) <= found <= truth * (1 + 1e-9) + mp.mpf(2) ** -999
    assert math.isfinite(float(sizes_of(np.array([1e6]), 1)[0]))
