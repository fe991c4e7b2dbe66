"""Rare samples without their largest outcomes: what was cut is read apart, by long arithmetic and by direct convolution."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest
from attrs import evolve

from accountant.loss import GaussianLoss, SampledLoss, compose
from accountant.loss.derived.sampled_gaussian import SampledGaussian
from accountant.loss.engine.contour_cut import CutLosses, Reverse
from accountant.loss.engine.contour_route import Contour
from accountant.loss.readings.moments import LossGroup
from accountant.numbers.interval import Interval
from accountant.numbers.rounding import Ball
from tests.loss.sweep_settings import setting
from tests.loss.test_sweep import PRECISION, two_releases

SETTINGS = [("0.81", "1e-5", 0.02), ("4", "1e-3", 1.5), ("0.25", "0.05", 0.3), ("2", "1e-6", 1e-4)]


def tail(z: mp.mpf) -> mp.mpf:
    return mp.erfc(z / mp.sqrt(2)) / 2


def cut_gaussian(square: str, rate: str, loss: float) -> SampledGaussian:
    source = SampledLoss(GaussianLoss(square), rate)
    return source.gaussian(-400.0).below(loss)


@pytest.mark.parametrize(("square", "rate", "loss"), SETTINGS)
def test_chances_of_what_was_cut_are_those_of_long_arithmetic(square: str, rate: str, loss: float) -> None:
    gaussian = cut_gaussian(square, rate, loss)
    cut = gaussian.cut()
    assert cut is not None
    with mp.workdps(60):
        q, mu, top = mp.mpf(rate), mp.sqrt(mp.mpf(square)), mp.mpf(gaussian.top)
        chance, least = tail(top), mp.log1p(q * mp.expm1(mu * top - mu * mu / 2))
        gap = q * (tail(top - mu) - chance)
        assert cut.q.lower <= chance <= cut.q.upper
        assert cut.gap.lower <= gap <= cut.gap.upper
        assert cut.gap.radius <= 1e-10 * cut.gap.middle
        assert cut.least <= least
        assert abs(least - mp.mpf(loss)) <= 1e-9 * mp.mpf(loss)


@pytest.mark.parametrize(("square", "rate", "loss"), SETTINGS[1:3])
def test_moments_without_large_losses_are_those_of_long_quadrature(square: str, rate: str, loss: float) -> None:
    """What was cut lacks its moment, and its chance is no longer part of the 1 that moments exceed."""
    gaussian = cut_gaussian(square, rate, loss)
    tilt, height = 3.0, 2.0 / loss
    found, errors = gaussian.log_moments(np.array([complex(tilt, height)]))
    with mp.workdps(20):
        q, mu, z = mp.mpf(rate), mp.sqrt(mp.mpf(square)), mp.mpc(tilt, height)

        def lack(x: mp.mpf) -> mp.mpc:
            power = (1 + z) * mp.log1p(q * mp.expm1(mu * x - mu * mu / 2))
            return mp.expm1(power) * mp.npdf(x)

        places = [-28, *mp.linspace(-10, gaussian.top, 6)]
        truth = mp.log1p(mp.quad(lack, places) - tail(mp.mpf(gaussian.top)))
        assert abs(complex(truth) - complex(found[0])) <= errors[0] + 1e-17
    assert errors[0] <= 1e-12


Atoms = list[tuple[Fraction, Fraction]]


def world(chance: random.Random) -> Atoms:
    """Chances of a few outcomes under P and under Q."""
    rows = [[Fraction(chance.randint(1, 12)) for _ in range(4)] for _ in range(2)]
    return [(p / sum(rows[0]), q / sum(rows[1])) for p, q in zip(*rows, strict=True)]


def share(atoms: Atoms, count: int, threshold: Fraction, growth: Fraction) -> Fraction:
    """What sums in which some outcome has a ratio of at least a threshold add to delta, by enumeration."""
    total = Fraction(0)
    for chosen in itertools.product(atoms, repeat=count):
        if any(p / q >= threshold for p, q in chosen):
            total += max(Fraction(0), math.prod(p for p, _ in chosen) - growth * math.prod(q for _, q in chosen))
    return total


def faults(cut_of: Callable[[CutLosses], CutLosses]) -> int:
    """How often the share of what was cut is not enclosed, in random small worlds."""
    chance, wrong = random.Random("cut"), 0
    for _ in range(60):
        atoms, count, growth = world(chance), chance.randint(1, 3), Fraction(chance.randint(10, 30), 10)
        threshold = sorted(p / q for p, q in atoms)[-chance.randint(1, 2)]
        above = [(p, q) for p, q in atoms if p / q >= threshold]
        chance_q = sum((q for _, q in above), Fraction(0))
        gap = sum((p for p, _ in above), Fraction(0)) - chance_q
        least = math.log(min(p / q for p, q in above)) * (1 - 1e-15)
        back = tuple((s, count * math.log(sum(float(q) * float(q / p) ** s for p, q in atoms)) + 1e-12) for s in (1.0, 4.0))
        honest = CutLosses(((LossGroup(Ball.of(chance_q), Ball.of(gap), least), float(count)),), back, 0.0)
        found = cut_of(honest).rest(math.log(growth))
        truth = float(share(atoms, count, threshold, growth))
        wrong += not found.lower <= truth * (1 + 1e-12) or not truth * (1 - 1e-12) <= found.upper
    return wrong


def test_what_was_cut_is_enclosed_in_small_worlds() -> None:
    assert faults(lambda cut: cut) == 0


@pytest.mark.parametrize(
    "planted",
    [
        lambda cut: evolve(cut, back=((1.0, -800.0),)),
        lambda cut: evolve(cut, parts=tuple((one, 1.0) for one, _ in cut.parts)),
        lambda cut: evolve(cut, parts=tuple((evolve(one, gap=one.gap * 0.5), n) for one, n in cut.parts)),
        lambda cut: evolve(cut, parts=tuple((evolve(one, q=one.q * 0.5), n) for one, n in cut.parts)),
    ],
    ids=["nothing brings losses back", "one copy", "half the gap", "half of Q"],
)
def test_planted_errors_are_seen_in_small_worlds(planted: Callable[[CutLosses], CutLosses]) -> None:
    assert faults(planted) > 0


def test_two_releases_are_enclosed_where_losses_are_cut() -> None:
    source = Contour.of([(SampledLoss(GaussianLoss(1), "0.05"), 2)], Interval.of(0))
    assert source is not None
    whole = source.trimmed(math.log(1e-12), PRECISION)._thorough
    part = whole._cut(0.4, math.log(1e-3), 0.1)
    assert part is not None
    found, truth = part._delta(0.4, 1e-3, 0.0), two_releases(Fraction(1), Fraction(1, 20), False, 0.4)
    assert found is not None
    assert found.lower <= truth <= found.upper
    assert found.width <= 0.01 * truth


@pytest.mark.parametrize(("square", "rate", "count"), [("1", "0.1", 3), ("4", "0.01", 50)])
def test_losses_of_all_are_bounded_from_below_by_their_reverse(square: str, rate: str, count: int) -> None:
    """The logarithm of the mean of e^(-s L) under Q, by quadrature."""
    reverse = Reverse(((SampledLoss(GaussianLoss(square), rate), count),))
    bounds = reverse.bounds([0.5, 3.0, 20.0])
    assert len(bounds) == 3
    with mp.workdps(25):
        q, mu = mp.mpf(rate), mp.sqrt(mp.mpf(square))
        for tilt, found in bounds:
            mean = mp.quad(
                lambda x, tilt=tilt: mp.npdf(x) * (1 + q * mp.expm1(mu * x - mu * mu / 2)) ** -mp.mpf(tilt),
                [-20, -5, 0, 5, 20],
            )
            truth = count * mp.log(mean)
            assert truth <= found <= truth * (1 + mp.mpf(10) ** -9)


def test_what_was_cut_shares_in_delta_as_two_outcomes_do() -> None:
    """Of 3 releases with one large outcome each: all of P less e^epsilon times Q, unless the others bring it back."""
    q, gap = Fraction(1, 100), Fraction(1, 20)
    cut = CutLosses(((LossGroup(Ball.of(q), Ball.of(gap), math.log(6.0)), 3.0),), ((2.0, 0.0),), 0.0)
    some_q, some_p = 1 - (1 - q) ** 3, 1 - (1 - q - gap) ** 3
    found = cut.rest(math.log(2.0))
    share = some_p - 2 * some_q
    assert float(share) == pytest.approx(found.lower, rel=1e-12)
    assert found.lower <= share
    # Others lose less than log 2 - log 6 with a chance of at most 3^-2, after e^0.
    assert found.upper == pytest.approx(float(share + 2 * 3 * q / 9), rel=1e-12)
    assert cut.rest(math.log(7.0)).upper == pytest.approx(float(some_p), rel=1e-12)


@pytest.mark.parametrize("number", [158, 1006, 1315, 1480])
def test_rare_samples_by_the_thousand_are_read_precisely(number: int) -> None:
    """Where one loss that stands out and the bulk of the others are felt alike, which no one tilt serves."""
    one = setting(number)
    found = compose(one.parts).epsilon(one.delta)
    assert found.width <= PRECISION * found.upper
