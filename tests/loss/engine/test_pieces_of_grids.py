"""Measures on a grid answer for the errors of the cells that they are made from: all of them, at every corner."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import mpmath as mp
import numpy as np
import pytest

from accountant.loss.engine.grid import Measure, _edges, _mean_fall, _slack, dominated_measure, dominating_measure, mixed
from accountant.loss.readings.base import Cells
from accountant.numbers.interval import Interval

STEP, SIZE, OFF = Fraction(1, 3), 12, 2.0**-12


def cells_of(p_error: float, other_error: float, *, gapped: bool, slack: float = 0.0) -> Cells:
    """Cells in which losses lie anywhere, next to either edge too."""
    dice = np.random.default_rng(3)
    p = 0.05 + 0.05 * dice.random(SIZE + 1)
    q = p * (math.exp(-float(STEP)) + (1.0 - math.exp(-float(STEP))) * dice.random(SIZE + 1))
    p[0] = p[-1] = q[0] = q[-1] = 0.0
    inner = np.ones(SIZE + 1)
    inner[0] = inner[-1] = 0.0
    if not gapped:
        return Cells(p, q, inner * p_error, inner * other_error, Interval.of(0), slack=slack)
    return Cells(p, q, inner * p_error, np.zeros(SIZE + 1), Interval.of(0), p - q, inner * other_error, slack)


@pytest.mark.parametrize("gapped", [False, True])
@pytest.mark.parametrize(("of_p", "of_other"), [(0.0, 0.0), (OFF, 0.0), (0.0, OFF), (OFF, OFF)])
def test_a_dominating_measure_answers_for_every_corner_of_its_cells(gapped: bool, of_p: float, of_other: float) -> None:
    cells = cells_of(of_p, of_other, gapped=gapped)
    found = dominating_measure(None, STEP, 0, SIZE - 1, Fraction(0), cells)  # type: ignore[arg-type]
    shrink = -mp.expm1(-mp.mpf(1) / 3)
    for s, t in product((-1, 1), repeat=2):

        def masses(k: int, s: int = s, t: int = t) -> tuple[mp.mpf, mp.mpf]:
            """What goes to the left and to the right edge of a cell."""
            if not 0 < k < SIZE:
                return mp.mpf(0), mp.mpf(0)
            p = mp.mpf(float(cells.p[k])) + s * of_p
            if gapped:
                assert cells.gap is not None
                gap = mp.mpf(float(cells.gap[k])) + t * of_other
            else:
                gap = p - (mp.mpf(float(cells.q[k])) + t * of_other)
            return p - gap / shrink, gap / shrink

        for k in range(SIZE):
            left, right = masses(k + 1)[0], masses(k)[1]
            if min(left, right) >= 0:
                assert mp.mpf(float(found.masses[k])) >= left + right
    exact = dominating_measure(None, STEP, 0, SIZE - 1, Fraction(0), cells_of(0.0, 0.0, gapped=gapped))  # type: ignore[arg-type]
    assert float(found.masses.sum() - exact.masses.sum()) <= 20 * SIZE * (of_p + of_other)


@pytest.mark.parametrize(("of_p", "of_other"), [(0.0, 0.0), (OFF, 0.0), (0.0, OFF), (OFF, OFF)])
def test_the_mean_fall_of_a_cell_is_no_larger_than_at_any_corner(of_p: float, of_other: float) -> None:
    for gapped in (False, True):
        cells = cells_of(of_p, of_other, gapped=gapped)
        least = np.maximum(cells.p[1:] - cells.p_error[1:], 0.0)
        fall, _ = _mean_fall(cells, least)
        for k in range(1, SIZE):
            p, q = Fraction(float(cells.p[k])), Fraction(float(cells.q[k]))
            if gapped:
                assert cells.gap is not None
                truth = (Fraction(float(cells.gap[k])) - Fraction(of_other)) / (p + Fraction(of_p))
            else:
                truth = 1 - (q + Fraction(of_other)) / (p - Fraction(of_p))
            if truth > 0:
                assert truth - Fraction(1, 10**13) <= Fraction(float(fall[k - 1])) <= truth


def test_measures_answer_for_edges_that_round_and_losses_that_are_elsewhere() -> None:
    edges = _edges(STEP, 0, SIZE - 1, Fraction(0))
    rounding = Fraction(_slack(edges, Fraction(0)))
    assert rounding > 0
    for slack in (0.0, OFF):
        cells = cells_of(0.0, 0.0, gapped=True, slack=slack)
        for made in (dominating_measure, dominated_measure):
            found = made(None, STEP, 0, SIZE - 1, Fraction(0), cells)  # type: ignore[arg-type]
            assert rounding * Fraction(999, 1000) + Fraction(slack) <= Fraction(found.slack)


@pytest.mark.parametrize("of_p", [0.0, OFF])
def test_a_dominated_measure_has_no_more_mass_than_is_certain(of_p: float) -> None:
    cells = cells_of(of_p, 0.0, gapped=True)
    found = dominated_measure(None, STEP, 0, SIZE - 1, Fraction(0), cells)  # type: ignore[arg-type]
    certain = sum((Fraction(float(p)) - Fraction(of_p) for p in cells.p[1:-1]), Fraction(0))
    total = sum(map(Fraction, found.masses.tolist()), Fraction(0))
    assert certain * (1 - Fraction(1, 10**12)) <= total <= certain


def test_chances_of_a_mixture_are_no_larger_than_one() -> None:
    sure = Measure(0, np.zeros(1), 1.0, 0.0)
    assert mixed([(Fraction(1, 3), sure), (Fraction(2, 3), sure)], True).infinite == 1.0
    assert 1.0 - 1e-14 < mixed([(Fraction(1, 3), sure), (Fraction(2, 3), sure)], False).infinite <= 1.0


def test_a_mixture_is_displaced_as_far_as_the_worst_of_its_parts() -> None:
    near, far = Measure(0, np.ones(1), 0.0, OFF / 2), Measure(0, np.ones(1), 0.0, OFF)
    assert mixed([(Fraction(1, 3), near), (Fraction(2, 3), far)], True).slack == OFF
    assert mixed([(Fraction(1, 3), far), (Fraction(2, 3), near)], False).slack == OFF


def test_mass_that_lies_on_an_edge_may_be_as_much_as_its_error_more() -> None:
    p = np.array([0.0, 0.25, 0.0])
    shrink = -math.expm1(-float(STEP))
    for on_right in (True, False):
        gap = p * shrink if on_right else p * 0.0
        error = np.array([0.0, OFF, 0.0])
        gap_error = error * shrink if on_right else error * 0.0
        cells = Cells(p, p - gap, error, np.zeros(3), Interval.of(0), gap, gap_error)
        found = dominating_measure(None, STEP, 0, 1, Fraction(0), cells)  # type: ignore[arg-type]
        assert found.masses[1 if on_right else 0] >= 0.25 + OFF * (1 - 1e-9)


@pytest.mark.parametrize("error", [1e-17, 2e-17, 5e-17])
def test_mass_above_the_last_edge_is_infinite_where_less_of_the_other_law_may_pay_for_it(error: float) -> None:
    """What pays and what it lacks are next to each other, and its error is below a rounding of either."""
    p, q = 1.0 / 3.0, 1.0 / 3.0 * (1.0 - 2.0**-50)
    cells = Cells(np.array([0.0, 0.5, p]), np.array([0.0, 0.5, q]), np.zeros(3), np.full(3, error), Interval.of(0))
    found = dominating_measure(None, Fraction(1), 0, 1, Fraction(0), cells)  # type: ignore[arg-type]
    assert Fraction(found.infinite) >= Fraction(p) - (Fraction(q) - Fraction(error))
