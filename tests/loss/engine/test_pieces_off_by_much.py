"""Pieces of routes whose operands are off by a part in a thousand, or add up badly: what they are off by is carried on."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Self

import mpmath as mp
import numpy as np
import pytest
from attrs import evolve, frozen

from accountant.loss import Atoms, GaussianLoss, PrivacyLoss
from accountant.loss.engine import zoom_route
from accountant.loss.engine.composition import ComposedLoss
from accountant.loss.engine.contour_cut import Reverse
from accountant.loss.engine.contour_law import ContourLaw, _sum
from accountant.loss.engine.contour_saddle import Saddle
from accountant.loss.engine.graded_sum import _doubted, _gap_doubted
from accountant.loss.engine.grid import Measure
from accountant.loss.engine.two_sides import enclosed
from accountant.loss.engine.zoom_route import Zoom, _whole_mass
from accountant.loss.families.atomic import AtomicLoss
from accountant.loss.families.atomic_moments import _deviation
from accountant.loss.families.gaussian import GaussianMoments
from accountant.loss.families.rivals import RivalledLoss
from accountant.loss.readings.arrays import Complexes, Floats
from accountant.loss.readings.base import log_largest_gain
from accountant.loss.readings.moments import Moments
from accountant.numbers.interval import Interval
from accountant.numbers.rounding import ROUNDOFF, Balls

Patch = pytest.MonkeyPatch
OFF = 2.0**-10


@frozen
class Stated(Moments):
    """Log moments that are z^2 and a constant more, stated with an error."""

    error: float = OFF
    more: float = -OFF
    left_out: float = 0.0

    @classmethod
    def of(cls, losses: object) -> Self:
        return cls()

    def log_moments(self, points: Complexes) -> tuple[Complexes, Floats]:
        return (np.square(points) + self.more)[None, :], np.full((1, points.size), self.error)

    def lost(self) -> Floats:
        return np.array([self.left_out])

    def deviations(self, tilt: float) -> Floats:
        return np.ones(1)

    def falls(self, tilt: float, height: float) -> Floats:
        return np.zeros(1)

    @property
    def work(self) -> int:
        return 1


def reverse(*families: tuple[Moments, float]) -> Reverse:
    found = Reverse(())
    found._known.append(tuple((moments, np.array([count])) for moments, count in families))
    return found


def test_bounds_on_reversed_moments_answer_for_each_error_as_often_as_it_counts() -> None:
    for (tilt, bound), asked in zip(reverse((Stated(), 3.0), (Stated(), 2.0)).bounds([0.5, 2.0]), (0.5, 2.0), strict=True):
        assert tilt == asked
        assert 5 * tilt**2 <= bound <= 5 * tilt**2 + 1e-12


def test_what_was_left_out_of_reversed_losses_counts_as_often_as_these() -> None:
    lost = reverse((Stated(left_out=0.125), 3.0), (Stated(left_out=0.0625), 2.0)).lost
    assert 0.5 <= lost <= 0.5 + 1e-12


def law(*families: tuple[Moments, float], leak: Interval | None = None, lost: float = 0.0) -> ContourLaw:
    return ContourLaw(
        tuple((moments, np.array([count])) for moments, count in families), leak or Interval.of(0), 0.0, lost=lost
    )


@pytest.mark.parametrize("lost", [0.0, 2.0**-12])
@pytest.mark.parametrize("leak", [0.0, 2.0**-8])
@pytest.mark.parametrize("error", [0.0, OFF])
def test_a_bound_by_one_moment_answers_for_the_moment_and_for_what_is_lost(error: float, leak: float, lost: float) -> None:
    tilt, value, epsilon = 1.5, 0.75, 2.25
    saddle = Saddle(tilt, value - error, error, 0.0, 0.0)
    found = law(leak=Interval(0.0, leak), lost=lost)._chernoff(saddle, epsilon)
    gain = tilt * mp.log(tilt) - (1 + tilt) * mp.log1p(tilt)
    finite = mp.exp(value - tilt * epsilon + gain) + lost
    truth = leak + (1 - leak) * finite
    assert truth * (1 - mp.mpf(10) ** -30) <= found <= truth * (1 + 1e-6)


def test_moments_of_a_whole_are_off_by_what_each_family_is_off_by() -> None:
    whole = law((Stated(), 3.0), (Stated(0.25, -0.25), 2.0))
    points = np.array([0.5 + 1.0j, 2.0 - 3.0j])
    values, errors = whole.log_moment(points)
    assert (np.abs(values - 5.0 * np.square(points)) <= errors + 1e-12).all()
    assert (errors <= 3 * OFF + 0.5 + 1e-9).all()
    for tilt, bound in whole._beyond(np.array([0.25 + 0.0j])):
        assert 5 * tilt**2 + log_largest_gain(tilt) <= bound + 1e-12


def test_errors_of_many_moments_are_added_up_outward() -> None:
    """Errors that are lost one by one beside larger ones, in whatever order sums are formed."""
    errors = np.concatenate([np.ones(64), np.full(4000, 0.99 * ROUNDOFF)])[:, None]
    found, _ = _sum(np.zeros(errors.shape, dtype=np.complex128), errors, np.ones(errors.size))
    assert Fraction(float(found.radii[0])) >= sum(map(Fraction, errors[:, 0].tolist()))
    one, _ = _sum(np.zeros((1, 9), dtype=np.complex128), np.full((1, 9), 0.1), np.array([3.0]))
    assert Fraction(float(one.radii[0])) >= 3 * Fraction(0.1)


@pytest.mark.parametrize("side", [-1.0, 1.0])
@pytest.mark.parametrize("place", [None, 0, 1])
def test_a_zoom_answers_for_a_transform_that_is_off(
    side: float, place: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By as much as it says, at all frequencies or at one of them."""
    weights = np.array([1.0, 6.0, 15.0, 20.0, 15.2, 6.3, 1.1])
    masses, count, step, off = weights / weights.sum(), 40, Fraction(1, 50), 1e-5
    measure = Measure(-3, masses, 0.0, 0.0)
    known = Zoom.of([(measure, count)], step, 3.0, -8.0)
    whole = zoom_route.transformed

    def moved(part: object, length: int) -> tuple[Complexes, float]:
        spectrum, error = whole(part, length)  # type: ignore[arg-type]
        shifts = np.zeros(spectrum.size)
        shifts[slice(None) if place is None else place] = side * off
        return spectrum * (1.0 + shifts / np.abs(spectrum)), error + off

    monkeypatch.setattr(zoom_route, "transformed", moved)
    found = Zoom.of([(measure, count)], step, 3.0, -8.0)
    assert known is not None
    assert found is not None
    one = np.ones(1)
    for _ in range(count):
        one = np.convolve(one, masses)
    losses = float(step) * (np.arange(one.size) - 3 * count)
    for at in (0.31, 0.1037):
        truth = float(one @ np.maximum(-np.expm1(at - losses), 0.0))
        assert found.delta_below(at) <= truth <= found.delta_above(at)
        assert found.error > known.error


@pytest.mark.parametrize("counts", [(1, 1), (3, 1), (1, 4), (5, 2)])
def test_the_mass_of_a_product_counts_every_copy(counts: tuple[int, int]) -> None:
    parts = [(Measure(0, np.array([0.75, 0.75]), 0.0, 0.0), counts[0]), (Measure(0, np.array([1.25]), 0.0, 0.0), counts[1])]
    truth = Fraction(3, 2) ** counts[0] * Fraction(5, 4) ** counts[1]
    assert truth <= Fraction(_whole_mass(parts)) <= truth * (1 + Fraction(1, 10**12))
    # Less than all of it counts as all.
    assert Fraction(_whole_mass([(Measure(0, np.array([0.25]), 0.0, 0.0), 3), parts[1]])) >= Fraction(5, 4) ** counts[1]


@pytest.mark.parametrize("roundings", [1.0, 16.0, 2.0**30])
@pytest.mark.parametrize("doubt", [0.0, 2.0**-40, OFF, 0.25])
def test_shares_that_are_off_stay_off_when_they_are_added_up(doubt: float, roundings: float) -> None:
    fine = Fraction(roundings) * Fraction(ROUNDOFF)
    assert Fraction(_doubted(doubt, roundings)) >= (1 + Fraction(doubt)) * (1 + fine) - 1
    most = Fraction(3, 4)
    # A gap is off by its doubt and rounded, in units of a mass that was rounded down.
    truth = ((most + Fraction(doubt)) * (1 + fine) - most) / (1 - fine)
    found = Fraction(_gap_doubted(doubt, float(most), roundings))
    assert truth * (1 - fine) <= found <= truth * (1 + 4 * fine) + Fraction(1, 10**15)


@pytest.mark.parametrize("doubt", [0.0, OFF, 0.125])
@pytest.mark.parametrize("tilt", [0.0, 0.5])
def test_deviations_of_atoms_answer_for_what_their_values_and_masses_are_off_by(tilt: float, doubt: float) -> None:
    values, masses = np.array([-1.0, 0.25, 1.0]), np.array([0.25, 0.25, 0.5])
    for error in (0.0, 0.125):
        found = _deviation(Balls(values, np.full(3, doubt)), Balls(masses, np.full(3, error)), tilt)
        for signs in ((-1, 0, 1), (1, 0, -1)):
            for more in ((1, -1, 0), (1, 0, -1), (0, -1, 1), (1, -1, 1)):
                places = [mp.mpf(v) + s * doubt for v, s in zip(values.tolist(), signs, strict=True)]
                weights = [(mp.mpf(m) + s * error) * mp.exp(tilt * v) for m, s, v in zip(masses, more, places, strict=True)]
                mean = mp.fsum(w * v for w, v in zip(weights, places, strict=True)) / mp.fsum(weights)
                square = mp.fsum(w * (v - mean) ** 2 for w, v in zip(weights, places, strict=True)) / mp.fsum(weights)
                assert found >= mp.sqrt(square)
    sharp = _deviation(Balls(values), Balls(masses), 0.0)
    mean = float(masses @ values)
    assert sharp == pytest.approx(math.sqrt(float(masses @ np.square(values - mean))), rel=1e-5)


def test_transforms_of_noise_fall_by_no_more_than_they_do() -> None:
    dice = np.random.default_rng(5)
    squares = [Fraction(int(k), 10**6 + 3) for k in dice.integers(1, 10**6, 400)]
    moments = GaussianMoments.of([GaussianLoss(square) for square in squares])
    for height in dice.random(8).tolist():
        for square, fall in zip(squares, moments.falls(1.0, height).tolist(), strict=True):
            truth = -square * Fraction(height) ** 2 / 2
            assert truth <= Fraction(fall) <= truth * (1 - Fraction(1, 10**14))


def test_moments_of_noise_are_off_by_no_more_than_they_say() -> None:
    dice = np.random.default_rng(6)
    squares = [Fraction(int(k), 10**6 + 3) for k in dice.integers(1, 10**6, 40)]
    points = dice.random(9) + 1j * dice.random(9)
    values, errors = GaussianMoments.of([GaussianLoss(square) for square in squares]).log_moments(points)
    used = 0.0
    for row, square in enumerate(squares):
        for column, point in enumerate(points.tolist()):
            truth = mp.mpf(square.numerator) / square.denominator / 2 * mp.mpc(point) * (mp.mpc(point) + 1)
            used = max(used, float(abs(mp.mpc(complex(values[row, column])) - truth) / mp.mpf(float(errors[row, column]))))
    assert 0.05 < used <= 1.0


@frozen(eq=False)
class Leaking(AtomicLoss):
    """A loss of nothing, or of everything with a chance that is only known to lie in an interval."""

    chance: Interval

    def find_atoms(self) -> Atoms:
        return Atoms(np.zeros(1), np.array([1.0 - self.chance.upper]), np.array([self.chance.width]), self.chance)


@pytest.mark.parametrize("lower", [0.0, 0.125])
def test_a_chance_to_lose_everything_that_may_be_nothing_counts_in_a_composition(lower: float) -> None:
    parts: list[tuple[PrivacyLoss, int]] = [(Leaking(Interval(lower, 0.25)), 3), (GaussianLoss("1/4"), 2)]
    found = ComposedLoss.of(parts).infinite()
    assert Fraction(found.lower) <= 1 - (1 - Fraction(lower)) ** 3
    assert Fraction(found.upper) >= 1 - Fraction(3, 4) ** 3
    assert found.upper <= 1 - 0.75**3 + 1e-12
    assert found.lower >= 1 - (1 - lower) ** 3 - 1e-12


@frozen(eq=False)
class WithRival(RivalledLoss):
    """A bracket with one rival."""

    rival: PrivacyLoss | None = None

    def rivals(self, chance: float, at: str = "gain") -> tuple[PrivacyLoss, ...]:
        return (self.rival,) if self.rival is not None else ()


def test_a_rival_raises_a_lower_end_no_farther_than_is_certain_of_it() -> None:
    low, middle, high = GaussianLoss("1/4"), GaussianLoss("1"), GaussianLoss("4")
    known: dict[PrivacyLoss, Interval] = {low: Interval(0.1, 0.2), middle: Interval(0.3, 0.6), high: Interval(0.8, 0.9)}
    loss = WithRival(high, low, rival=middle)
    assert enclosed(known.__getitem__, loss, 0.5) == Interval(0.3, 0.9)
    assert enclosed(known.__getitem__, evolve(loss, rival=None), 0.5) == Interval(0.1, 0.9)
