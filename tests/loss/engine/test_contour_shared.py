"""What readings of one loss share: guesses of a tilt, panels of several moments, and lines."""

from __future__ import annotations

import numpy as np
import pytest

from accountant.loss import GaussianLoss, SampledLoss, compose
from accountant.loss.derived.sampled_gaussian import SampledGaussian
from accountant.loss.engine.composition import ComposedLoss
from accountant.loss.engine.contour_saddle import Saddle
from accountant.numbers.rounding import Ball

TILTS = np.array([6.0, 6.5, 7.5, 9.0, 15.0], dtype=np.complex128)


def gaussian_saddle(square: float, tilt: float) -> Saddle:
    """What is known at a tilt of a Gaussian loss, whose log moment is the parabola t (t + 1) square/2."""
    return Saddle(tilt, 0.5 * square * tilt * (tilt + 1.0), 0.0, square * (tilt + 0.5), square)


@pytest.mark.parametrize("square", [0.01, 0.4, 30.0])
@pytest.mark.parametrize("tilt", [0.7, 2.0, 9.0])
def test_along_a_parabola_a_tilt_is_guessed_from_any_other(square: float, tilt: float) -> None:
    there, start = gaussian_saddle(square, tilt), gaussian_saddle(square, 1.0)
    assert start.tilt_at(there.epsilon) == pytest.approx(tilt, rel=0.05)
    assert start.tilt_to(there.log_delta) == pytest.approx(tilt, rel=0.05)


def moments(loss: SampledGaussian, together: bool) -> list[Ball]:
    parts = [TILTS] if together else [TILTS[place : place + 1] for place in range(TILTS.size)]
    found = [loss.log_moments(part) for part in parts]
    values, errors = (np.concatenate([pair[place] for pair in found]) for place in (0, 1))
    return [Ball(float(value.real), float(error)) for value, error in zip(values, errors, strict=True)]


def meet(first: list[Ball], second: list[Ball]) -> list[bool]:
    return [one.lower <= two.upper and two.lower <= one.upper for one, two in zip(first, second, strict=True)]


@pytest.mark.parametrize(("up", "down"), [(1.3, 0.0), (0.0, 1.3), (0.8, 0.8)])
def test_moments_at_several_tilts_are_those_at_each(up: float, down: float) -> None:
    loss = SampledGaussian(up, down, 0.2, 0.8, 12.0)
    together, apart = moments(loss, together=True), moments(SampledGaussian(up, down, 0.2, 0.8, 12.0), together=False)
    assert all(meet(together, apart))
    assert all(one.radius <= 2.0 * two.radius < 1e-9 for one, two in zip(together, apart, strict=True))


def test_what_lies_below_all_panels_may_not_be_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    apart = moments(SampledGaussian(0.0, 1.3, 0.2, 0.8, 12.0), together=False)
    monkeypatch.setattr(SampledGaussian, "_with_the_rest", lambda loss, excess, low, most: excess)
    assert not all(meet(moments(SampledGaussian(0.0, 1.3, 0.2, 0.8, 12.0), together=True), apart))


def sampled() -> ComposedLoss:
    loss = compose([(SampledLoss(GaussianLoss(1), "0.01"), 10_000)])
    assert isinstance(loss, ComposedLoss)
    return loss


def test_readings_on_a_shared_line_say_what_those_on_their_own_do() -> None:
    curve, lines = sampled(), set()
    for place in (0.5, 1.0, 2.0, 3.0, 3.5, 7.0, 11.0, 0.25):
        shared, own = curve.delta(place), sampled().delta(place)
        assert shared.lower <= own.upper
        assert own.lower <= shared.upper
        assert shared.width <= max(1.1 * own.width, 1e-7 * own.upper)
        contour = curve._contour
        assert contour is not None
        lines.add(id(contour._served[0][1]))
    # Some readings share a line, and not all do.
    assert 1 < len(lines) < 8
