"""Losses made of a loss whose masses are off by a part in a thousand, or that lies elsewhere: they hold what it may be.

What is made of the loss as it is stated must lie outside of what is made of the loss as it is: upper ends above, lower ends
below. Nothing else is needed to see that an error was forgotten on the way.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import mpmath as mp
import numpy as np
import pytest
from attrs import evolve, frozen

from accountant.loss import Cells, Complexes, Floats, GaussianLoss, PrivacyLoss, SampledLoss
from accountant.loss.derived.discretised import FlatLoss, _merged
from accountant.loss.derived.either_order import Same, _curves, _Kernel
from accountant.loss.derived.mixture_moments import Share, _deviation, _fall, _log_moments, _tilted
from accountant.loss.derived.replaced_cells import _Beside, _Parts, _Told
from accountant.loss.derived.sampled_cells import _all_below, _all_beyond
from accountant.loss.derived.sampled_gaussian import SampledGaussian
from accountant.loss.derived.sampled_halves import Half
from accountant.loss.engine.composition import ComposedLoss
from accountant.loss.families.finite import FiniteLoss
from accountant.loss.families.two_sided import BracketLoss
from accountant.numbers.interval import Interval
from accountant.numbers.rounding import Ball
from tests.loss.engine.test_pieces_off_by_much import Leaking, Stated, law

SHARE = 2.0**-10
NOISE, NEVER = GaussianLoss("1/4"), Interval.of(0)
SIGNS = list(product((-1.0, 0.0, 1.0), repeat=2))


@frozen
class Off(PrivacyLoss):
    """Gaussian noise whose masses of P and gaps are stated off by a share, and whose losses a little elsewhere."""

    of_p: float = 0.0
    of_gap: float = 0.0
    shift: float = 0.0
    told: Interval = NEVER

    def cells(self, edges: Floats) -> Cells:
        cells = NOISE.cells(edges - self.shift)
        assert cells.gap is not None
        assert cells.gap_error is not None
        # Masses of Q are measured at the left edge, which lies elsewhere for whoever believes what is stated.
        q, q_error = cells.q * np.exp(self.shift), cells.q_error * np.exp(self.shift) + 4e-16 * cells.q
        p, gap = cells.p * (1.0 + SHARE * self.of_p), cells.gap * (1.0 + SHARE * self.of_gap)
        if self.shift:
            gap = p - q
            gap[0] = p[0]
        allowed = 1.002 * SHARE
        p_error = cells.p_error + allowed * abs(self.of_p) * cells.p
        gap_error = cells.gap_error + allowed * abs(self.of_gap) * np.abs(cells.gap) + 4e-16 * (p + q)
        q_error = q_error + allowed * abs(self.of_gap) * np.abs(cells.gap) + p_error
        return Cells(p, p - gap, p_error, q_error, self.told, gap, gap_error, 1.001 * abs(self.shift))

    def window(self, log_tail: float) -> tuple[float, float]:
        return NOISE.window(log_tail)

    def reverse(self) -> PrivacyLoss:
        return self

    def supremum_formula(self) -> Interval:
        return Interval.infinite()

    def infinite_formula(self) -> Interval:
        return self.told


EXACT = Off()
OFF = [Off(of_p, of_gap) for of_p, of_gap in SIGNS if of_p or of_gap]
OFF += [Off(shift=SHARE), Off(shift=-SHARE)]
EPSILONS = (0.1, 0.5, 1.1)


def parts(loss: PrivacyLoss) -> _Parts:
    """The losses of a cell, cut into few parts."""
    edges = np.linspace(-2.5, 2.5, 12)
    return _Parts(edges, loss.cells(edges), bounded=False)


@pytest.mark.parametrize("loss", OFF, ids=str)
def test_what_dominates_a_replaced_record_stays_above_and_what_is_told_below(loss: Off) -> None:
    rate = Fraction(1, 5)
    exact, found = parts(EXACT), parts(loss)
    for epsilon in (0.05, 0.2):
        assert _Beside(found, rate).delta(epsilon).upper >= _Beside(exact, rate).delta(epsilon).upper * (1 - 1e-9)
    if not loss.shift:
        (p, q), (least, most) = _Told(exact, rate).masses(), _Told(found, rate).masses()
        assert (least <= p * (1 + 1e-9)).all()
        assert (most >= q * (1 - 1e-9)).all()


def test_losses_beside_a_replaced_record_are_raised_by_all_that_they_may_be_off_by() -> None:
    rate = Fraction(1, 5)
    exact = parts(EXACT)
    moved = evolve(exact, cells=evolve(exact.cells, slack=SHARE))
    shifts = _Beside(moved, rate).atoms.losses - _Beside(exact, rate).atoms.losses
    # Two differences of two losses each.
    assert (shifts >= 4 * SHARE * (1 - 1e-9)).all()
    assert moved.displaced >= SHARE + exact.displaced * (1 - 1e-9)
    ends = evolve(exact, cells=evolve(exact.cells, p_error=exact.cells.p_error + SHARE))
    assert ends.left_out >= exact.left_out + 2 * SHARE * (1 - 1e-9)
    lost = _Beside(ends, rate).atoms.infinite
    assert lost.upper >= 3 * ends.left_out


def test_sums_of_products_are_rounded_to_their_side() -> None:
    """Masses where it is told in which part each loss lies, in fractions."""
    few = parts(EXACT)
    present, absent = few.merged()
    rate = Fraction(1, 2)  # which doubles hold, so that nothing else is rounded
    low, high = (
        [list(map(Fraction, row.tolist())) for row in rows]
        for rows in ((present.lower, absent.lower), (present.upper, absent.upper))
    )
    size = len(low[0])
    first, second = (row.reshape(2 * size - 1, -1) for row in _Told(few, rate).masses())

    def whole(p: list[Fraction], q: list[Fraction], i: int, j: int, taken: bool) -> Fraction:
        places = ((k, k + i - size + 1, k + j - size + 1) for k in range(size))
        kept = [(k, a, b) for k, a, b in places if 0 <= a < size and 0 <= b < size]
        return sum(
            ((1 - rate) * q[a] * q[b] * p[k] + rate * q[k] * (p[a] * q[b] if taken else q[a] * p[b]) for k, a, b in kept),
            Fraction(0),
        )

    for i, j in product(range(2 * size - 1), repeat=2):
        assert Fraction(float(first[i, j])) <= whole(*low, i, j, True)
        assert Fraction(float(second[i, j])) >= whole(*high, i, j, False)


@pytest.mark.parametrize("loss", [*OFF, Off(told=Interval(0.0, 0.125))], ids=str)
def test_a_kernel_dominates_whatever_the_loss_may_be(loss: Off) -> None:
    step = 0.1
    exact, found = _Kernel.of(EXACT, step), _Kernel.of(loss, step)
    assert found.start == exact.start

    def delta(kernel: _Kernel, epsilon: float) -> float:
        places = step * (kernel.start + np.arange(kernel.masses.size)) + kernel.slack
        return float(kernel.masses @ np.maximum(-np.expm1(epsilon - places), 0.0)) + kernel.beyond

    for epsilon in (-0.5, *EPSILONS):
        assert delta(found, epsilon) >= (delta(exact, epsilon) + loss.told.upper) * (1 - 1e-9)


def test_curves_of_chosen_orders_are_displaced_by_what_each_kernel_is() -> None:
    step, count = 0.1, 3
    exact = _Kernel.of(EXACT, step)
    found = evolve(exact, slack=exact.slack + 0.05)
    here, there = (_curves([kernel], step, 30, {count})[count] for kernel in (exact, found))
    for epsilon in (0.4, 0.9, 1.5):
        assert there.delta(epsilon).upper >= here.delta(epsilon - 0.04 * count).lower
        assert there.delta(epsilon).upper <= here.delta(epsilon - 0.07 * count).upper


@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_the_shape_of_a_sample_answers_for_its_moment(sign: float, monkeypatch: pytest.MonkeyPatch) -> None:
    gaussian = SampledLoss(GaussianLoss("1"), Fraction(1, 5)).gaussian(-60.0)
    exact = evolve(gaussian).shape(1.5)
    plain = SampledGaussian.log_moments

    def off(self: SampledGaussian, points: Complexes) -> tuple[Complexes, Floats]:
        values, errors = plain(self, points)
        return values + sign * SHARE, errors + 1.001 * SHARE

    monkeypatch.setattr(SampledGaussian, "log_moments", off)
    found = evolve(gaussian).shape(1.5)
    assert found.deviation >= exact.deviation * (1 - 1e-9)
    assert found.variation >= exact.variation * (1 - 1e-9)
    assert found.fall(3.0) >= exact.fall(3.0) - 1e-9


def test_what_is_merged_of_a_sum_goes_the_other_way_when_laws_are_exchanged() -> None:
    whole = ComposedLoss.of([(SampledLoss(GaussianLoss("1"), Fraction(1, 5)), 2)])
    for epsilon in (0.1, 0.4):
        forth, back = FlatLoss(whole).delta(epsilon), FlatLoss(whole).reverse().delta(epsilon)
        assert forth.lower <= whole.delta(epsilon).upper
        assert back.lower <= whole.reverse().delta(epsilon).upper
        assert back.lower >= 0.8 * whole.reverse().delta(epsilon).lower
        assert forth.lower >= 0.8 * whole.delta(epsilon).lower
    assert abs(whole.delta(0.4).lower / whole.reverse().delta(0.4).lower - 1.0) > 0.5


@pytest.mark.parametrize("loss", OFF, ids=str)
def test_merged_outcomes_stay_below(loss: Off) -> None:
    step = Fraction(1, 20)
    p, q, _ = _merged(EXACT, step)
    least, most, _ = _merged(loss, step)
    if loss.shift:
        # Cells hold other outcomes: what is compared is what they tell.
        for epsilon in EPSILONS:
            growth = np.exp(epsilon)
            exact = NOISE.delta(epsilon).upper
            assert float(np.maximum(least - growth * most, 0.0).sum()) <= exact
    else:
        assert (least <= p * (1 + 1e-9)).all()
        assert (most >= q * (1 - 1e-9)).all()


@frozen
class Beyond(PrivacyLoss):
    """Two values, a little below and a little above a cell that both are counted in."""

    def cells(self, edges: Floats) -> Cells:
        assert edges.tolist() == CUTS
        p, zero = np.array([0.5, 0.0, 0.5, 0.0]), np.zeros(4)
        q = np.array([0.0, 0.0, 0.25 * (np.exp(SHARE) + np.exp(-0.5 - SHARE)), 0.0])
        return Cells(p, q, zero, q * 1e-15, NEVER, slack=SHARE * (1 + 1e-12))

    def window(self, log_tail: float) -> tuple[float, float]:
        return 0.0, 1.0

    def reverse(self) -> PrivacyLoss:
        return self

    def supremum_formula(self) -> Interval:
        return Interval.infinite()

    def infinite_formula(self) -> Interval:
        return NEVER


CUTS = [0.0, 0.5, 1.0]


@pytest.mark.parametrize("at", [0.0, 0.25, 0.5, 0.75, 1.0, 1.0 + SHARE / 2])
def test_a_half_holds_losses_that_lie_beyond_their_cells(at: float) -> None:
    half = Half.of(Beyond(), np.array(CUTS))

    def gain(losses: Floats) -> Floats:
        found: Floats = np.maximum(-np.expm1(at - losses), 0.0)
        return found

    truth = 0.25 * float(gain(np.array([0.5 - SHARE, 1.0 + SHARE])).sum())
    assert float(half.at_left @ gain(half.points[:-1]) + half.at_right @ gain(half.points[1:])) >= truth * (1 - 1e-12)
    assert float(half.least @ gain(half.means)) <= truth * (1 + 1e-12)
    assert half.at_zero >= SHARE


@frozen
class Fallen(Beyond):
    """One value that is counted as the left edge of a cell, and may lie a quarter below it."""

    def cells(self, edges: Floats) -> Cells:
        assert edges.tolist() == CUTS
        zero = np.zeros(4)
        mass = np.array([0.0, 0.0, 1.0, 0.0])
        return Cells(mass, mass, zero, zero, NEVER, slack=0.25)


def test_a_half_holds_losses_that_all_lie_below_their_cell() -> None:
    half = Half.of(Fallen(), np.array(CUTS))
    assert half.least[1] >= 1.0 - 1e-9
    assert half.means[1] <= 0.25


def test_what_lies_beyond_the_farthest_loss_may_be_anywhere() -> None:
    edges = np.array([-0.5, 0.5])
    few = Fraction(1, 10**270)
    rate, rest = Ball.of(1 - few), Ball.of(few)
    above, below = _all_beyond(edges, rate, rest, NEVER), _all_below(edges, rate, rest)
    assert above.p[-1] == below.p[0] == 1.0
    assert (above.p_error >= float(few)).all()
    assert (above.q_error[1:] >= float(few)).all()
    assert above.gap_error is not None
    assert (above.gap_error >= float(few)).all()
    assert (below.p_error >= 1.0).all()
    # Far down, where what an exponential rounds is next to nothing.
    less = Fraction(1, 10**120)
    low = _all_beyond(np.array([-310.0, -300.0]), Ball.of(1 - less), Ball.of(less), NEVER)
    assert (low.q_error[1:] >= float(less)).all()
    sure = _all_beyond(edges, Ball(0.5), Ball(0.5), Interval(0.25, 0.5))
    assert sure.p[-1] - sure.p_error[-1] <= 0.5 < 0.75 <= sure.p[-1] + sure.p_error[-1]
    assert sure.p_error[:-1].tolist() == [0.0, 0.0]


@pytest.mark.parametrize("rate", [Fraction(1, 5), Fraction(2, 3)])
def test_a_sample_is_told_everything_as_often_as_its_base_may_be(rate: Fraction) -> None:
    found = SampledLoss.of(Leaking(Interval(0.125, 0.25)), rate).infinite()
    assert Fraction(found.lower) <= rate / 8 < rate / 4 <= Fraction(found.upper)
    assert found.width <= float(rate) / 8 + 1e-12


def test_a_sample_of_what_is_known_from_two_sides_lies_between_samples_of_these() -> None:
    low, high = GaussianLoss("1/4"), GaussianLoss("1")
    loss = SampledLoss(BracketLoss(high, low), Fraction(1, 5))
    exact = [SampledLoss(side, Fraction(1, 5)) for side in (low, high)]
    for epsilon in (0.1, 0.4):
        found, (least, most) = loss.delta(epsilon), (side.delta(epsilon) for side in exact)
        assert found.lower <= least.upper < most.lower <= found.upper
    assert loss.dominating().delta(0.4).upper >= exact[1].delta(0.4).lower
    assert loss.dominated().delta(0.4).lower <= exact[0].delta(0.4).upper


def test_several_releases_of_one_pair_lose_as_often_as_there_are() -> None:
    pairs = (
        FiniteLoss([(Fraction(1, 2), Fraction(1, 10)), (Fraction(1, 2), Fraction(9, 10))]),
        FiniteLoss([(Fraction(2, 5), Fraction(1, 5)), (Fraction(3, 5), Fraction(4, 5))]),
    )
    same = Same(pairs, 3)
    for order in (0.5, 3.0):
        truth = 3 * mp.log(mp.mpf("0.5") * mp.mpf(5) ** order + mp.mpf("0.5") * (mp.mpf(5) / 9) ** order)
        found = same.log_moment_formula(order)
        assert mp.mpf(found.lower) - 1e-12 <= truth <= mp.mpf(found.upper) + 1e-12
        assert found.width < 1e-9
    assert abs(same.supremum_formula().lower - 3 * mp.log(5)) < 1e-12
    assert same.concentration_formula().lower >= 3 * pairs[0].concentration().lower * (1 - 1e-12)
    assert same.reverse().supremum_formula().lower >= 3 * mp.log(mp.mpf(9) / 5) - 1e-12
    told = FiniteLoss([(Fraction(1, 2), Fraction(0)), (Fraction(1, 2), Fraction(1))])
    assert Same((pairs[0], told), 3).infinite_formula().lower >= 0.875 - 1e-12


# Mixtures -------------------------------------------------------------------------------------------------------------

TILT, ERROR = 0.75, 2.0**-6


def shares(errors: tuple[float, float], moved: tuple[float, float] = (0.0, 0.0)) -> list[Share]:
    """Two parts with log moments z^2 and z^2/2, stated with errors or moved."""
    return [
        Share(Ball(weight), law((Stated(error, shift), count)))
        for weight, error, shift, count in zip((0.25, 0.75), errors, moved, (1.0, 0.5), strict=True)
    ]


CORNERS = [(a, b) for a, b in SIGNS if a or b]


@pytest.mark.parametrize(("first", "second"), CORNERS)
def test_mixtures_hold_parts_whose_moments_are_off(first: float, second: float) -> None:
    errors = (abs(first) * ERROR, abs(second) * ERROR)
    stated, true = shares(errors), shares((0.0, 0.0), (first * ERROR, second * ERROR))
    assert (_tilted(stated, TILT) >= _tilted(true, TILT) * (1 - 1e-12)).all()
    assert _deviation(stated, TILT) >= _deviation(true, TILT) * (1 - 1e-12)
    assert _fall(stated, TILT, 2.0) >= _fall(true, TILT, 2.0) - 1e-12
    points = np.array([TILT + 0.0j, TILT + 1.0j, 2.0 + 0.5j])
    values, radii = _log_moments(stated, points)
    exact, _ = _log_moments(true, points)
    assert (np.abs(np.expm1(values - exact)) <= np.expm1(radii) * (1 + 1e-9) + 1e-12).all()


def test_a_mixture_holds_parts_whose_phase_is_lost() -> None:
    points = np.array([TILT + 0.0j, TILT + 1.0j])
    values, radii = _log_moments(shares((4.0, 0.0)), points)
    assert np.isinf(radii).all()
    exact, _ = _log_moments(shares((0.0, 0.0), (4.0, 0.0)), points)
    assert (values.real >= exact.real - 1e-12).all()


@frozen(eq=False)
class Bent(Stated):
    """Log moments z^2 with an error, or what they may be: at three orders each off to its own side."""

    off: tuple[float, ...] = ()

    def log_moments(self, points: Complexes) -> tuple[Complexes, Floats]:
        off = np.array(self.off if points.size == len(self.off) else 0.0)
        return (np.square(points) + ERROR * off)[None, :], np.full((1, points.size), self.error)


@pytest.mark.parametrize("off", list(product((-1.0, 1.0), repeat=3)))
def test_chords_of_a_mixture_are_off_by_what_either_end_is_off_by(off: tuple[float, ...]) -> None:
    """What the parts have in common is not felt: the ends of a chord are off to either side."""

    def parts(error: float, *sides: tuple[float, ...]) -> list[Share]:
        return [Share(Ball(w), law((Bent(error, off=side), 1.0))) for w, side in zip((0.25, 0.75), sides, strict=True)]

    back = tuple(-end for end in off)
    assert _deviation(parts(ERROR, (), ()), TILT) >= _deviation(parts(0.0, off, back), TILT) * (1 - 1e-12)
