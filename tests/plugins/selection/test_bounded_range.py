"""Losses in an interval of given length: the curve, the moments and the concentration against their definitions."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from accountant import Interval
from accountant.finite import Pair
from accountant.loss import ComposedLoss
from accountant.plugin import Shift
from accountant_selection import Exponential
from accountant_selection.range_loss import RangeLoss, TwoLosses
from accountant_selection.slope_pair import SlopePair

RANGES = ("1e-6", "0.1", "1", "5", "80")


def contains(value: Interval, truth: mpmath.mpf) -> bool:
    return bool(mpmath.mpf(value.lower) <= truth <= mpmath.mpf(value.upper))


def chance(t: mpmath.mpf, range_: mpmath.mpf) -> mpmath.mpf:
    """P's mass at the loss t, so that with the rest at t - range both laws sum to 1."""
    return (mpmath.exp(range_) - mpmath.exp(t)) / (mpmath.exp(range_) - 1)


def highest(function: Callable[[mpmath.mpf], mpmath.mpf], low: mpmath.mpf, high: mpmath.mpf) -> mpmath.mpf:
    """The largest value of a function with one peak, by golden section."""
    golden = (mpmath.sqrt(5) - 1) / 2
    for _ in range(100):
        left, right = high - golden * (high - low), low + golden * (high - low)
        low, high = (left, high) if function(left) < function(right) else (low, right)
    return function((low + high) / 2)


@pytest.mark.parametrize("range_", RANGES)
@pytest.mark.parametrize("share", [-1.5, -0.9, -0.2, 0.0, 0.3, 0.99])
def test_delta_is_the_largest_over_all_intervals(range_: str, share: float) -> None:
    epsilon = share * float(range_)
    with mpmath.workdps(40):
        r, x = mpmath.mpf(range_), mpmath.mpf(epsilon)

        def reached(t: mpmath.mpf) -> mpmath.mpf:
            p = chance(t, r)
            losses = ((p, t), (1 - p, t - r))
            return mpmath.fsum(mass * max(0, 1 - mpmath.exp(x - loss)) for mass, loss in losses)

        # Elsewhere delta is 0, or all of P counts whatever t is.
        truth = highest(reached, max(x, mpmath.mpf(0)), min(r, x + r)) if x > -r else 1 - mpmath.exp(x)
        value = RangeLoss(range_).delta(epsilon)
        slack = mpmath.mpf(10) ** -25
        assert mpmath.mpf(value.lower) <= truth * (1 + slack)
        assert truth * (1 - slack) <= mpmath.mpf(value.upper)
        assert value.width <= 1e-13 * value.upper


@pytest.mark.parametrize("range_", RANGES)
@pytest.mark.parametrize("order", ["1.0001", "1.5", "3", "40", "1e6"])
def test_moments_are_the_largest_over_all_intervals(range_: str, order: str) -> None:
    with mpmath.workdps(60):
        r, a = mpmath.mpf(range_), mpmath.mpf(order) - 1

        def log_moment(t: mpmath.mpf) -> mpmath.mpf:
            p = chance(t, r)
            return a * t + mpmath.log(p + (1 - p) * mpmath.exp(-a * r))

        truth = highest(log_moment, mpmath.mpf(0), r) / a
        value = RangeLoss(range_).renyi(order)
        assert mpmath.mpf(value.lower) <= truth * (1 + mpmath.mpf(10) ** -25)
        assert truth * (1 - mpmath.mpf(10) ** -25) <= mpmath.mpf(value.upper)
        assert value.width <= 1e-8 * value.upper


@pytest.mark.parametrize("range_", RANGES)
def test_concentration_is_the_limit_at_order_one_and_below_an_eighth_of_the_square(range_: str) -> None:
    with mpmath.workdps(40):
        r = mpmath.mpf(range_)
        truth = mpmath.log(mpmath.expm1(r) / r) + r / mpmath.expm1(r) - 1
        value = RangeLoss(range_).concentration()
        assert contains(value, truth)
        assert mpmath.mpf(value.upper) < r * r / 8
        # No order does better: Renyi(a)/a falls.
        ratios = [RangeLoss(range_).renyi(order) for order in ("1.001", "1.1", "2", "10", "1000")]
        scaled = [ratio.upper / float(order) for ratio, order in zip(ratios, (1.001, 1.1, 2.0, 10.0, 1e3), strict=True)]
        assert all(left > right for left, right in pairwise([value.upper * (1.0 + 1e-12), *scaled]))


weights = st.lists(st.fractions(Fraction(1, 9), 9, max_denominator=9), min_size=2, max_size=5)
factors = st.sampled_from([Fraction(3, 2), Fraction(2), Fraction(7)])


@settings(deadline=None, max_examples=60)
@given(weights, factors, st.data())
def test_no_exponential_mechanism_beats_the_curve(chances: list[Fraction], factor: Fraction, data: st.DataObject) -> None:
    """e^(c score) is rational, each moves by a factor of at most `factor` either way, so e^epsilon = factor^2."""
    moves = data.draw(
        st.lists(st.sampled_from([1 / factor, Fraction(1), factor]), min_size=len(chances), max_size=len(chances))
    )
    moved = [weight * move for weight, move in zip(chances, moves, strict=True)]
    pair = Pair(zip((w / sum(moved) for w in moved), (w / sum(chances) for w in chances), strict=True))
    losses = [p / q for p, q in pair.atoms]
    assert max(losses) <= factor**2 * min(losses)
    for root in (Fraction(1, 2), Fraction(1), Fraction(10, 9), factor * Fraction(9, 10)):
        if 1 / factor <= root <= factor:
            # delta at x = 2 log(root): (e^(epsilon/2) - e^(x/2))^2/(e^epsilon - 1).
            bound = (factor - root) ** 2 / (factor**2 - 1)
            assert pair.delta(root**2) <= bound


def test_the_curve_is_attained_by_two_candidates() -> None:
    """e^epsilon = 4, delta at e^x = 9/4: the best upper loss is e^t = sqrt(4 * 9/4) = 3."""
    p = Fraction(4 - 3, 4 - 1)
    pair = Pair([(p, p / 3), (1 - p, (1 - p) * Fraction(4, 3))])
    assert pair.delta(Fraction(9, 4)) == (2 - Fraction(3, 2)) ** 2 / (4 - 1) == Fraction(1, 12)


def test_a_curve_with_half_the_range_is_caught() -> None:
    """The planted error of calibrating to one score's move where two move apart."""
    factor = Fraction(2)
    pair = Pair([(Fraction(2, 3), Fraction(1, 3)), (Fraction(1, 3), Fraction(2, 3))])
    root = Fraction(11, 10)
    assert pair.delta(root**2) <= (factor - root) ** 2 / (factor**2 - 1)
    halved = math.sqrt(2.0)
    assert float(pair.delta(root**2)) > (halved - 1.1) ** 2 / (halved**2 - 1.0)


@pytest.mark.parametrize("ends", [True, False])
@pytest.mark.parametrize("ratio", ["0.015625", "1", "20"])
def test_cells_hold_the_masses_of_both_laws(ratio: str, ends: bool) -> None:
    with mpmath.workdps(40):
        loss, r = SlopePair(ratio, ends), mpmath.mpf(ratio)
        edges = np.linspace(-1.2, 1.2, 8) * float(ratio)
        cells = loss.cells(edges)
        scale = mpmath.exp(-r / 2) / 4 if ends else 1 / (4 * mpmath.sinh(r / 2))
        atoms = ((r, mpmath.mpf("0.5")), (-r, mpmath.exp(-r) / 2)) if ends else ()
        bounds = [-mpmath.inf, *map(mpmath.mpf, edges), mpmath.inf]
        for index, (low, high) in enumerate(pairwise(bounds)):
            left, right = max(low, -r), min(high, r)
            inside = [mass for place, mass in atoms if low < place <= high]
            p = (2 * scale * (mpmath.exp(right / 2) - mpmath.exp(left / 2)) if left < right else 0) + mpmath.fsum(inside)
            assert abs(p - mpmath.mpf(cells.p[index])) <= cells.p_error[index]
            if index:
                back = [mass * mpmath.exp(-place) for place, mass in atoms if low < place <= high]
                q = (2 * scale * (mpmath.exp(-left / 2) - mpmath.exp(-right / 2)) if left < right else 0) + mpmath.fsum(
                    back
                )
                assert abs(q * mpmath.exp(low) - mpmath.mpf(cells.q[index])) <= cells.q_error[index]


def test_two_losses_are_a_pair_with_that_range() -> None:
    atoms = TwoLosses(Fraction(3, 2), 40).atoms
    p, losses = atoms.masses, atoms.losses
    assert losses[1] - losses[0] == pytest.approx(1.5, rel=1e-15)
    assert float(p.sum()) == pytest.approx(1.0, abs=1e-15)
    assert float((p * np.exp(-losses)).sum()) == pytest.approx(1.0, abs=1e-15)


@pytest.mark.parametrize("epsilon", ["1e-12", "1e-6", "0.1", "40", "700", "5000"])
def test_every_size_is_read_without_a_warning(epsilon: str) -> None:
    loss = Exponential(epsilon).loss(Shift.along([1]))
    for share in (-2.0, -1.0, 0.0, 0.5, 1.0, 2.0):
        value = loss.delta(share * float(epsilon))
        assert 0.0 <= value.lower <= value.upper <= 1.0
    assert loss.supremum().exact == Fraction(epsilon)
    assert loss.delta(Fraction(epsilon) * 2).exact == 0
    assert loss.renyi(2).upper <= float(epsilon)
    assert loss.epsilon("1e-6").upper <= float(epsilon)


def test_one_selection_on_the_grid_agrees_with_the_formula() -> None:
    loss = RangeLoss(1)
    gridded = ComposedLoss.of([(SlopePair(1, ends=False), 1)])
    for epsilon in ("0", "0.3", "0.9"):
        direct, found = loss.delta(epsilon), gridded.delta(epsilon)
        assert found.lower <= direct.upper
        assert direct.lower <= found.upper
        assert found.width < 1e-3 * found.upper
