"""Where grids, lattices and lines are laid is a choice: bounds hold whatever is chosen.

Steps, offsets, tilts, windows, depths and places to begin with are drawn at random here, good and bad ones, and every law
that is made with them encloses the truth. `tests/mutation/choices.toml` lists the functions that choose.
"""

from __future__ import annotations

import math
import random
from fractions import Fraction

import numpy as np
import pytest

from accountant.loss import ComposedLoss, Floats, GaussianLoss, PrivacyLoss, SampledLoss
from accountant.loss.derived import either_order
from accountant.loss.derived.replaced import _cut
from accountant.loss.derived.sampled_halves import Half, first_edges
from accountant.loss.engine import direct_laws, graded_sum, grid, grid_route
from accountant.loss.engine.contour_route import Contour
from accountant.loss.engine.contour_saddle import Saddle
from accountant.loss.engine.direct_laws import fine_law, merged_law, spread_law
from accountant.loss.engine.direct_sum import Frame, times
from accountant.loss.engine.grid_route import Gridded
from accountant.loss.readings import convex_minimum
from accountant.numbers.interval import Interval
from accountant_fdp import mu_search, smallest_mu
from accountant_noise import skellam_bounds
from accountant_noise.laplace_loss import LaplaceLoss
from accountant_noise.skellam_loss import SkellamLoss
from accountant_pbdp import levels
from accountant_zcdp import envelope
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


@pytest.mark.parametrize("seed", range(4))
def test_whenever_a_search_for_lines_stops_what_it_found_encloses(seed: int, monkeypatch: Patch) -> None:
    dice = random.Random(f"enough {seed}")
    monkeypatch.setattr(Contour, "_enough", lambda *_: dice.random() < 0.5)
    whole = Contour.of(PARTS, Interval.of(0))
    assert whole is not None
    for epsilon in EPSILONS:
        found = whole.delta(epsilon, 1e-4)
        assert found is not None
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


@pytest.mark.parametrize("seed", range(8))
def test_mass_may_be_proposed_to_be_lifted_anyhow(seed: int, monkeypatch: Patch) -> None:
    dice = np.random.default_rng(seed)

    def anyhow(proposal: Floats, p: Floats, price: Floats) -> None:
        proposal[:] = 2.0 * dice.random(proposal.size) * p[:-1]

    monkeypatch.setattr(grid, "_balance", anyhow)
    law = Gridded(tuple(PARTS)).law(Fraction(1, 20), 0.3, -40.0, False)
    for epsilon in EPSILONS:
        assert law.delta_below(epsilon) <= gaussian_delta(1, epsilon)


@pytest.mark.parametrize("seed", range(8))
def test_the_lowest_value_is_enclosed_wherever_it_is_looked_for(seed: int, monkeypatch: Patch) -> None:
    dice = random.Random(f"lowest {seed}")
    monkeypatch.setattr(convex_minimum, "lowest_place", lambda *_: dice.uniform(-3.0, 3.0))

    def curve(t: float) -> Interval:
        value = (math.exp(t) - 2.0) ** 2 + 1.0
        return Interval(value * (1.0 - 1e-12), value * (1.0 + 1e-12))

    found = convex_minimum.lowest_value(curve, [0.0], dice.choice([0.3, 1e-2, 1e-4]))
    assert found.lower <= 1.0 <= found.upper


@pytest.mark.parametrize("seed", range(8))
def test_a_minimum_is_looked_for_with_any_next_guess(seed: int, monkeypatch: Patch) -> None:
    dice = random.Random(f"vertex {seed}")
    monkeypatch.setattr(convex_minimum, "_vertex", lambda height, left, middle, right: dice.uniform(left, right))
    found = convex_minimum.lowest_value(lambda t: Interval.of(0) + Interval(math.cosh(t), math.cosh(t)), [0.4], 1e-3)
    assert found.lower <= 1.0 <= found.upper


@pytest.mark.parametrize("seed", range(6))
def test_whatever_a_saddle_is_said_to_hold_readings_enclose(seed: int, monkeypatch: Patch) -> None:
    dice = random.Random(f"saddle {seed}")
    for name, spread in (("log_delta", 20.0), ("log_size", 3.0)):
        monkeypatch.setattr(Saddle, name, property(lambda self, spread=spread: -dice.uniform(0.0, spread)))
    monkeypatch.setattr(Saddle, "tilt_at", lambda self, epsilon: self.tilt * dice.uniform(0.5, 2.0))
    whole = Contour.of(PARTS, Interval.of(0))
    assert whole is not None
    for epsilon in EPSILONS:
        found = whole.delta(epsilon, 1e-4)
        if found is not None:
            enclosed(found.lower, found.upper, epsilon)


@pytest.mark.parametrize("seed", range(6))
def test_any_line_that_touches_the_losses_of_noise_bounds_their_moments(seed: int, monkeypatch: Patch) -> None:
    dice = random.Random(f"tangent {seed}")
    monkeypatch.setattr(skellam_bounds, "_place", lambda slope: dice.uniform(0.0, 5.0))
    loss = SkellamLoss(Fraction(3), 1)
    for order in (1.0, 2.5, 7.0):
        assert skellam_bounds._by_tangent(3.0, 1.0, order) >= loss._log_moment_at(order).lower


@pytest.mark.parametrize("seed", range(4))
def test_tangents_of_any_order_dominate_what_keeps_a_parameter(seed: int, monkeypatch: Patch) -> None:
    dice = np.random.default_rng(seed)
    monkeypatch.setattr(envelope, "binding_orders", lambda rho, odds: 1.0 + np.exp(dice.normal(0.5, 1.0, odds.size)))
    found = envelope.envelope(Fraction(1, 2))
    for epsilon in EPSILONS:
        assert found.delta(epsilon).upper >= gaussian_delta(1, epsilon)


@pytest.mark.parametrize("seed", range(4))
def test_where_cuts_are_first_made_does_not_make_a_curve_smaller(seed: int, monkeypatch: Patch) -> None:
    dice = random.Random(f"cuts {seed}")
    loss = ComposedLoss.of([(GaussianLoss("1/4"), 1), (LaplaceLoss("1"), 1)])
    known = smallest_mu.smallest_mu(loss)

    def anywhere(loss: PrivacyLoss) -> list[float]:
        return [0.0, *sorted(dice.uniform(0.0, 3.0) for _ in range(12))]

    monkeypatch.setattr(mu_search, "_first", anywhere)
    # What was found before is remembered.
    found = smallest_mu.smallest_mu.__wrapped__(loss)
    assert found.upper >= known.lower
    assert found.lower <= known.upper


@pytest.mark.parametrize("seed", range(4))
def test_bounded_readings_enclose_wherever_they_are_looked_for(seed: int, monkeypatch: Patch) -> None:
    dice = random.Random(f"levels {seed}")
    loss = ComposedLoss.of([(LaplaceLoss("1"), 2)])
    known = [levels.log_factor(loss, Fraction(power)) for power in ("1/2", "1/10")]
    monkeypatch.setattr(levels, "_best", lambda start, least: (dice.uniform(0.0, 2.0), dice.uniform(0.01, 1.0)))
    for before, power in zip(known, ("1/2", "1/10"), strict=True):
        found = levels.log_factor(loss, Fraction(power))
        assert found.lower <= before.upper
        assert before.lower <= found.upper


def test_orders_may_be_chosen_up_to_any_epsilon(monkeypatch: Patch) -> None:
    pair = SampledLoss(LaplaceLoss("1"), Fraction(1, 5))
    for top in (0.7, 2.0):
        either_order.chosen_curve.cache_clear()
        monkeypatch.setattr(either_order, "_top", lambda sides, count, top=top: top)
        found = either_order.chosen_curve(pair, 12)
        assert found is not None
        for epsilon in (0.0, 0.4, 1.3):
            assert found.delta(epsilon).upper >= ComposedLoss.of([(pair, 12)]).delta(epsilon).lower
    either_order.chosen_curve.cache_clear()
