"""Errors that pieces of the engine grant are kept, and are felt: on bad inputs the true error comes close to them.

Readings are far wider than a few roundings, so that an error term that is forgotten does not show there. Here each piece is
asked alone, on inputs that are chosen to be bad, against long arithmetic: the error is at most what is granted, and at
least a stated share of it, so that nothing can be left out of what is granted.
"""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest
from attrs import evolve, frozen

from accountant.loss import AtomicLoss, Atoms
from accountant.loss.engine.convolution import Flat, Tilted, _reach, infinite_mass
from accountant.loss.engine.grid import Measure, _edges, _lifted, _slack, dominated_measure, dominating_measure, mixed
from accountant.loss.engine.grid_law import GridLaw
from accountant.loss.families.atomic_cells import atom_cells
from accountant.loss.families.atomic_moments import AtomMoments
from accountant.loss.readings.base import Cells
from accountant.loss.readings.inversion import _ceiling
from accountant.numbers.interval import Interval
from accountant.numbers.rounding import ROUNDOFF, Balls


def dice(seed: int = 20261117) -> np.random.Generator:
    """Every test throws dice of its own: none depends on which were run before it."""
    return np.random.default_rng(seed)


def kept_and_felt(truths: list[object], values: list[float], granted: list[float], share: float) -> None:
    """No value is farther from the truth than is granted, and some is at least a share of it away."""
    used = [abs(mp.mpf(value) - truth) / mp.mpf(error) for truth, value, error in zip(truths, values, granted, strict=True)]
    assert max(used) <= 1
    assert max(used) >= share


def rounded(losses: np.ndarray, sign: int, grain: float = 1.0) -> list[object]:
    """The losses farthest from the given ones that atoms may stand for."""
    return [mp.mpf(loss) + sign * 8 * ROUNDOFF * (grain + abs(loss)) for loss in losses.tolist()]


LOSSES = np.sort(np.concatenate([dice(1).normal(size=30), 40.0 * dice(2).normal(size=30)]))
MASSES = dice(3).random(60) / 60.0


@pytest.mark.parametrize("sign", [-1, 1])
def test_reversed_atoms_answer_for_losses_that_were_rounded(sign: int) -> None:
    found = Atoms(LOSSES, MASSES, np.zeros(60)).reversed()
    truths = [mp.mpf(mass) * mp.exp(-loss) for mass, loss in zip(MASSES.tolist(), rounded(LOSSES, sign), strict=True)]
    held = [k for k, truth in enumerate(truths) if truth < 1]
    values, errors = found.masses[::-1].tolist(), found.errors[::-1].tolist()
    kept_and_felt([truths[k] for k in held], [values[k] for k in held], [errors[k] for k in held], 0.25)


def test_reversed_atoms_answer_for_masses_that_were_rounded() -> None:
    losses, masses, errors = np.array([-0.5, 0.25, 1.0]), np.array([0.25, 0.0, 0.5]), np.array([1e-5, 1e-5, 1e-5])
    found = Atoms(losses, masses, errors).reversed()
    truths = [mp.mpf(mass + 1e-5) * mp.exp(-loss) for mass, loss in zip(masses.tolist(), losses.tolist(), strict=True)]
    for truth, value, error in zip(truths, found.masses[::-1].tolist(), found.errors[::-1].tolist(), strict=True):
        kept_and_felt([truth], [value], [error], 0.99)


def test_reversed_atoms_answer_for_masses_that_vanish() -> None:
    found = Atoms(np.array([720.0, 800.0]), np.array([0.3, 0.7]), np.zeros(2)).reversed()
    assert found.masses[0] == 0.0 < found.masses[1] < 1e-310
    assert mp.mpf(0.7) * mp.exp(-800) <= found.errors[0] < 1e-300
    assert abs(mp.mpf(0.3) * mp.exp(-720) - found.masses[1]) <= found.errors[1] < 1e-300


def test_masses_given_that_no_loss_is_infinite_answer_for_what_is_not_known_of_that() -> None:
    atoms = Atoms(np.array([0.0, 1.0]), np.array([0.5, 0.25]), np.array([0.0, 1e-9]), infinite=Interval(0.2, 0.3))
    _, masses = atoms.given_finite()
    for infinite in (0.2, 0.3):
        truths = [mp.mpf(0.5) / (1 - mp.mpf(infinite)), mp.mpf(0.25 + 1e-9) / (1 - mp.mpf(infinite))]
        kept_and_felt(truths, masses.middle.tolist(), masses.radii.tolist(), 0.9 if infinite == 0.3 else 0.8)
    known = Atoms(np.array([0.0, 1.0]), np.array([0.5, 0.25]), np.array([1e-6, 1e-9]), infinite=Interval(0.25, 0.25))
    _, masses = known.given_finite()
    kept_and_felt([mp.mpf(0.5 + 1e-6) / 0.75], masses.middle.tolist()[:1], masses.radii.tolist()[:1], 0.99)


@frozen
class Given(AtomicLoss):
    """A loss with these atoms."""

    these: Atoms

    def find_atoms(self) -> Atoms:
        return self.these


@pytest.mark.parametrize("error", [0.0, 1e-4])
@pytest.mark.parametrize("sign", [-1, 1])
def test_delta_of_atoms_answers_for_their_losses_and_masses(error: float, sign: int) -> None:
    losses, masses = np.array([-30.0, 0.625, 0.75]), np.array([0.25, 0.25, 0.5])
    delta = Given(Atoms(losses, masses, np.full(3, error))).delta(Fraction(1, 2))
    truth = sum(
        (
            (mass + sign * error) * -mp.expm1(mp.mpf(0.5) - loss)
            for mass, loss in zip(masses.tolist(), rounded(losses, sign), strict=True)
            if loss > 0.5
        ),
        mp.mpf(0),
    )
    assert delta.lower <= truth <= delta.upper
    end = delta.upper if sign > 0 else delta.lower
    middle = mp.mpf(0.25) * -mp.expm1(mp.mpf(-0.125)) + mp.mpf(0.5) * -mp.expm1(mp.mpf(-0.25))
    assert abs(truth - middle) >= (0.9 if error else 0.2) * abs(mp.mpf(end) - middle)


POINTS = np.array([0.5 + 0.0j, 2.0 + 3.0j, 1e-6 + 1e-3j, 7.0 - 11.0j])


@pytest.mark.parametrize("shift", [-1e-7, 1e-7])
def test_moments_of_atoms_answer_for_errors_of_masses(shift: float) -> None:
    losses, masses = np.array([-1.0, 0.5]), np.array([0.25, 0.75])
    moments = AtomMoments(((Balls(losses), Balls(masses, np.full(2, 1e-7))),))
    values, errors = moments.log_moments(POINTS)
    for point, value, error in zip(POINTS.tolist(), values[0].tolist(), errors[0].tolist(), strict=True):
        z = mp.mpc(point)
        total = sum(
            (
                (mp.mpf(mass) + change) * mp.exp(z * loss)
                for mass, loss, change in zip(masses.tolist(), losses.tolist(), (-shift, shift), strict=True)
            ),
            mp.mpc(0),
        )
        off = abs(mp.exp(mp.mpc(value)) / total - 1)
        assert off <= mp.expm1(mp.mpf(error))
        assert off >= 0.3 * error


def test_moments_of_atoms_answer_for_their_own_rounding() -> None:
    moments = AtomMoments(((Balls(LOSSES), Balls(MASSES / MASSES.sum())),))
    values, errors = moments.log_moments(POINTS[:3])
    for point, value, error in zip(POINTS[:3].tolist(), values[0].tolist(), errors[0].tolist(), strict=True):
        terms = zip((MASSES / MASSES.sum()).tolist(), LOSSES.tolist(), strict=True)
        excess = mp.fsum(mp.mpf(mass) * mp.expm1(mp.mpc(point) * loss) for mass, loss in terms)
        off = abs(mp.exp(mp.mpc(value)) / (1 + excess) - 1)
        assert 0 < off <= mp.expm1(mp.mpf(error))
        assert error < 1e-11


def test_cells_of_atoms_answer_for_masses_losses_and_sums() -> None:
    edges = np.array([-40.0, -1.0, 0.0, 30.0, 60.0])
    cells = atom_cells(edges, LOSSES, MASSES, np.full(60, 1e-12), Interval.of(0))
    index = np.searchsorted(edges, LOSSES)
    lefts = np.concatenate([[0.0], edges])[index]
    for k in range(1, 6):
        inside = [
            (mp.mpf(mass) + 1e-12, loss, left)
            for mass, loss, left, at in zip(MASSES.tolist(), LOSSES.tolist(), lefts.tolist(), index.tolist(), strict=True)
            if at == k
        ]
        if not inside:
            continue
        p = mp.fsum(mass for mass, _, _ in inside)
        q = mp.fsum(mass * mp.exp(left - mp.mpf(loss)) for mass, loss, left in inside)
        kept_and_felt([p], [float(cells.p[k])], [float(cells.p_error[k])], 0.9)
        kept_and_felt([q], [float(cells.q[k])], [float(cells.q_error[k])], 0.9)
        assert cells.gap is not None
        assert cells.gap_error is not None
        kept_and_felt([p - q], [float(cells.gap[k])], [float(cells.gap_error[k])], 0.9)


@pytest.mark.parametrize("seed", range(20))
def test_no_more_is_lifted_than_the_cell_above_pays_for(seed: int) -> None:
    thrown = dice(seed)
    size = int(thrown.integers(2, 40))
    p = thrown.random(size) ** thrown.integers(1, 30) * (thrown.random(size) < 0.9)
    rise, room = thrown.random(size - 1) * 0.1 + 1e-6, thrown.random(size - 1) * 0.1
    lifted = _lifted(p, rise, room, np.zeros(size - 1, dtype=bool))
    leaves = [*lifted.tolist(), 0.0]
    for k in range(size - 1):
        assert 0.0 <= leaves[k] <= p[k]
        assert Fraction(leaves[k]) * Fraction(rise[k]) <= Fraction(room[k]) * (Fraction(p[k + 1]) - Fraction(leaves[k + 1]))


@pytest.mark.parametrize(("step", "offset"), [("1/3", "0"), ("0.7", "1e6"), ("1e-3", "1/3")])
def test_edges_are_off_by_less_than_their_slack(step: str, offset: str) -> None:
    size, shift = Fraction(step), Fraction(offset)
    edges = _edges(size, -1000, 1000, shift)
    off = max(abs(Fraction(edge) - (shift + (k - 1000) * size)) for k, edge in enumerate(edges.tolist()))
    granted = Fraction(_slack(edges, shift))
    assert granted / 400 <= off <= granted / 2


STEP = Fraction(1, 3)


def bare_cells(size: int, q_error: float = 0.0, seed: int = 0) -> Cells:
    """Cells that are exact: every error of a measure made from them is the measure's own."""
    thrown = dice(seed)
    p = thrown.random(size + 1)
    q = p * (math.exp(-float(STEP)) + (1.0 - math.exp(-float(STEP))) * thrown.random(size + 1))
    zero = np.zeros(size + 1)
    p[0] = p[-1] = q[0] = q[-1] = 0.0
    return Cells(p, q, zero, np.full(size + 1, q_error), Interval.of(0))


@pytest.mark.parametrize("q_error", [0.0, 1e-6])
def test_a_dominating_measure_has_at_least_the_masses_it_should_have(q_error: float) -> None:
    cells = bare_cells(60, q_error)
    found = dominating_measure(None, STEP, 0, 59, Fraction(0), cells)  # type: ignore[arg-type]
    shrink = -mp.expm1(-mp.mpf(1) / 3)
    used = []
    for k in range(60):
        right = (mp.mpf(cells.p[k]) - (mp.mpf(cells.q[k]) - q_error)) / shrink if k > 0 else mp.mpf(0)
        left = (
            mp.mpf(cells.p[k + 1]) - (mp.mpf(cells.p[k + 1]) - (mp.mpf(cells.q[k + 1]) + q_error)) / shrink
            if k < 59
            else mp.mpf(0)
        )
        assert found.masses[k] >= right + left
        used.append(float(found.masses[k] - right - left))
    assert max(used) < (1e-9 if q_error else 1e-13)


def test_masses_of_a_mixture_lie_on_their_side() -> None:
    measures = [Measure(k, dice(k).random(20), 0.1 / (k + 1), 0.0) for k in range(3)]
    chances = [Fraction(1, 3), Fraction(1, 7), Fraction(11, 21)]
    for upper in (True, False):
        found = mixed(list(zip(chances, measures, strict=True)), upper)
        for place, mass in enumerate(found.masses.tolist()):
            truth = sum(
                (
                    chance * Fraction(measure.masses[place - measure.start])
                    for chance, measure in zip(chances, measures, strict=True)
                    if 0 <= place - measure.start < 20
                ),
                Fraction(0),
            )
            assert truth <= Fraction(mass) if upper else Fraction(mass) <= truth
        infinite = sum(
            (chance * Fraction(measure.infinite) for chance, measure in zip(chances, measures, strict=True)), Fraction(0)
        )
        assert infinite <= Fraction(found.infinite) if upper else Fraction(found.infinite) <= infinite


def test_a_lower_measure_has_no_more_mass_than_there_is() -> None:
    for seed in range(20):
        cells = bare_cells(40, seed=seed)
        found = dominated_measure(None, STEP, 0, 39, Fraction(0), cells)  # type: ignore[arg-type]
        assert sum(map(Fraction, found.masses.tolist())) <= sum(map(Fraction, cells.p[1:].tolist()))


@pytest.mark.parametrize("tilt", [0.0, 3.0, 40.0])
def test_tilted_masses_are_off_by_less_than_their_spread(tilt: float) -> None:
    measure = Measure(-50, dice().random(101) ** 8 + 1e-12, 0.0, 0.0, Fraction(1, 10))
    part = Tilted.of(measure, 3, 0.25, tilt)
    worst = mp.mpf(0)
    for place, mass in zip((part.offsets + part.centre).tolist(), part.masses.tolist(), strict=True):
        loss = mp.mpf(float(measure.offset)) + mp.mpf(place) / 4
        truth = mp.mpf(measure.masses[int(place) + 50]) * mp.exp(tilt * loss)
        found = mp.mpf(mass) * mp.exp(mp.mpf(part.log_total))
        lost = mp.mpf(part.stray) * mp.exp(mp.mpf(part.log_total))
        assert abs(found - truth) <= part.spread * truth + lost
        if mass > 1e-300:
            worst = max(worst, abs(found / truth - 1))
    assert part.spread / 2000 <= worst <= part.spread


def test_tilted_masses_that_underflow_in_part_are_answered_for() -> None:
    part = Tilted.of(Measure(-50, np.ones(101), 0.0, 0.0), 1, 0.25, 29.5)
    assert part.masses.size == 101
    assert 0.0 < part.masses[0] < 1e-318
    scale = mp.exp(mp.mpf(part.log_total))
    truth = mp.exp(29.5 * mp.mpf(-12.5))
    assert part.spread * truth < abs(mp.mpf(part.masses[0]) * scale - truth) <= part.spread * truth + part.stray * scale


def test_log_moments_of_sums_are_off_by_less_than_their_doubt() -> None:
    places = [np.arange(-30.0, 31.0), np.arange(5.0)]
    logs = np.log(dice().random(66)) - 100.0
    flat = Flat.of(places, [1000, 7])
    for exponent in (1e-3, 0.3, 9.0):
        value, doubt = flat.moment(logs, exponent)
        rows = zip((1000, 7), places, (logs[:61], logs[61:]), strict=True)
        truth = mp.fsum(
            count
            * mp.log(
                mp.fsum(
                    mp.exp(mp.mpf(log) + mp.mpf(exponent) * place)
                    for log, place in zip(row_logs.tolist(), row.tolist(), strict=True)
                )
            )
            for count, row, row_logs in rows
        )
        assert doubt / 10**5 <= abs(mp.mpf(value) - truth) <= doubt


def test_the_window_of_a_sum_leaves_no_more_outside_than_it_says() -> None:
    part = Tilted(np.arange(-1.0, 2.0), np.array([0.25, 0.5, 0.25]), 0, 400, 0.0, 0.0, 0.0)
    place, beyond = _reach([part], 1.0)
    # The sum of 400 such parts is 400 less than the number of heads among 800.
    outside = sum(Fraction(math.comb(800, 400 + k), 2**800) for k in range(place + 1, 401))
    assert 0 < place < 400
    assert Fraction(beyond) / 1000 <= outside <= Fraction(beyond)


def test_infinite_masses_of_sums_are_enclosed() -> None:
    measures = [(Measure(0, np.ones(1), float(mass), 0.0), count) for mass, count in ((0.1, 3), (1e-9, 1000), (0.3, 1))]
    lower, upper = infinite_mass(measures)
    escape = math.prod((1 - Fraction(measure.infinite)) ** count for measure, count in measures)
    assert Fraction(lower) < 1 - escape < Fraction(upper)
    assert upper - lower < 1e-13


@pytest.mark.parametrize("distance", [10.0, 14.9, 40.0])
def test_chords_bound_a_concave_function_up_to_where_it_ends(distance: float) -> None:
    """The peak lies far to the right of where it is looked for: the chords must reach it all the same."""
    top, best = 1.0, 1.0 - distance
    peak = math.exp(top - 0.05)

    def gain(log_y: float) -> Interval:
        y = math.exp(log_y)
        value = y / peak if y <= peak else max(1.0 - (y - peak) / (math.exp(top) - peak), -1.0)
        return Interval(value, value)

    assert _ceiling(gain, best, 1e-2, top) >= 1.0 - 1e-12


LAW = GridLaw(-1.0, 0.75, 0.0, 0.25, 0.0, np.array([0.1, 0.2, 0.3, 0.2, 0.1]), 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
OFF = 1e-3
AT = 0.125


def law_delta(law: GridLaw, add: float = 0.0, times: float = 1.0, move: float = 0.0, last: float = 0.0) -> mp.mpf:
    """The delta of a law whose masses, scale, losses and last mass are off by so much."""
    total = mp.mpf(0)
    for k, mass in enumerate(law.masses.tolist()):
        loss = mp.mpf(law.base) + k * mp.mpf(law.step)
        tilted = (mp.mpf(mass) + add + (last if k == law.masses.size - 1 else 0)) * times
        if loss + move > AT:
            total += tilted * mp.exp(law.log_scale - law.tilt * loss) * -mp.expm1(AT - loss - move)
    return total


@pytest.mark.parametrize("tilt", [0.0, 0.5])
@pytest.mark.parametrize(
    ("what", "change"),
    [
        ("error", {"add": OFF}),
        ("spread", {"times": 1.0 + OFF}),
        ("log_doubt", {"times": math.exp(OFF)}),
        ("slack", {"move": OFF}),
        ("stray", {"last": OFF}),
        ("wrapped", {"last": OFF}),
    ],
)
def test_delta_on_a_grid_answers_for_each_error_of_the_law(tilt: float, what: str, change: dict[str, float]) -> None:
    law = evolve(LAW, tilt=tilt, **{what: OFF})
    exact = law_delta(law)
    if what != "wrapped":
        up = law_delta(law, **change) - exact
        assert up <= law.delta_above(AT) - exact <= 6 * up
    if what != "stray":
        down = exact - law_delta(law, **{key: 2.0 - size if key == "times" else -size for key, size in change.items()})
        assert down * (1 - OFF) <= exact - law.delta_below(AT) <= 6 * down


def test_delta_on_a_grid_answers_for_what_lies_beyond_it() -> None:
    for tilt in (0.0, 0.5):
        law = evolve(LAW, tilt=tilt, beyond=OFF)
        end = mp.mpf(law.base) + 5 * mp.mpf(law.step)
        gain = OFF * mp.exp(law.log_scale - tilt * end) * (1 if tilt == 0.0 else -mp.expm1(AT - end))
        assert gain <= law.delta_above(AT) - law_delta(law) <= 2 * gain
        sure = evolve(LAW, tilt=tilt, infinite_lower=OFF, infinite_upper=2 * OFF)
        assert 2 * OFF <= sure.delta_above(AT) - law_delta(sure) <= 2.01 * OFF
        assert 0.99 * OFF <= sure.delta_below(AT) - law_delta(sure) <= OFF


def test_delta_on_a_grid_answers_for_its_own_rounding() -> None:
    law = evolve(LAW, masses=dice().random(5) / 8.0)
    for tilt in (0.0, 0.5):
        tilted = evolve(law, tilt=tilt)
        assert tilted.delta_below(AT) < law_delta(tilted) < tilted.delta_above(AT)


def test_atoms_of_a_law_answer_for_its_errors() -> None:
    scale = mp.exp(mp.mpf(0.25))
    above = evolve(LAW, error=OFF, spread=OFF, log_doubt=OFF, beyond=OFF, stray=2 * OFF, infinite_upper=OFF)
    _, masses, infinite = above.atoms(upper=True)
    most = (1 + OFF) * mp.exp(OFF) * scale
    for mass, known in zip(masses.tolist(), LAW.masses.tolist(), strict=True):
        assert 0.999999 * mass <= (known + OFF) * most <= mass
    assert 0.999999 * infinite <= OFF + 3 * OFF * most <= infinite
    below = evolve(LAW, error=OFF, spread=OFF, log_doubt=OFF, wrapped=0.15)
    _, masses, _ = below.atoms(upper=False)
    least = (1 - OFF) * mp.exp(-OFF) * scale
    for first in range(5):
        tail = mp.fsum((known - OFF) * least for known in LAW.masses.tolist()[first:]) - mp.mpf(0.15) * mp.exp(-OFF) * scale
        assert sum(masses.tolist()[first:]) <= max(0, tail) <= sum(masses.tolist()[first:]) + 1e-8


def test_a_dominating_measure_answers_for_what_lies_outside_its_edges() -> None:
    zero = np.zeros(4)
    error = np.full(4, 1e-6)
    cells = Cells(
        np.array([0.25, 0.0, 0.0, 0.25]), np.array([0.0, 0.0, 0.0, 0.125]), error, error, Interval(0.25, 0.25), zero, zero
    )
    found = dominating_measure(None, STEP, 0, 2, Fraction(0), cells)  # type: ignore[arg-type]
    assert found.masses[0] >= Fraction(0.25) + Fraction(1e-6)
    assert Fraction(found.masses[2]) + Fraction(found.infinite) >= Fraction(0.5) + Fraction(1e-6)
    assert found.infinite >= Fraction(0.25) + Fraction(0.125) + 2 * Fraction(1e-6)
    below = dominated_measure(None, STEP, 0, 2, Fraction(0), cells)  # type: ignore[arg-type]
    assert Fraction(below.masses.sum()) <= Fraction(0.25) - Fraction(1e-6)


@frozen(eq=False)
class Coarse(AtomicLoss):
    """Values close to 0 of which only absolute errors are bounded."""

    def find_atoms(self) -> Atoms:
        return Atoms(np.array([-1e-9, 1e-9]), np.array([0.5, 0.5]), np.zeros(2))


@pytest.mark.parametrize("sign", [-1, 1])
def test_moments_of_atoms_answer_for_small_values_that_are_only_absolutely_known(sign: int) -> None:
    loss = Coarse()
    atoms = loss.atoms
    points = np.array([0.5 + 1e3j, 2.0 + 3.0j])
    values, errors = AtomMoments.of([loss]).log_moments(points)
    for point, value, error in zip(points.tolist(), values[0].tolist(), errors[0].tolist(), strict=True):
        terms = zip(atoms.masses.tolist(), rounded(atoms.losses, sign, atoms.grain), strict=True)
        truth = mp.fsum(mp.mpf(mass) * mp.exp(mp.mpc(point) * value) for mass, value in terms)
        off = abs(mp.exp(mp.mpc(value)) / truth - 1)
        assert off <= mp.expm1(mp.mpf(error))
        assert off >= 0.5 * error
