"""The sensitivity of a strategy: every pattern, sign and direction of small ones, and known answers of large ones."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from accountant_streams import Matrix, matrix, patterns as searched
from tests.plugins.streams.enumeration import in_the_plane, largest_on_a_line, moved, patterns

Rows = list[list[Fraction]]


@st.composite
def small(draw: st.DrawFn, least: int = -4) -> tuple[Rows, int, int]:
    """A strategy of at most 3 rows and 6 steps, participations and separation."""
    number = st.builds(Fraction, st.integers(least, 4), st.integers(1, 3))
    steps = draw(st.integers(1, 6))
    rows = draw(st.lists(st.lists(number, min_size=steps, max_size=steps), min_size=1, max_size=3))
    return rows, draw(st.integers(1, 4)), draw(st.integers(1, 4))


def ends(rows: object, participations: int, separation: int) -> tuple[Fraction, Fraction]:
    return Matrix(1, rows, participations=participations, separation=separation).sensitivity_squared()


def check(rows: Rows, participations: int, separation: int) -> None:
    """Both ends are what trying everything says."""
    below, above = ends(rows, participations, separation)
    line = largest_on_a_line(rows, participations, separation)
    aligned = max(
        sum(abs(sum(row[i] * row[j] for row in rows)) for i in chosen for j in chosen)
        for chosen in patterns(len(rows[0]), participations, separation)
    )
    assert below == line
    assert above == min(aligned, line * Fraction(355, 226))
    assert above >= line


@settings(deadline=None, max_examples=120)
@given(small())
def test_both_ends_are_those_of_trying_everything(case: tuple[Rows, int, int]) -> None:
    check(*case)


@settings(deadline=None, max_examples=60)
@given(small(least=0))
def test_strategies_without_opposed_steps_are_exact(case: tuple[Rows, int, int]) -> None:
    below, above = ends(*case)
    one = (Fraction(1),)
    truth = max(moved(case[0], dict.fromkeys(chosen, one)) for chosen in patterns(len(case[0][0]), *case[1:]))
    assert below == above == truth


@settings(deadline=None, max_examples=25)
@given(small(least=-2), st.integers(1, 3))
def test_no_directions_exceed_the_upper_end(case: tuple[Rows, int, int], participations: int) -> None:
    assert in_the_plane(case[0], participations, case[2]) <= ends(case[0], participations, case[2])[1]


def test_directions_can_cost_more_than_signs() -> None:
    opposed = [[Fraction(entry) for entry in row] for row in ([2, -1, -1], [0, 2, -2])]
    below, above = ends(opposed, 3, 1)
    assert (below, above) == (20, 28)
    up, down = (Fraction(-3, 5), Fraction(4, 5)), (Fraction(-3, 5), Fraction(-4, 5))
    turned = moved(opposed, {0: (Fraction(1), Fraction(0)), 1: up, 2: down})
    assert below < turned == Fraction(512, 25) <= above


def test_signs_that_can_all_be_turned_the_same_way_are_exact() -> None:
    assert ends([[1, -1, 2], [1, -1, 1]], 3, 1) == (25, 25)


# The search ------------------------------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=60)
@given(small())
def test_a_search_that_is_ended_early_still_encloses(case: tuple[Rows, int, int]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(matrix, "_sensitivity_squared", matrix._sensitivity_squared.__wrapped__)
        patch.setattr(searched, "_MOST_PATTERNS", 1)
        below, above = ends(*case)
    assert below <= largest_on_a_line(*case) <= above


def test_a_search_that_is_ended_early_has_an_upper_end_of_its_own() -> None:
    """Rounding a pattern off at the first try is not enough here, so that the test above could fail."""
    rng = np.random.default_rng(5)
    rows = rng.integers(-9, 10, (20, 20))
    gram = rows.T @ rows
    best = searched.enclosed(gram, 4, 1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(searched, "_MOST_PATTERNS", 1)
        early = searched.enclosed(gram, 4, 1)
    assert best[0] == best[1]
    assert early[0] < best[0] < early[1]


def test_numbers_beyond_64_bits_give_the_same() -> None:
    rows = [[1, -2, 3, 0, 1], [2, 2, -1, 1, 1], [0, 1, 1, 4, -3]]
    plain = ends(rows, 3, 2)
    large = ends([[entry * 10**30 for entry in row] for row in rows], 3, 2)
    thirds = ends([[Fraction(entry, 3**40) for entry in row] for row in rows], 3, 2)
    assert large == tuple(end * 10**60 for end in plain)
    assert thirds == tuple(end / 9**40 for end in plain)


def toeplitz(coefficients: list[Fraction], steps: int) -> Rows:
    zero = Fraction(0)
    return [[coefficients[i - j] if 0 <= i - j < len(coefficients) else zero for j in range(steps)] for i in range(steps)]


def square_root(steps: int) -> list[Fraction]:
    """The coefficients of (1 - x)^(-1/2), whose matrix squared gives prefix sums; rounded to decimals."""
    return [Fraction(round(math.comb(2 * k, k) / 4**k * 10**6), 10**6) for k in range(steps)]


@pytest.mark.parametrize(("participations", "separation"), [(1, 1), (3, 7), (8, 5), (40, 1)])
def test_falling_coefficients_are_worst_from_the_first_step_on(participations: int, separation: int) -> None:
    rows = toeplitz(square_root(40), 40)
    worst = moved(rows, dict.fromkeys(range(0, 40, separation)[:participations], (Fraction(1),)))
    assert ends(rows, participations, separation) == (worst, worst)


def test_steps_that_never_meet_add_up() -> None:
    """Columns further apart than the bands are orthogonal: the norms of the best columns add up."""
    weights = [Fraction(w) for w in (3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3, 2, 3, 8, 4)]
    rows = [[weights[j] if j <= i <= j + 2 else Fraction(0) for j in range(20)] for i in range(22)]
    best = max(sum(3 * weights[step] ** 2 for step in chosen) for chosen in patterns(20, 4, 3))
    assert ends(rows, 4, 3) == (best, best)


@pytest.mark.parametrize(("strategy", "truth"), [("identity", 3), ("total", 9), ("prefix", 1 + 4 + 9 * 10)])
def test_plain_strategies_have_plain_answers(strategy: str, truth: int) -> None:
    rows = {
        "identity": [[int(i == j) for j in range(12)] for i in range(12)],
        "total": [[1] * 12],
        "prefix": [[int(j <= i) for j in range(12)] for i in range(12)],
    }[strategy]
    assert ends(rows, 3, 1) == (truth, truth)


# Edges -----------------------------------------------------------------------------------------------------------------


def test_edges() -> None:
    assert ends([["3/2"]], 1, 1) == ends([["3/2"]], 100, 1) == ends([["3/2"]], 7, 10**9) == (Fraction(9, 4),) * 2
    assert ends([[0, 2], [0, 1]], 2, 1) == (5, 5)
    assert ends([[0, 0], [0, 0]], 2, 1) == (0, 0)
    assert ends([[1, 1, 1]], 3, 2) == ends([[1, 1, 1]], 10**18, 2) == (4, 4)


# Planted errors ------------------------------------------------------------------------------------------------------

WITNESS = [[Fraction(entry) for entry in row] for row in ([1, 2, 0, 1], [0, 1, 3, -1], [1, 1, 1, 2])]


@pytest.fixture
def forgetful(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Nothing that was computed with or without an error is used again."""
    monkeypatch.setattr(matrix, "_sensitivity_squared", matrix._sensitivity_squared.__wrapped__)
    return monkeypatch


def test_the_check_passes_without_a_planted_error() -> None:
    for participations, separation in product((1, 2, 3), (1, 2)):
        check(WITNESS, participations, separation)


def test_forgotten_cross_terms_are_caught(forgetful: pytest.MonkeyPatch) -> None:
    real = searched.enclosed
    forgetful.setattr(searched, "enclosed", lambda gram, *rest: real(gram * np.eye(len(gram), dtype=int), *rest))
    with pytest.raises(AssertionError):
        check(WITNESS, 3, 1)


def test_an_ignored_separation_is_caught(forgetful: pytest.MonkeyPatch) -> None:
    real = searched.enclosed
    forgetful.setattr(searched, "enclosed", lambda gram, participations, _: real(gram, participations, 1))
    with pytest.raises(AssertionError):
        check([[Fraction(1), Fraction(2), Fraction(2), Fraction(1)]], 2, 3)


def test_a_bound_that_does_not_look_ahead_is_caught(forgetful: pytest.MonkeyPatch) -> None:
    """Two large steps that never meet hide two smaller ones that do."""

    def blind(sizes: np.ndarray, participations: int, separation: int) -> list[np.ndarray]:
        return [0 * sizes.diagonal()] * participations

    forgetful.setattr(searched, "_ahead", blind)
    with pytest.raises(AssertionError):
        check([[Fraction(entry) for entry in row] for row in ([4, 0, 0, 0], [0, 4, 0, 0], [0, 0, 3, 3])], 2, 1)
