"""Rare samples of Gaussian noise by moments: what is seen, what is not, how fast transforms fall, by long quadrature."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import flint
import mpmath as mp
import numpy as np
import pytest
from attrs import evolve
from scipy.special import ndtr

from accountant.loss import GaussianLoss, SampledLoss, compose
from accountant.loss.derived.sampled_gaussian import SampledGaussian
from accountant.loss.derived.sampled_path import MovedPaths
from accountant.loss.derived.sampled_rule import LARGEST_OF_ALL
from accountant.loss.derived.sampled_seen import SeenPart
from accountant.loss.engine.contour_nodes import ContourLine
from accountant.loss.engine.contour_route import Contour
from accountant.loss.engine.contour_seen import SeenLosses
from accountant.loss.engine.direct_route import Direct
from accountant.loss.readings.arrays import Complexes
from accountant.numbers.interval import Interval
from tests.loss.sweep_settings import setting

PRESENT = [(2.33, 1.5e-4, 11.0), (0.9, 1e-5, 12.0), (1.5, 0.01, 10.0)]


def gaussian(up: float, down: float, rate: float, reach: float) -> SampledGaussian:
    return SampledGaussian(up, down, rate, 1.0 - rate, reach, largest=LARGEST_OF_ALL)


def growth(exponents: Complexes) -> Complexes:
    """e^w - 1 without losing small w."""
    series = exponents * (1 + exponents / 2 * (1 + exponents / 3 * (1 + exponents / 4)))
    return np.where(np.abs(exponents) < 1e-3, series, np.exp(exponents) - 1)


def truth(law: SampledGaussian, z: complex, part: SeenPart | None = None, *, seen: bool = True, most: float) -> Any:
    """What the moment of a law exceeds 1 by, or the moment of a part of it, off by far less than this."""
    with flint.ctx.workprec(200):
        up, down, rate, power = flint.arb(law.up), flint.arb(law.down), flint.arb(law.rate), flint.acb(z)
        density = 1 / (2 * flint.arb.pi()).sqrt()

        def integrand(x: flint.acb, analytic: bool) -> flint.acb:
            first, second = (
                (1 + rate * (move * at - move**2 / 2).expm1()).log(analytic=analytic) for move, at in ((up, x), (down, -x))
            )
            exponent, weight = (1 + power) * first - power * second, density * (-x * x / 2).exp()
            if part is None:
                return weight * exponent.expm1()
            away = (x - part.place) / part.width / flint.arb(2).sqrt()
            return weight * exponent.exp() * (-away if seen else away).erfc() / 2

        found = flint.acb.integral(integrand, *law.ends, abs_tol=most / 1000)
        assert max(found.real.rad(), found.imag.rad()) <= most / 50
        return mp.mpc(mp.mpf(found.real.mid()), mp.mpf(found.imag.mid()))


def about(law: SampledGaussian, z: complex, part: SeenPart | None = None) -> complex:
    """The same by the trapezoid rule, for scales."""
    x = np.linspace(law.ends[0], law.ends[1], 100_001)
    logs = []
    for move, places in ((law.up, x), (law.down, -x)):
        v = law.rate * np.expm1(move * places - move * move / 2)
        logs.append(np.log1p(v) if move else np.zeros(x.shape))
    exponents = (1 + z) * logs[0] - z * logs[1]
    density = np.exp(-0.5 * x * x) * ((law.ends[1] - law.ends[0]) / 100_000 / math.sqrt(2.0 * math.pi))
    if part is None:
        return complex(np.sum(density * growth(exponents)))
    away = (x - part.place) / part.width
    return complex(np.sum(density * np.exp(exponents) * ndtr(away)))


@pytest.mark.parametrize(("tilt", "height"), [(3e6, 0.0), (3e6, 1.3e7), (4e4, 2e4), (50.0, 3.0)])
def test_a_record_that_is_absent_is_felt_where_its_loss_is_not_far_below(tilt: float, height: float) -> None:
    """Large tilts leave nothing of losses far below 0, and their phases need not be followed."""
    law = gaussian(0.0, 1.6, 2e-8, 11.0)
    (value,), (error,) = law.log_moments(np.array([complex(tilt, height)]))
    with mp.workdps(36):
        found = mp.log1p(truth(law, complex(tilt, height), most=error))
        assert abs(found - mp.mpc(value)) <= error
    assert error < 1e-9


def paths(law: SampledGaussian, tilt: float) -> MovedPaths:
    found = law.shape(tilt).paths
    assert found is not None
    return found


@pytest.mark.parametrize(("up", "rate", "reach"), PRESENT)
def test_transforms_fall_as_fast_as_moved_paths_say(up: float, rate: float, reach: float) -> None:
    law = gaussian(up, 0.0, rate, reach)
    for tilt in (0.5, 2.0):
        whole = law.log_moments(np.array([complex(tilt)]))[0][0].real
        for height in (1.0, 20.0, 300.0):
            most = paths(law, tilt).fall(height)
            heights = height * np.array([1.0, 1.1, 1.5, 2.0])
            sizes = law.log_moments((tilt + 1j * heights).astype(np.complex128))[0].real - whole
            assert np.all(sizes <= most)
    # Of thousands of copies nothing is left where one of them is hardly seen.
    if up == 2.33:
        assert 5000 * paths(law, 2.0).fall(300.0) < -12.0


def test_planted_paths_that_take_away_too_much_or_grow_too_little_are_caught() -> None:
    law = gaussian(2.33, 0.0, 1.5e-4, 11.0)
    known = paths(law, 2.0)
    whole = law.log_moments(np.array([2.0 + 0j]))[0][0].real
    for planted, height in (
        (evolve(known, least=3.0 * known.least, most=0.0 * known.most), 20.0),
        (evolve(known, shares=100.0 * known.shares), 1.0),
        # Angles grow as if the record moved farther, so that a path needs to leave the real line by less.
        (evolve(known, move=10.0 * known.move), 20.0),
    ):
        size = law.log_moments(np.array([complex(2.0, height)]))[0][0].real - whole
        assert planted.fall(height) < size <= known.fall(height) < 0.0


@pytest.mark.parametrize(("up", "rate", "reach"), PRESENT)
def test_seen_and_unseen_parts_are_those_of_quadrature(up: float, rate: float, reach: float) -> None:
    law = gaussian(up, 0.0, rate, reach)
    part = law.seen(0.05)
    assert part is not None
    for tilt, height in ((2.0, 0.0), (2.0, 15.0), (0.3, 40.0)):
        moments = part.moments(tilt, np.array([height]))
        found = truth(law, complex(tilt, height), part, most=moments.radii[0])
        with mp.workdps(36):
            assert abs(mp.mpc(moments.middle[0]) - found) <= moments.radii[0]
        assert moments.radii[0] <= 1e-9 * about(law, complex(tilt), part).real
        assert abs(found) / (1.0 + about(law, complex(tilt)).real) <= part.fall(tilt, max(height, 0.01))
    for tilt in (1.0, 30.0):
        with mp.workdps(36):
            unseen = mp.log(truth(law, complex(tilt), part, seen=False, most=1e-20).real)
            most = part.log_unseen(tilt)
            assert unseen <= most <= unseen + 1e-9 + 1e-9 * abs(unseen)


def test_a_planted_seen_part_that_falls_too_fast_is_caught() -> None:
    """Without what the chance of being seen grows by off the real line."""
    law = gaussian(2.33, 0.0, 1.5e-4, 11.0)
    part = law.seen(0.05)
    assert part is not None
    whole = law.log_moments(np.array([2.0 + 0j]))[0][0].real
    size = abs(part.moments(2.0, np.array([15.0])).middle[0]) / math.exp(whole)
    assert evolve(part, width=1e6 * part.width, place=part.place + 5e6 * part.width).fall(2.0, 15.0) < size
    assert size <= part.fall(2.0, 15.0)


# Readings ---------------------------------------------------------------------------------------------------------------


def relative(value: Interval, precision: float) -> float:
    return value.width / (precision * value.upper)


def summed(loss: SampledLoss, count: int, target: Fraction) -> Interval:
    found = Direct([(loss, count)], [(loss, count)]).epsilon(target).to(relative, 1e-4)
    assert found is not None
    return found


def split(loss: SampledLoss, count: int, target: Fraction, epsilon: float) -> Contour:
    whole = compose([(loss, count)])
    contour = whole._contour.trimmed(math.log(target), 1e-4)  # type: ignore[attr-defined]
    found: Contour | None = contour._split(epsilon, math.log(target), 1e-4)
    assert found is not None
    return found


RARE = [("4", "1/100000", 300, "1e-14"), ("25/4", "1/10000", 100, "1e-20")]


@pytest.mark.parametrize(("square", "rate", "count", "delta"), RARE)
def test_sums_in_which_something_is_seen_meet_sums_mass_by_mass(square: str, rate: str, count: int, delta: str) -> None:
    """Two routes that share nothing but the loss."""
    target, loss = Fraction(delta), SampledLoss(GaussianLoss(square), rate)
    known = summed(loss, count, target)
    found = split(loss, count, target, known.upper)._epsilon(target, math.log(target), 1e-4, 0.0)
    assert found is not None
    assert found.lower <= known.upper
    assert known.lower <= found.upper
    assert found.width <= 1e-4 * found.upper


def test_a_planted_split_that_forgets_what_is_unseen_is_caught() -> None:
    """Where only losses far above epsilon count as seen, nearly all of delta is unseen."""
    target, loss, count = Fraction("1e-14"), SampledLoss(GaussianLoss("4"), "1/100000"), 300
    known = summed(loss, count, target)
    whole = split(loss, count, target, 8.0 * known.upper)
    assert whole.seen is not None
    planted = evolve(whole, seen=SeenLosses(whole.seen.parts, ((1.0, -1e9),)))
    honest, forgetful = (one._read(line, known.lower) for one, line in ((one, drawn(one)) for one in (whole, planted)))
    assert Fraction(honest.upper) >= target
    assert Fraction(forgetful.upper) < target


def drawn(contour: Contour) -> ContourLine:
    for step in range(0, 33, 4):
        saddle = contour._saddle(step)
        line = None if saddle is None else contour._line(saddle, -32.0, 1e-3)
        if line is not None:
            return line
    raise AssertionError("no line")


@pytest.mark.parametrize("number", [34, 131, 207, 471, 582, 959, 1650, 1883])
def test_settings_that_no_line_was_long_enough_for_are_read_precisely(number: int) -> None:
    one = setting(number)
    found = compose(one.parts).epsilon(one.delta)
    assert found.width <= 1e-4 * found.upper


@pytest.mark.parametrize("number", [856])
def test_settings_in_which_one_rare_loss_decides_are_read_precisely(number: int) -> None:
    one = setting(number)
    found = compose(one.parts).epsilon(one.delta)
    assert found.width <= 1e-4 * found.upper
