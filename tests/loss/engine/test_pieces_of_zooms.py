"""What is read from few frequencies answers for each error that it carries."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from attrs import evolve

from accountant.loss.engine.convolution import Tilted
from accountant.loss.engine.grid import Measure
from accountant.loss.engine.zoom_route import Zoom
from accountant.numbers.rounding import ROUNDOFF

STEP, TILT, COUNT = Fraction(1, 50), 3.0, 400
OFF = 1e-3
AT = 1.1037


def zoom(slack: float = 0.0, infinite: float = 0.0) -> Zoom:
    weights = np.array([1.0, 6.0, 15.0, 20.0, 15.2, 6.3, 1.1])
    measure = Measure(-3, weights / weights.sum() * (1.0 - infinite), infinite, slack)
    found = Zoom.of([(measure, COUNT)], STEP, TILT, -8.0)
    assert found is not None
    return found


def test_a_zoom_is_read_as_its_exact_law() -> None:
    weights = np.array([1.0, 6.0, 15.0, 20.0, 15.2, 6.3, 1.1])
    masses = weights / weights.sum()
    law = np.ones(1)
    for _ in range(COUNT):
        law = np.convolve(law, masses)
    losses = float(STEP) * (np.arange(law.size) - 3 * COUNT)
    for at in (AT, 0.4, 2.31):
        truth = float(law @ np.maximum(-np.expm1(at - losses), 0.0))
        found = zoom()
        assert found.delta_below(at) <= truth * (1 + 1e-11)
        assert found.delta_above(at) >= truth * (1 - 1e-11)
        assert found.delta_above(at) - found.delta_below(at) <= 1e-4 * truth


@pytest.mark.parametrize("side", ["above", "below"])
def test_losses_that_are_displaced_count_as_nearer(side: str) -> None:
    known = zoom()
    moved = evolve(known, slack=OFF)
    if side == "above":
        assert math.isclose(moved.delta_above(AT), known.delta_above(AT - OFF + known.slack), rel_tol=1e-9)
        assert moved.delta_above(AT) > known.delta_above(AT) * (1 + OFF)
    else:
        assert math.isclose(moved.delta_below(AT), known.delta_below(AT + OFF - known.slack), rel_tol=1e-9)
        assert moved.delta_below(AT) < known.delta_below(AT) * (1 - OFF)


def test_each_error_of_a_zoom_is_felt_at_both_ends() -> None:
    known = zoom()
    scale = math.exp(known.log_scale - TILT * AT)
    error = 1e-3 * known.delta_above(AT) / scale
    for step in (-1.0, 1.0):
        near = math.exp(-TILT * float(STEP) * 1.01)
        read = Zoom.delta_above if step > 0 else Zoom.delta_below
        assert step * (read(evolve(known, error=error), AT) - read(known, AT)) >= 0.999 * error * scale * near
        assert step * (read(evolve(known, log_doubt=OFF), AT) - read(known, AT)) >= 0.99 * OFF * read(known, AT)
    assert evolve(known, infinite_upper=OFF).delta_above(AT) >= known.delta_above(AT) + OFF * (1 - 1e-9)
    sure = evolve(known, infinite_lower=OFF)
    assert known.delta_below(AT) < sure.delta_below(AT) <= known.delta_below(AT) + OFF
    images = evolve(known, images=evolve(known.images, below=1e-4 * known.delta_below(AT)))
    assert images.delta_below(AT) <= known.delta_below(AT) * (1 - 0.99e-4)


def test_a_zoom_carries_what_its_parts_are_off_by() -> None:
    known, moved = zoom(), zoom(slack=OFF)
    assert moved.slack >= COUNT * OFF + known.slack * 0.5
    weights = np.array([1.0, 6.0, 15.0, 20.0, 15.2, 6.3, 1.1])
    part = Tilted.of(Measure(-3, weights / weights.sum(), 0.0, 0.0), COUNT, float(STEP), TILT)
    scale = abs(COUNT * part.log_total)
    assert known.log_doubt >= COUNT * part.spread + 2 * ROUNDOFF * scale
    assert known.log_doubt <= 1.01 * (COUNT * part.spread + 2 * ROUNDOFF * scale)
    assert abs(Fraction(known.log_scale) - COUNT * Fraction(part.log_total)) <= Fraction(known.log_doubt)
    # The sum over frequencies rounds by more than once in all.
    assert known.error >= 2 * COUNT * part.stray + ROUNDOFF * float(np.abs(known.weights).sum())
    told = zoom(infinite=1e-5)
    escape = (1 - Fraction(1e-5)) ** COUNT
    assert Fraction(told.infinite_lower) <= 1 - escape <= Fraction(told.infinite_upper)
    assert told.infinite_lower > 0.0
