"""Pieces of samples, mixtures and sums against exact laws, where what they are made of is known only up to large errors."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest
from attrs import evolve, frozen

from accountant.loss import NO_LOSS, FiniteLoss, GaussianLoss, ResponseLoss, SampledLoss
from accountant.loss.derived.both_orders import both_orders
from accountant.loss.derived.discretised import _LOG_TAIL, _step, _Sum, flat_above
from accountant.loss.derived.either_order import ChosenOrders, Same
from accountant.loss.derived.mixture import _log_mean, _weighted
from accountant.loss.derived.mixture_moments import shares_of
from accountant.loss.derived.replaced import _common
from accountant.loss.derived.sampled import _log_end
from accountant.loss.derived.sampled_cells import _all_beyond, _far_apart
from accountant.loss.derived.sampled_moments import _second_order, absent_moment, present_moment, rough_moment
from accountant.loss.engine.composition import ComposedLoss
from accountant.loss.engine.grid_law import GridLaw
from accountant.numbers.interval import Interval
from accountant.numbers.rounding import Ball, down
from accountant_noise.laplace_loss import LaplaceLoss
from tests.loss.test_errors_that_are_large import CORNERS, Blurred, back, drawn, inside, log_moment_of, sampled

RATES = [Fraction(1, 10), Fraction(1, 2), Fraction(9, 10)]


@pytest.mark.parametrize("corner", CORNERS)
@pytest.mark.parametrize("rate", RATES, ids=str)
def test_moments_of_samples_contain_those_of_every_law_that_the_base_may_stand_for(rate: Fraction, corner: str) -> None:
    for seed in range(6):
        law, atoms = drawn(seed, corner)
        for exchanged in (False, True):
            base = Blurred(atoms).reverse() if exchanged else Blurred(atoms)
            pairs = sampled(back(law) if exchanged else law, rate)
            loss = SampledLoss(base, rate)
            for order in (0.3, 1.0, 1.6, 7.2, 40.0):
                truth = log_moment_of(pairs, mp.mpf(order))
                for found in (
                    present_moment(base, loss._held_chances, order, loss._lift, {}),
                    rough_moment(base, loss._held_chances, order, loss._lift),
                ):
                    inside(found, truth, f"order {order}")
                absent = absent_moment(base, loss._held_chances, order, loss._lift)
                inside(absent, log_moment_of(back(pairs), mp.mpf(order)), f"order {order}, without the record")


def test_moments_of_samples_of_unlike_pairs_are_those_of_the_right_side() -> None:
    """A pair whose one order has far larger moments than the other."""
    rare, rate = Fraction(1, 1000), Fraction(1, 3)
    pair = [(rare, Fraction(1, 2)), (1 - rare, Fraction(1, 2))]
    for law in (pair, [(q, p) for p, q in pair]):
        base = FiniteLoss(law)
        exact = [(mp.mpf(p.numerator) / p.denominator, mp.mpf(q.numerator) / q.denominator) for p, q in law]
        loss, pairs = SampledLoss(base, rate), sampled(exact, rate)
        for order in (0.01, 0.5, 3.0, 30.0):
            found = absent_moment(base, loss._held_chances, order, loss._lift)
            inside(found, log_moment_of(back(pairs), mp.mpf(order)), f"order {order}")
            inside(
                present_moment(base, loss._held_chances, order, loss._lift, {}),
                log_moment_of(pairs, mp.mpf(order)),
                "present",
            )


def test_chances_of_mixtures_are_enclosed_and_hardly_more() -> None:
    parts = [(Fraction(1, 3), Interval(0.1, 0.3)), (Fraction(2, 3), Interval(0.2, 0.7))]
    found = _weighted(parts)
    low = sum((chance * Fraction(value.lower) for chance, value in parts), Fraction(0))
    high = sum((chance * Fraction(value.upper) for chance, value in parts), Fraction(0))
    assert Fraction(math.nextafter(found.lower, 1.0)) >= low >= Fraction(found.lower)
    assert Fraction(math.nextafter(found.upper, 0.0)) <= high <= Fraction(found.upper)


def test_log_moments_of_mixtures_are_those_of_the_mean() -> None:
    moments = [(Fraction(1, 3), 2.0), (Fraction(2, 3), 0.5)]
    truth = mp.log(mp.exp(2) / 3 + 2 * mp.exp(mp.mpf(0.5)) / 3)
    found = _log_mean(moments)
    assert mp.mpf(found.lower) <= truth <= mp.mpf(found.upper)
    assert found.radius < 1e-14


def test_whoever_chooses_the_order_loses_as_much_as_in_the_worse_one() -> None:
    for pair in (
        FiniteLoss([(Fraction(1, 2), Fraction(1, 10)), (Fraction(1, 2), Fraction(9, 10))]),
        FiniteLoss([(Fraction(1, 10), Fraction(1, 2)), (Fraction(9, 10), Fraction(1, 2))]),
    ):
        chosen = ChosenOrders(pair, 3)
        assert mp.mpf(chosen.supremum_formula().upper) >= 3 * mp.log(5)
        assert chosen.supremum_formula().width < 1e-12
        for order in (0.5, 4.0):
            truth = max(
                mp.log(mp.fsum(mp.mpf(p) * mp.exp(order * mp.log(mp.mpf(p) / mp.mpf(q))) for p, q in pairs))
                for pairs in ([(0.5, 0.1), (0.5, 0.9)], [(0.1, 0.5), (0.9, 0.5)])
            )
            found = chosen.log_moment_formula(order)
            assert mp.mpf(found.lower) - 1e-12 <= 3 * truth <= mp.mpf(found.upper) + 1e-12
            assert found.width < 1e-9
        assert chosen.concentration_formula().lower >= 3 * (1 - 1e-9) * pair.concentration().lower
        assert chosen.concentration_formula().lower >= 3 * (1 - 1e-9) * pair.reverse().concentration().lower


@pytest.mark.parametrize("curved", [False, True])
def test_what_dominates_chosen_orders_dominates_as_many_releases(curved: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    pair, count = SampledLoss(GaussianLoss("1"), Fraction(1, 3)), 3
    if not curved:
        monkeypatch.setattr("accountant.loss.derived.either_order.chosen_curve", lambda *_: None)
    above = ChosenOrders(pair, count).dominating()
    for side in (pair, pair.reverse()):
        whole = ComposedLoss.of([(side, count)])
        for epsilon in (0.1, 0.7, 1.5):
            assert above.delta(epsilon).upper >= whole.delta(epsilon).lower


def test_logarithms_of_fractions_are_rounded_to_their_side() -> None:
    for number in range(2, 200):
        value = Fraction(number, 2 * number + 7)
        with mp.workdps(40):
            truth = mp.log(mp.mpf(value.numerator) / value.denominator)
        assert mp.mpf(_log_end(value, -1.0)) <= truth <= mp.mpf(_log_end(value, 1.0))
    assert _log_end(Fraction(0), 1.0) == -math.inf


@pytest.mark.parametrize(("rate", "order", "square"), [(0.1, 0.5, 0.3), (0.01, 7.0, 2.0), (0.6, 2.5, 1e-9)])
def test_bounds_of_second_order_are_the_formula(rate: float, order: float, square: float) -> None:
    found = _second_order(Ball(rate), order, square, Ball(0.25))
    twice = mp.mpf(order) * (order + 1) * mp.mpf(rate) ** 2
    truth = mp.log1p(twice / 2 * mp.expm1(mp.mpf(square)) * mp.exp(mp.mpf(0.25)))
    assert truth <= mp.mpf(found) <= truth * (1 + mp.mpf(10) ** -13)


def test_losses_of_several_pairs_are_exchanged_one_by_one() -> None:
    pair = FiniteLoss([(Fraction(1, 2), Fraction(1, 10)), (Fraction(1, 2), Fraction(9, 10))])
    same = Same((pair, pair), 3)
    assert same.reverse() == Same((pair.reverse(), pair.reverse()), 3)
    assert same.reverse() != same


def test_a_law_above_all_edges_may_have_what_the_base_has_far_below() -> None:
    """Where the record is nearly always taken, losses of the base that are never seen become losses that are."""
    rate, rest = Ball(1.0), Ball(1e-300)
    assert _far_apart(rate, rest)
    found = _all_beyond(np.array([-0.5, 0.25]), rate, rest, Interval.of(0))
    assert np.all(found.p_error >= rest.lower)
    assert np.all(found.q_error[1:] >= rest.lower)


OFF = 1e-3
LAW = GridLaw(-1.0, 0.75, 0.0, 0.25, 0.0, np.array([0.1, 0.2, 0.3, 0.2, 0.1]), 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@frozen
class OneLaw:
    """A sum of many copies of which a grid has found this law."""

    found: GridLaw
    parts = ((NO_LOSS, 10**9),)
    copies = 10**9

    @property
    def _grid(self) -> OneLaw:
        return self

    def first_step(self) -> Fraction:
        return Fraction(1)

    def law(self, *_: object) -> GridLaw:
        return self.found


@pytest.mark.parametrize("what", ["error", "spread", "log_doubt", "infinite_upper", "beyond", "stray", "slack"])
def test_a_sum_of_many_answers_for_each_error_of_its_law(what: str) -> None:
    found = _Sum.of(OneLaw(evolve(LAW, **{what: OFF})))  # type: ignore[arg-type]
    add, times = OFF * (what == "error"), (1 + OFF) if what == "spread" else mp.exp(OFF) if what == "log_doubt" else 1
    for mass, known in zip(found.masses.tolist(), LAW.masses.tolist(), strict=True):
        truth = (mp.mpf(known) + add) * times * mp.exp(mp.mpf(0.25))
        assert truth <= mp.mpf(mass) <= truth * (1 + mp.mpf(10) ** -6)
    lost = OFF * (what in ("infinite_upper", "beyond", "stray"))
    assert lost <= found.infinite <= lost * (1 + 1e-12)
    assert found.slack == OFF * (what == "slack")
    for point in (-0.5, 0.125, 1.3):
        moved = mp.mpf(point) - found.slack
        gains = (
            mp.mpf(mass) * -mp.expm1(min(moved - mp.mpf(loss), mp.mpf(0)))
            for loss, mass in zip(found.losses.tolist(), found.masses.tolist(), strict=True)
        )
        truth = min(mp.fsum(gains) + found.infinite, mp.mpf(1))
        assert truth <= mp.mpf(float(found.delta_above(np.array([point]))[0])) <= truth * (1 + mp.mpf(10) ** -12)


def read_in_long_arithmetic(law: _Sum, points: list[float]) -> list[mp.mpf]:
    """Delta of a law at places, term by term."""
    pairs = [(mp.mpf(loss), mp.mpf(mass)) for loss, mass in zip(law.losses.tolist(), law.masses.tolist(), strict=True)]
    gains = (
        mp.fsum(mass * -mp.expm1(min(point - loss, mp.mpf(0))) for loss, mass in pairs) for point in map(mp.mpf, points)
    )
    return [min(gain + law.infinite, mp.mpf(1)) for gain in gains]


@pytest.mark.parametrize("seed", range(6))
def test_a_law_is_read_at_many_places_at_once_as_at_each(seed: int) -> None:
    """Places far apart and next to each other, on losses and beyond all of them; masses of every size."""
    dice = np.random.default_rng(seed)
    losses = np.sort(dice.normal(0.0, 10.0 ** dice.uniform(-3, 3), 40))
    law = _Sum(losses, dice.exponential(size=40) * np.exp(-dice.uniform(0, 300, 40)) / 40, 0.0, 0.0)
    beside = np.nextafter(losses[:10], math.inf)
    points = np.unique(np.concatenate([losses[::2], beside, dice.normal(0.0, losses[-1], 30), [2 * losses[-1], -800.0]]))
    found = law.delta_above(points)
    for value, truth in zip(found.tolist(), read_in_long_arithmetic(law, points.tolist()), strict=True):
        assert truth <= mp.mpf(value)
    # Places are taken down by a rounding, which is all that is told apart next to the largest loss.
    for value, most in zip(found.tolist(), read_in_long_arithmetic(law, down(points).tolist()), strict=True):
        assert mp.mpf(value) <= most * (1 + mp.mpf(10) ** -12) + mp.mpf(10) ** -300


def test_a_law_that_forgets_what_lies_beyond_the_next_place_is_caught() -> None:
    law = _Sum(np.array([0.1, 0.2, 3.0]), np.array([0.3, 0.3, 0.4]), 0.0, 0.0)
    first, *_ = read_in_long_arithmetic(law, [0.0])
    near, *_ = read_in_long_arithmetic(evolve(law, masses=np.array([0.3, 0.0, 0.0])), [0.0])
    assert mp.mpf(float(law.delta_above(np.array([0.0, 0.15]))[0])) >= first > 1.5 * near


def test_a_flat_loss_is_above_both_orders() -> None:
    pair = FiniteLoss([(Fraction(1, 2), Fraction(1, 10)), (Fraction(1, 2), Fraction(9, 10))])
    for loss in (pair, pair.reverse()):
        flat = flat_above(loss)
        for epsilon in (0.0, 0.2, 0.5, 1.0, 1.5):
            truth = max(mp.mpf(0.5) - mp.exp(mp.mpf(epsilon)) * mp.mpf("0.1"), mp.mpf(0))
            back = max(mp.mpf("0.9") - mp.exp(mp.mpf(epsilon)) * mp.mpf("0.5"), mp.mpf(0))
            assert mp.mpf(flat.delta(epsilon).upper) >= max(truth, back) * (1 - mp.mpf(10) ** -30)


def test_masses_of_a_short_sum_are_none_too_small() -> None:
    """Added up term by term: each is at least the sum of products that it stands for."""
    whole = ComposedLoss.of([(FiniteLoss([("0.3", "0.1"), ("0.6", "0.3"), ("0.1", "0.6")]), 3), (ResponseLoss("0.3"), 2)])
    found, step = _Sum.of(whole), _step(whole)
    exact = {0: Fraction(1)}
    for measure, count in whole._grid._measures(step, _LOG_TAIL, True):
        for _ in range(count):
            rows = [(k, Fraction(float(mass))) for k, mass in enumerate(measure.masses) if mass]
            sums = [(place + more, mass * its) for place, mass in exact.items() for more, its in rows]
            exact = {}
            for place, mass in sums:
                exact[place] = exact.get(place, Fraction(0)) + mass
    for place, mass in exact.items():
        assert mass <= Fraction(float(found.masses[place])) <= mass * (1 + Fraction(1, 10**12)) + Fraction(1, 2**990)


def test_both_orders_of_a_sample_of_an_unlike_pair_are_covered() -> None:
    """Mirroring is for samples of pairs that are their own reverse."""
    rare = Fraction(1, 1000)
    base = FiniteLoss([(rare, Fraction(1, 2)), (1 - rare, Fraction(1, 2))])
    for unlike in (base, base.reverse()):
        loss = SampledLoss(unlike, Fraction(1, 3))
        both = both_orders(loss)
        for epsilon in (0.0, 0.1, 0.3, 0.6, 1.0):
            truth = max(side.delta(epsilon).lower for side in (loss, loss.reverse()))
            assert both.delta(epsilon).upper >= truth * (1 - 1e-12)


def test_what_two_losses_share_is_dominated_by_both_in_both_orders() -> None:
    sampled_, plain = SampledLoss(LaplaceLoss("3"), Fraction(1, 100)), GaussianLoss("1/1000")
    for side in (sampled_, sampled_.reverse()):
        shared = _common(side, plain)
        for epsilon in (0.0, 0.005, 0.02, 0.1):
            found = shared.delta(epsilon).lower
            for loss in (sampled_, sampled_.reverse(), plain):
                assert found <= loss.delta(epsilon).upper * (1 + 1e-12)


def test_shares_of_a_mixture_hold_every_chance_of_losing_everything() -> None:
    """Given that nothing is lost outright, a part is as likely as it and that together, whatever the chances are."""
    _, atoms = drawn(1, "more above")
    leaks = [(0.25, 0.375), (0.125, 0.4375)]
    parts = [
        (chance, Blurred(evolve(atoms, masses=atoms.masses * (1.0 - high), infinite=Interval(low, high))))
        for chance, (low, high) in zip((Fraction(1, 4), Fraction(3, 4)), leaks, strict=True)
    ]
    whole = Interval(0.1, 0.45)
    shares = shares_of(parts, whole)
    assert shares is not None
    for (chance, _), (low, high), share in zip(parts, leaks, shares, strict=True):
        for leak in (low, high):
            for told in (whole.lower, whole.upper):
                truth = chance * (1 - Fraction(leak)) / (1 - Fraction(told))
                assert abs(Fraction(share.weight.middle) - truth) <= Fraction(share.weight.radius)
