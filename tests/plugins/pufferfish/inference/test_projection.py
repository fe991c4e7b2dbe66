"""Noisy counts projected onto a public total: the nearest real counts, the nearest whole ones, what is contracted."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings, strategies as st
from scipy.optimize import minimize

from accountant import InvalidValue
from accountant_pufferfish.inference import Contraction, Counts, nearest, projected, rounded


@st.composite
def tables(draw: st.DrawFn, cells: int = 6) -> tuple[Counts, int]:
    size = draw(st.integers(1, cells))
    values = st.lists(st.integers(-6, 9), min_size=size, max_size=size)
    return Counts(draw(values), draw(values)), draw(st.integers(0, 12))


def inner(left: Counts, right: Counts) -> Fraction:
    pairs = zip((*left.cases, *left.deaths), (*right.cases, *right.deaths), strict=True)
    return sum((Fraction(a * b) for a, b in pairs), Fraction(0))


def minus(left: Counts, right: Counts) -> Counts:
    return Counts(
        [a - b for a, b in zip(left.cases, right.cases, strict=True)],
        [a - b for a, b in zip(left.deaths, right.deaths, strict=True)],
    )


def corners(cells: int, total: int) -> list[Counts]:
    """All corners of the set: the whole total in one cell, with no deaths or only deaths."""
    unit = [[total if cell == j else 0 for j in range(cells)] for cell in range(cells)]
    return [Counts(row, deaths) for row in unit for deaths in (row, [0] * cells)]


@settings(deadline=None, max_examples=150)
@given(tables())
def test_the_nearest_counts_meet_the_variational_inequality(given_table: tuple[Counts, int]) -> None:
    """p is the projection of y onto a convex set exactly when p is in it and (y - p).(w - p) <= 0 at its corners."""
    noisy, total = given_table
    real = nearest(noisy, total)
    assert real.agrees(total)
    away = minus(noisy, real)
    assert all(inner(away, minus(corner, real)) <= 0 for corner in corners(len(noisy.cases), total))


@settings(deadline=None, max_examples=60)
@given(tables())
def test_multipliers_certify_the_nearest_counts(given_table: tuple[Counts, int]) -> None:
    """Stationarity with one multiplier for the total and non-negative ones for the active inequalities."""
    noisy, total = given_table
    real = nearest(noisy, total)
    shifts = []
    for cases, deaths, fitted, dead in zip(noisy.cases, noisy.deaths, real.cases, real.deaths, strict=True):
        # fitted - cases = level + order and dead - deaths = sign - order, where order and sign are multipliers >= 0.
        if fitted > dead:
            shifts.append(fitted - cases)
            assert dead - deaths >= 0 if dead == 0 else dead == deaths
        elif fitted > 0:
            assert deaths - dead >= 0
            shifts.append(fitted - cases - (deaths - dead))
    assert len(set(shifts)) <= 1


def test_the_nearest_counts_agree_with_a_general_solver() -> None:
    generator = np.random.default_rng(5)
    for _ in range(8):
        cells, total = 5, 9
        point = generator.integers(-6, 10, 2 * cells)
        constraints = [
            {"type": "eq", "fun": lambda y: y[:5].sum() - 9},
            {"type": "ineq", "fun": lambda y: np.concatenate([y[:5] - y[5:], y[5:]])},
        ]
        found = minimize(
            lambda y, point=point: ((y - point) ** 2).sum(),
            np.full(2 * cells, 1.0),
            constraints=constraints,
            method="SLSQP",
            options={"ftol": 1e-12},
        )
        real = nearest(Counts(point[:cells].tolist(), point[cells:].tolist()), total)
        assert np.allclose(found.x, [float(value) for value in (*real.cases, *real.deaths)], atol=1e-5)


def test_a_slip_in_the_projection_is_caught() -> None:
    """Clipping and then spreading what is missing evenly is not the projection."""
    noisy, total = Counts((5, -2, 1), (0, 0, 3)), 6
    naive = Counts((Fraction(14, 3), Fraction(0), Fraction(4, 3)), (0, 0, Fraction(4, 3)))
    assert naive.agrees(total)
    away = minus(noisy, naive)
    assert any(inner(away, minus(corner, naive)) > 0 for corner in corners(3, total))


def test_counts_that_agree_already_are_kept() -> None:
    counts = Counts((3, 0, 4), (1, 0, 4))
    assert projected(counts, 7) == counts
    assert Contraction.between(counts, projected(counts, 7)) == Contraction(3, 0, 0, 0)


def distance(left: Counts, right: Counts) -> Fraction:
    pairs = zip((*left.cases, *left.deaths), (*right.cases, *right.deaths), strict=True)
    return sum((abs(Fraction(a) - b) for a, b in pairs), Fraction(0))


@st.composite
def real_tables(draw: st.DrawFn) -> Counts:
    """Counts in sixths whose cases add up to a whole number; deaths are often as many as cases."""
    cases = [Fraction(sixths, 6) for sixths in draw(st.lists(st.integers(0, 13), min_size=1, max_size=3))]
    cases[-1] += -sum(cases) % 1
    shares = draw(st.lists(st.sampled_from([Fraction(0), Fraction(1, 3), Fraction(1)]), min_size=3, max_size=3))
    return Counts(cases, [count * share for count, share in zip(cases, shares, strict=False)])


@settings(deadline=None, max_examples=80)
@given(real_tables())
@example(Counts(("0.6", "0.8", "0.8", "0.8"), ("0.6", "0", "0", "0")))
def test_rounding_is_the_best_of_all_roundings(real: Counts) -> None:
    total = int(sum(real.cases))
    whole = rounded(real, total)
    assert whole.agrees(total)
    cells = len(real.cases)
    floors = [math.floor(value) for value in (*real.cases, *real.deaths)]
    candidates = []
    for bits in itertools.product((0, 1), repeat=2 * cells):
        values = [floor + bit for floor, bit in zip(floors, bits, strict=True)]
        candidates.append(Counts(values[:cells], values[cells:]))
    best = min(distance(candidate, real) for candidate in candidates if candidate.agrees(total))
    assert distance(whole, real) == best
    assert whole in candidates


def test_comparing_steps_with_the_counts_themselves_is_caught() -> None:
    """The second stage as printed leaves the floor out of the distance, and rounds large counts up before small ones."""
    real, total = Counts(("2.1", "0.9"), (0, 0)), 3
    steps = [bits for bits in itertools.product((0, 1), repeat=2) if sum(bits) == total - 2]
    printed = min(steps, key=lambda bits: sum(abs(bit - cases) for bit, cases in zip(bits, real.cases, strict=True)))
    assert distance(Counts((2 + printed[0], printed[1]), (0, 0)), real) == Fraction("1.8")
    assert rounded(real, total) == Counts((2, 1), (0, 0))
    assert distance(rounded(real, total), real) == Fraction("0.2")


def test_ties_go_to_the_earlier_cells_and_deaths_round_down() -> None:
    half = Fraction(1, 2)
    assert rounded(Counts((half, half, half, half), (0, 0, 0, 0)), 2).cases == (1, 1, 0, 0)
    assert rounded(Counts((2, 2), (half, Fraction(3, 2))), 4) == Counts((2, 2), (0, 1))


def test_contractions_are_counted_against_the_noisy_values() -> None:
    noisy = Counts((-3, 0, 2, 9), (-1, 0, 6, 2))
    published = projected(noisy, 14)
    assert published == Counts((0, 1, 4, 9), (0, 0, 4, 2))
    found = Contraction.between(noisy, published)
    assert (found.case_zeros, found.death_zeros, found.rates) == (1, 1, 1)
    assert found.shares == (Fraction(1, 4),) * 3


def test_a_contraction_is_several_noisy_values_with_one_published_value() -> None:
    images = {projected(Counts((first, 9), (0, 0)), 7).cases for first in (-9, -6, -3, -2)}
    assert images == {(0, 7)}


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda: Counts((1, 2), (1,)), "as many deaths as cases"),
        (lambda: Counts((), ()), "at least one"),
        (lambda: nearest(Counts((1,), (0,)), -1), "cannot be negative"),
        (lambda: rounded(Counts((1,), (0,)), 3), "project them first"),
        (lambda: Contraction.between(Counts((1,), (0,)), Counts((1, 1), (0, 0))), "cannot be compared"),
    ],
)
def test_bad_counts_are_one_clear_error(wrong: object, words: str) -> None:
    with pytest.raises(InvalidValue, match=words):
        wrong()  # type: ignore[operator]
