"""Where grids, lattices and lines are laid is a choice: bounds hold whatever is chosen.

Steps, offsets, tilts, windows, depths and places to begin with are drawn at random here, good and bad ones, and every law
that is made with them encloses the truth. `tests/mutation/choices.toml` lists the functions that choose.
"""

from __future__ import annotations

import math
import random
from fractions import Fraction

import pytest

from accountant.loss import ComposedLoss, GaussianLoss, PrivacyLoss
from accountant.loss.derived.replaced import _cut
from accountant.loss.derived.sampled_halves import Half, first_edges
from accountant.loss.engine import direct_laws, graded_sum, grid_route
from accountant.loss.engine.contour_route import Contour
from accountant.loss.engine.direct_laws import fine_law, merged_law, spread_law
from accountant.loss.engine.direct_sum import Frame, times
from accountant.loss.engine.grid_route import Gridded
from accountant.numbers.interval import Interval
from tests.loss.references import gaussian_delta

Patch = pytest.MonkeyPatch
EPSILONS = (0.0, 0.4, 1.3, 3.0)
PARTS: list[tuple[PrivacyLoss, int]] = [(GaussianLoss("1/4"), 3), (GaussianLoss("1/8"), 2)]
"""Together Gaussian noise with a squared mu of 1."""


def enclosed(lower: float, upper: float, epsilon: float) -> None:
    assert lower <= gaussian_delta(1, epsilon) <= upper


@pytest.mark.parametrize("seed", range(12))
def test_any_step_tilt_offset_and_window_of_a_grid_enclose(seed: int, monkeypatch: Patch) -> None:
    dice = random.Random(f"grid {seed}")
    step, tilt = Fraction(dice.choice([1, 3, 7]), dice.choice([2, 9, 40])), dice.choice([0.0, 0.3, 1.0, 4.0])
    low, high = dice.uniform(-6.0, 0.5), dice.uniform(0.6, 8.0)
    monkeypatch.setattr(grid_route, "aligned", lambda loss, step: Fraction(dice.uniform(0.0, 1.0)) * step)
    monkeypatch.setattr(GaussianLoss, "window", lambda self, log_tail: (low, high))
    ends = math.floor(low / step) - dice.randrange(9), math.ceil(high / step) + dice.randrange(9)
    monkeypatch.setattr(grid_route, "grid_range", lambda *_: ends)
    grid = Gridded(tuple(PARTS))
    above, below = (grid.law(step, tilt, -40.0, side) for side in (True, False))
    for epsilon in EPSILONS:
        enclosed(below.delta_below(epsilon), above.delta_above(epsilon), epsilon)


@pytest.mark.parametrize("seed", range(12))
def test_any_window_and_offset_of_a_lattice_enclose(seed: int, monkeypatch: Patch) -> None:
    dice = random.Random(f"lattice {seed}")
    frame = Frame(Fraction(1, dice.choice([3, 8, 20])), -dice.randrange(3, 60), dice.randrange(3, 60))
    offset, low = Fraction(dice.uniform(-0.3, 0.5)), dice.uniform(-5.0, 0.5)
    monkeypatch.setattr(GaussianLoss, "window", lambda self, log_tail: (low, low + 1.0))
    loss = GaussianLoss("1/4")
    above = times(spread_law(loss, frame, offset), 4)
    for below in (times(law(loss, frame, offset), 4) for law in (merged_law, fine_law)):
        for epsilon in EPSILONS:
            enclosed(below.delta(epsilon), above.delta(epsilon), epsilon)


@pytest.mark.parametrize("seed", range(6))
def test_lattices_that_get_coarser_at_any_pace_enclose(seed: int, monkeypatch: Patch) -> None:
    dice = random.Random(f"grades {seed}")
    exponent = dice.randrange(1, 3)
    monkeypatch.setattr(graded_sum, "grade", lambda count, whole: exponent if count < 3 else 0)
    loss, frame, offset = GaussianLoss("1/4"), Frame(Fraction(1, 8), -90, 90), Fraction(dice.uniform(-0.1, 0.3))
    above = graded_sum.graded_times(lambda power: direct_laws.graded_spread(loss, frame, offset, power), 4)
    below = graded_sum.graded_times(lambda power: direct_laws.graded_merged(loss, frame, offset, power), 4)
    for epsilon in EPSILONS:
        enclosed(below.delta(epsilon), above.delta(epsilon), epsilon)


@pytest.mark.parametrize("seed", range(12))
def test_a_line_at_any_tilt_for_any_depth_encloses(seed: int) -> None:
    dice = random.Random(f"line {seed}")
    whole = Contour.of(PARTS, Interval.of(0))
    assert whole is not None
    whole = whole.without(dice.uniform(-60.0, -3.0))
    saddle = whole._saddle(dice.randrange(-40, 50))
    assert saddle is not None
    line = whole._drawn(saddle, dice.uniform(-60.0, -1.0), 2.0 ** -dice.randrange(3, 40))
    for epsilon in EPSILONS if line is not None else ():
        found = whole._read(line, epsilon)
        enclosed(found.lower, found.upper, epsilon)


@pytest.mark.parametrize("guess", [1e-9, 0.3, 2.0, 40.0])
def test_an_epsilon_is_found_from_any_guess(guess: float) -> None:
    whole = Contour.of(PARTS, Interval.of(0))
    assert whole is not None
    saddle = whole._saddle(0)
    assert saddle is not None
    line = whole._drawn(saddle, -12.0, 1e-6)
    assert line is not None
    found = whole._crossing(line, Fraction(1, 1000), guess)
    assert gaussian_delta(1, found.upper) <= 0.001 <= gaussian_delta(1, found.lower)


def test_any_pairs_of_cuts_lie_above(monkeypatch: Patch) -> None:
    """Of a record that is replaced in a sample, by noise that moves twice as far then."""
    rate = Fraction(1, 3)
    near, far = GaussianLoss("1/4"), GaussianLoss("1")
    best = _cut(near, far, rate, None)
    monkeypatch.setattr("accountant.loss.derived.replaced._same_power", lambda apart, replaced, losses: 0.3 * losses + 0.1)
    other = _cut(near, far, rate, None)
    for epsilon in EPSILONS[:3]:
        # What is attained on a line: the larger of two mixtures of three normal laws, by a test at one place.
        truth = max(_power(place, 0.5, rate) - math.exp(epsilon) * _power(place, -0.5, rate) for place in _places())
        assert min(best.delta(epsilon).upper, other.delta(epsilon).upper) >= truth


def _power(place: float, mean: float, rate: Fraction) -> float:
    """The chance of an outcome above a place under a mixture of normal laws around 0 and around a mean."""
    absent, present = (0.5 * math.erfc(away / math.sqrt(2)) for away in (place, place - mean))
    return float(1 - rate) * absent + float(rate) * present


def _places() -> list[float]:
    return [k / 50 for k in range(-200, 200)]


@pytest.mark.parametrize("seed", range(4))
def test_halves_cut_anywhere_hold_the_mass_above_zero(seed: int) -> None:
    dice = random.Random(f"halves {seed}")
    loss = GaussianLoss("1")
    edges = first_edges(loss)
    kept = [0, *sorted(dice.sample(range(1, edges.size - 1), dice.randrange(2, 40))), edges.size - 1]
    half = Half.of(loss, edges[kept])
    truth = 0.5 * math.erfc(-0.5 / math.sqrt(2))
    assert float(half.least.sum()) <= truth * (1 + 1e-12)
    assert float(half.at_left.sum() + half.at_right.sum()) >= truth * (1 - 1e-12)


def test_readings_do_not_hang_on_where_a_search_begins(monkeypatch: Patch) -> None:
    """However badly a grid's step and tilt are chosen, a reading encloses."""
    for tilt in (0.0, 7.0):
        monkeypatch.setattr(grid_route, "found_tilt", lambda *_, tilt=tilt: (tilt, -5.0))
        monkeypatch.setattr(grid_route, "first_step", lambda sides: Fraction(1, 7))
        monkeypatch.setattr(grid_route, "solved", lambda law, log_target, guess: 0.7)
        grid = ComposedLoss.of(PARTS)._grid
        found, _ = grid.delta(0.8).read(Fraction(1, 7))
        enclosed(found.lower, found.upper, 0.8)
        value, _ = grid.epsilon(Fraction(1, 100), 0.0).read(Fraction(1, 7))
        assert gaussian_delta(1, value.upper) <= 0.01 <= gaussian_delta(1, value.lower)
