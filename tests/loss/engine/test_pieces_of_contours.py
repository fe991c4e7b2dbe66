"""Lines and transforms whose nodes are known only up to large errors, or not at all."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, Self

import mpmath as mp
import numpy as np
import pytest
from attrs import evolve, frozen

from accountant.loss.engine.contour_nodes import ContourLine
from accountant.loss.engine.contour_tail import _cover, _Parts
from accountant.loss.engine.convolution import Tilted, _power
from accountant.loss.engine.grid_law import GridLaw
from accountant.loss.engine.smoothing import Smoothing
from accountant.loss.readings.arrays import Complexes, Floats
from accountant.loss.readings.moments import Moments
from tests.loss.references import gaussian_delta

TILT, SPACING, EPSILON = 1.5, 0.125, 1.25
HEIGHTS = SPACING * np.arange(80.0)
NODES = (TILT + 1j * HEIGHTS).astype(np.complex128)
VALUES = NODES * (NODES + 1.0) / 2.0
"""Log moments of Gaussian noise with mu 1, which fall to nothing by the last node."""
BEYOND = ((4.0, 10.0),)


def line(values: np.ndarray, errors: Floats, tail: float = 0.0) -> ContourLine:
    found = ContourLine.of(TILT, HEIGHTS, values, errors, Smoothing(0.0), tail, BEYOND)
    assert found is not None
    return found


def test_a_line_through_exact_nodes_has_delta_and_hardly_more() -> None:
    low, high = line(VALUES, np.zeros(80)).delta(EPSILON)
    truth = gaussian_delta(1, EPSILON)
    assert low <= truth <= high <= low + 1e-10


@pytest.mark.parametrize("place", [None, 0, 1, 7])
@pytest.mark.parametrize("off", [2.0**-6, -(2.0**-6), 2.0**-6 * 1j])
def test_a_line_answers_for_nodes_that_are_off(place: int | None, off: complex) -> None:
    """All nodes, or one of them: the sum is then another one, and within what the line says."""
    errors, moved = np.zeros(80), VALUES.copy()
    index = slice(None) if place is None else place
    errors[index], moved[index] = abs(off), moved[index] + off
    low, high = line(VALUES, errors).delta(EPSILON)
    # The sum with these nodes as they are: its terms, without any of the line's own arithmetic.
    with mp.workdps(30):
        terms = [
            mp.re(mp.exp(mp.mpc(complex(value)) - mp.mpc(complex(node)) * EPSILON) / (mp.mpc(complex(node)) * (node + 1)))
            for node, value in zip(NODES.tolist(), moved.tolist(), strict=True)
        ]
        whole = SPACING / mp.pi * (mp.fsum(terms) - terms[0] / 2)
    assert low <= whole <= high
    assert high - low < 0.2


def test_a_node_whose_phase_is_lost_counts_in_full() -> None:
    errors = np.zeros(80)
    errors[3] = np.inf
    low, high = line(VALUES, errors).delta(EPSILON)
    share = SPACING / math.pi * abs(np.exp(VALUES[3] - NODES[3] * EPSILON) / (NODES[3] * (NODES[3] + 1.0)))
    truth = gaussian_delta(1, EPSILON)
    # Its term may be anything of its size.
    assert low <= truth <= high
    assert high - low >= 2 * 0.99 * share


def test_a_node_whose_phase_is_nearly_lost_counts_with_its_error() -> None:
    errors = np.zeros(80)
    errors[3] = 0.75
    low, high = line(VALUES, errors).delta(EPSILON)
    share = SPACING / math.pi * abs(np.exp(VALUES[3] - NODES[3] * EPSILON) / (NODES[3] * (NODES[3] + 1.0)))
    assert high - low >= 2 * 0.99 * share * math.exp(0.75)


def test_what_is_left_out_above_the_last_node_is_part_of_the_error() -> None:
    plain, cut = line(VALUES, np.zeros(80)), line(VALUES, np.zeros(80), tail=2.0**-20)
    known = math.exp(VALUES[0].real - TILT * EPSILON) * 2.0**-20
    assert cut.delta(EPSILON)[1] - plain.delta(EPSILON)[1] == pytest.approx(known, rel=1e-6)
    assert plain.delta(EPSILON)[0] - cut.delta(EPSILON)[0] == pytest.approx(known, rel=1e-6)


@pytest.mark.parametrize("apart", [2.0**-4, 0.5])
def test_a_line_holds_for_all_epsilons_that_lie_a_little_above(apart: float) -> None:
    low, high = line(VALUES, np.zeros(80)).delta(EPSILON, apart)
    for share in (0.0, 0.5, 1.0):
        assert low <= gaussian_delta(1, EPSILON + share * apart) <= high


def one_part(offsets: list[float], masses: list[float], count: int) -> Tilted:
    return Tilted(np.array(offsets), np.array(masses), 0, count, 0.0, 0.0, 0.0)


def test_a_transform_whose_phases_are_lost_says_so() -> None:
    """So many copies of one place are at one place, of which nothing is known."""
    masses, error = _power([one_part([1.0], [1.0], 2**60)], 16)
    assert any(abs(1.0 - mass) <= error for mass in masses.tolist())
    assert all(abs(mass) <= error or abs(1.0 - mass) <= error for mass in masses.tolist())


@pytest.mark.parametrize("count", [10**6, 10**9])
def test_so_many_copies_are_known_as_well_as_their_phases(count: int) -> None:
    """Tosses of a fair coin: the chance of each number of heads against long arithmetic."""
    length = 2**18
    masses, error = _power([one_part([0.0, 1.0], [0.5, 0.5], count)], length)
    with mp.workdps(40):
        for heads in (count // 2, count // 2 + 101, count // 2 - math.isqrt(count)):
            truth = mp.exp(
                mp.loggamma(count + 1) - mp.loggamma(heads + 1) - mp.loggamma(count - heads + 1) - count * mp.log(2)
            )
            assert abs(mp.mpf(float(masses[heads % length])) - truth) <= error


def test_frequencies_that_have_died_out_cost_nothing() -> None:
    """Their phase is lost after so many copies, and so is all of their size."""
    masses, error = _power([one_part([0.0, 1.0], [0.5, 0.5], 10**12)], 16)
    assert np.abs(masses - 1.0 / 16.0).max() <= error < 1e-2


@frozen
class Flat:
    """Parts whose transform has one size everywhere."""

    log_size: float = -40.3

    def work(self, heights: Floats) -> float:
        return 1.0

    def log_bounds(self, low: Floats, high: Floats) -> tuple[Floats, Floats]:
        return np.full(low.size, self.log_size), np.full(low.size, self.log_size)


def test_nodes_above_a_height_are_bounded_by_as_many_as_there_are() -> None:
    for start in np.linspace(1.0, 2.0, 23).tolist():
        found = _cover(Flat(), start, 1.01 * start, 0.125, 1.0)  # type: ignore[arg-type]
        assert found is not None
        height, bound = found
        assert height == start
        with mp.workdps(30):
            # At least what one interval says of all of them.
            size = mp.exp(mp.mpf(-40.3)) * (mp.mpf(1.01 * start) - mp.mpf(start) + mp.mpf(0.125))
            assert mp.mpf(bound) >= size / mp.mpf(start) ** 2 / mp.pi * (1 - mp.mpf(10) ** -25)


def test_nodes_too_small_for_doubles_are_not_nothing() -> None:
    found = _cover(Flat(-800.0), 1.0, 2.0, 0.125, 1.0)  # type: ignore[arg-type]
    assert found is not None
    assert found[1] > 0.0


@frozen(eq=False)
class TwoValues(Moments):
    """The loss 0 or 1, each with chance 1/2, whose log moments may be off."""

    error: float = 0.0
    shift: float = 0.0

    @classmethod
    def of(cls, losses: Any) -> Self:
        return cls()

    @property
    def work(self) -> int:
        return 1

    def log_moments(self, points: Complexes) -> tuple[Complexes, Floats]:
        return (np.log(0.5 + 0.5 * np.exp(points)) + self.shift)[None, :], np.full((1, points.size), self.error)

    def deviations(self, tilt: float) -> Floats:
        return np.array([0.5])

    def falls(self, tilt: float, height: float) -> Floats:
        return np.zeros(1)


@frozen
class Alone:
    """A transform of one family."""

    moments: TwoValues
    damping: float = 0.0

    @property
    def families(self) -> tuple[tuple[Moments, Floats], ...]:
        return ((self.moments, np.array([3.0])),)


def exact_size(height: float) -> float:
    """The logarithm of the size of three transforms of the law tilted by e^L."""
    return 3.0 * math.log(abs(0.5 + 0.5 * np.exp(1.0 + 1j * height)) / (0.5 + 0.5 * math.e))


@pytest.mark.parametrize("error", [0.0, 2.0**-5])
def test_bounds_on_an_interval_hold_at_each_of_its_heights(error: float) -> None:
    """With moments that are off, at the tilt in one direction and above it in the other."""
    low, high = np.array([0.5, 1.0, 2.0, 2.9]), np.array([0.8, 1.9, 2.9, 3.3])
    for at_tilt, above in ((0, 0), (1, -1), (-1, 1), (1, 1)):
        known = _Parts.of(Alone(TwoValues(error, at_tilt * error)), 1.0, Smoothing(0.0))
        known = evolve(known, members=[(TwoValues(error, above * error), *rest) for _, *rest in known.members])
        bounds, _ = known.log_bounds(low, high)
        for start, end, bound in zip(low.tolist(), high.tolist(), bounds.tolist(), strict=True):
            assert bound >= max(exact_size(height) for height in np.linspace(start, end, 33))


@pytest.mark.parametrize("error", [2.0**-5, 2.0**-7])
def test_bounds_at_a_height_answer_for_moments_that_are_off(error: float) -> None:
    """On an interval of no length nothing but the error separates the bound from what it bounds."""
    heights = np.array([1.0, 2.0])
    plain = _Parts.of(Alone(TwoValues()), 1.0, Smoothing(0.0)).log_bounds(heights, heights)[0]
    blurred = _Parts.of(Alone(TwoValues(error)), 1.0, Smoothing(0.0)).log_bounds(heights, heights)[0]
    # Three transforms, each with an error in both moments that it is the quotient of.
    assert np.all(blurred >= plain + 5.9 * error)


LAW = GridLaw(-1.0, 0.75, 0.0, 0.0, 0.0, np.full(5, 0.2), 0.19, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@pytest.mark.parametrize("epsilon", [-3.0, -1.0, -0.25])
def test_what_is_hardly_known_still_gains_all_that_is_certain_below_zero(epsilon: float) -> None:
    found = LAW.band_below(epsilon)
    assert found.lower >= -math.expm1(epsilon) * (1 - 1e-12)


@pytest.mark.parametrize("scale", [-0.3, 0.0, 0.7])
def test_atoms_of_a_law_lie_on_their_side_by_no_more_than_rounding(scale: float) -> None:
    dice = np.random.default_rng(5)
    law = evolve(LAW, masses=dice.random(40), error=0.0, log_scale=scale, beyond=0.1, stray=0.01, infinite_upper=0.3)
    factor = mp.exp(mp.mpf(scale))
    (_, above, lost), (_, below, _) = law.atoms(upper=True), law.atoms(upper=False)
    for mass, low, high in zip(law.masses.tolist(), below.tolist(), above.tolist(), strict=True):
        assert mp.mpf(low) <= mp.mpf(mass) * factor <= mp.mpf(high)
    assert mp.mpf(lost) >= min(1, (Fraction(0.1) + Fraction(0.01)).__float__() * factor + mp.mpf(0.3)) * (
        1 - mp.mpf(2) ** -52
    )
