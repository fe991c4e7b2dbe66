"""Gaussian noise of a covariance: exact distances against inverses in doubles, sums over the plane, and enumeration."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import combinations_with_replacement, permutations, product
from typing import Any

import numpy as np
import pytest

from accountant import InvalidValue, Neighbours, PlanError, ShiftError, account, calibrate, read_plan
from accountant.loss import BracketLoss, GaussianLoss
from accountant.plugin import ADD_REMOVE, REPLACE_ONE, Relation, Shift
from accountant_builtin.queries import Histogram
from accountant_noise import Gaussian
from accountant_noise.covariance import inverse

Matrix = list[list[Fraction]]

CORRELATED = [["2", "9/5"], ["9/5", "2"]]


def covariance(size: int, seed: int) -> Matrix:
    """A random table times its transpose, and more on the diagonal."""
    chance = random.Random(seed)
    table = [[Fraction(chance.randint(-9, 9), chance.randint(1, 5)) for _ in range(size)] for _ in range(size)]
    return [
        [sum((a * b for a, b in zip(left, right, strict=True)), Fraction(int(i == j), 3)) for j, right in enumerate(table)]
        for i, left in enumerate(table)
    ]


def quadratic(table: Matrix, move: list[int]) -> float:
    vector = np.array(move, dtype=float)
    return float(vector @ np.linalg.solve(np.array(table, dtype=float), vector))


@pytest.mark.parametrize("size", [1, 2, 5, 12])
def test_the_inverse_is_exact(size: int) -> None:
    table = covariance(size, size)
    inverted = inverse(tuple(map(tuple, table)))
    for i, j in product(range(size), repeat=2):
        assert sum(table[i][k] * inverted[k][j] for k in range(size)) == int(i == j)


@pytest.mark.parametrize("size", [1, 3, 8])
def test_a_stated_vector_is_taken_as_it_stands(size: int) -> None:
    table, chance = covariance(size, 7 * size), random.Random(size)
    move = [chance.randint(-5, 5) or 1 for _ in range(size)]
    loss = Gaussian(covariance=table).loss(Shift.at(move))
    assert isinstance(loss, GaussianLoss)
    assert float(loss.mu_squared) == pytest.approx(quadratic(table, move), rel=1e-9)


def test_the_order_of_a_stated_vector_matters_and_its_sign_does_not() -> None:
    noise = Gaussian(covariance=[[1, 0], [0, 4]])
    assert noise.loss(Shift.at([1, 0])) == GaussianLoss(1) == noise.loss(Shift.at([-1, 0]))
    assert noise.loss(Shift.at([0, 1])) == GaussianLoss("1/4")
    correlated = Gaussian(covariance=CORRELATED)
    # Along the diagonal the noise is large, across it small.
    assert correlated.loss(Shift.at([1, 1])) == GaussianLoss(2 / (2 + Fraction(9, 5)))
    assert correlated.loss(Shift.at([1, -1])) == GaussianLoss(2 / (2 - Fraction(9, 5)))


def test_independent_noise_is_a_special_case() -> None:
    table = [[Fraction(9, 4) * (i == j) for j in range(3)] for i in range(3)]
    for shift in (Shift.at([1, 0, -2]), Shift.along([1, -2])):
        assert Gaussian(covariance=table).loss(shift) == Gaussian("3/2").loss(shift)


@pytest.mark.parametrize("order", [1.5, 2.0, 3.0])
def test_renyi_is_a_sum_over_the_plane(order: float) -> None:
    """The trapezoid rule over the plane converges faster than any power for densities like these."""
    table, move = np.array([[2.0, 1.8], [1.8, 2.0]]), np.array([1.0, 0.25])
    line = np.linspace(-24.0, 24.0, 1601)
    x, y = np.meshgrid(line, line)
    inverted = np.linalg.inv(table)

    def log_density(a: Any, b: Any) -> Any:
        square = inverted[0, 0] * a * a + 2 * inverted[0, 1] * a * b + inverted[1, 1] * b * b
        return -square / 2 - 0.5 * np.log(4 * np.pi**2 * np.linalg.det(table))

    terms = order * log_density(x, y) + (1 - order) * log_density(x - move[0], y - move[1])
    truth = np.log(np.sum(np.exp(terms)) * (line[1] - line[0]) ** 2) / (order - 1)
    found = Gaussian(covariance=CORRELATED).loss(Shift.at([1, "1/4"])).renyi(str(order))
    assert found.lower == pytest.approx(truth, rel=1e-8)


@pytest.mark.parametrize("size", [2, 3, 6])
@pytest.mark.parametrize("moves", [(1,), (1, -1), (2, 1)])
def test_a_histogram_may_move_in_any_cells(size: int, moves: tuple[int, ...]) -> None:
    table = covariance(size, 3 * size)
    worst = 0.0
    for cells in permutations(range(size), len(moves)):
        move = [0] * size
        for cell, value in zip(cells, moves, strict=True):
            move[cell] = value
        worst = max(worst, quadratic(table, move))
    loss = Gaussian(covariance=table).loss(Shift.along(moves))
    assert isinstance(loss, GaussianLoss)
    assert float(loss.mu_squared) == pytest.approx(worst, rel=1e-9)


def test_too_many_placements_are_enclosed() -> None:
    size, moves, chance = 12, (3, 2, -2, 1, 1), random.Random(5)
    table = covariance(size, 1)
    loss = Gaussian(covariance=table).loss(Shift.along(moves))
    assert isinstance(loss, BracketLoss)
    above, below = (float(side.mu_squared) for side in (loss.above, loss.below))  # type: ignore[attr-defined]
    found = []
    for _ in range(300):
        move = [0] * size
        for cell, value in zip(chance.sample(range(size), len(moves)), moves, strict=True):
            move[cell] = value
        found.append(quadratic(table, move))
    assert max(found) <= above * (1 + 1e-9)
    assert below > sorted(found)[150]
    assert above <= float(Shift.along(moves).l2_squared) / np.linalg.eigvalsh(np.array(table, dtype=float))[0] * (1 + 1e-5)


def test_norms_are_enclosed_by_what_any_move_and_some_move_costs() -> None:
    table = covariance(4, 9)
    shift = Shift(Fraction(3), Fraction(5), Fraction(2))
    loss = Gaussian(covariance=table).loss(shift)
    value = loss.concentration()
    eigenvalues = np.linalg.eigvalsh(np.array(table, dtype=float))
    assert value.upper <= 5 / eigenvalues[0] / 2 * (1 + 1e-5)
    for move in product((-2, -1, 0, 1, 2), repeat=4):
        if sum(map(abs, move)) <= 3 and sum(x * x for x in move) <= 5:
            assert quadratic(table, list(move)) / 2 <= value.upper * (1 + 1e-9)
            if max(map(abs, move)) == 2:
                assert quadratic(table, list(move)) / 2 >= value.lower * (1 - 1e-9)


def test_nearly_singular_noise_of_very_different_sizes_is_still_exact() -> None:
    tiny = Fraction(1, 10**300)
    loss = Gaussian(covariance=[[1, 1 - tiny], [1 - tiny, 1]]).loss(Shift.at([1, -1]))
    assert loss == GaussianLoss(2 / tiny)
    assert Gaussian(covariance=[["1e390", 0], [0, "1e-390"]]).loss(Shift(Fraction(2), Fraction(2), Fraction(1))) is not None


# In a plan -------------------------------------------------------------------------------------------------------------


def plan(mechanism: dict[str, object], query: dict[str, object], neighbours: str = "add-remove") -> dict[str, object]:
    return {
        "specification": {"neighbours": neighbours},
        "budget": [{"divergence": "zcdp", "rho": "1/8"}],
        "release": [{"name": "totals", "query": query, "mechanism": {"kind": "gaussian", **mechanism}}],
    }


def test_a_plan_reads_and_writes_a_covariance() -> None:
    read = read_plan(plan({"covariance": CORRELATED}, {"kind": "vector", "shift": [1, 1]}))
    assert read.as_data()["release"][0]["mechanism"]["covariance"] == [["2", "1.8"], ["1.8", "2"]]
    assert read_plan(read.as_data()) == read
    assert account(read).measure("zcdp").value.exact == Fraction(1, 2) * 2 / Fraction(19, 5)


def test_neighbours_decide_which_cells_of_a_histogram_move() -> None:
    values = [
        account(read_plan(plan({"covariance": CORRELATED}, {"kind": "histogram"}, neighbours))).measure("zcdp").value.exact
        for neighbours in ("add-remove", "replace-one")
    ]
    assert values == [Fraction(1, 2) * 2 / (4 - Fraction(81, 25)), Fraction(1, 2) * 2 / Fraction(1, 5)]


def test_calibration_scales_the_covariance_by_the_square() -> None:
    assert Gaussian(covariance=CORRELATED).scaled(Fraction(2)) == Gaussian(covariance=[[8, "36/5"], ["36/5", 8]])
    found = calibrate(read_plan(plan({"covariance": CORRELATED}, {"kind": "vector", "shift": [1, 1]})), tolerance="1/1000")
    assert account(found.plan).measure("zcdp").value.upper <= 0.125


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("2", r"expected a list of rows, got '2'"),
        ([], r"needs from 1 to 64 rows.*got 0"),
        ([[1, 0], 3], r"row 2: expected a list of numbers, got 3"),
        ([[1, 0], [0]], r"row 2 has 1 entries, but a covariance of 2 rows needs 2"),
        ([[1, "x"], [0, 1]], r"row 1, entry 2: 'x' is not a finite number"),
        ([[1, "1/2"], ["1/3", 1]], r"row 1, entry 2 is 1/2, but row 2, entry 1 is 1/3; a covariance is symmetric"),
        ([[1, 1], [1, 1]], r"the first 2 rows are not positive definite"),
        ([[0]], r"the first 1 rows are not positive definite"),
        ([[4, 0, 0], [0, 1, 2], [0, 2, 1]], r"the first 3 rows are not positive definite"),
    ],
)
def test_what_is_no_covariance_is_refused_with_its_place(rows: object, message: str) -> None:
    with pytest.raises(InvalidValue, match=message):
        Gaussian(covariance=rows)
    with pytest.raises(PlanError, match=message + r".* @ release\[0\]\.mechanism\.covariance"):
        read_plan(plan({"covariance": rows}, {"kind": "count"}))


@pytest.mark.parametrize("given", [{}, {"sigma": 1, "covariance": [[1]]}])
def test_exactly_one_of_sigma_and_covariance_is_needed(given: dict[str, Any]) -> None:
    with pytest.raises(InvalidValue, match="needs either 'sigma' or 'covariance'"):
        Gaussian(**given)
    with pytest.raises(PlanError, match=r"needs either.* @ release\[0\]\.mechanism"):
        read_plan(plan(given, {"kind": "count"}))


@pytest.mark.parametrize("shift", [Shift.at([1]), Shift.at([1, 0, 0]), Shift.along([1, 1, 1])])
def test_a_shift_of_another_size_is_refused(shift: Shift) -> None:
    with pytest.raises(ShiftError, match=r"a covariance of 2 coordinates, but the query moves [13]"):
        Gaussian(covariance=CORRELATED).loss(shift)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("relation", [ADD_REMOVE, REPLACE_ONE])
def test_a_group_of_records_moves_a_histogram_as_far_as_any_of_its_placements(seed: int, relation: Relation) -> None:
    """All records of a group, each in any cell before and after."""
    table, group = covariance(3, 100 + seed), 2 + seed % 2
    ones = [tuple(Fraction(cell == own) for cell in range(3)) for own in range(3)]
    if relation is ADD_REMOVE:
        moves = [*ones, *(tuple(-value for value in one) for one in ones)]
    else:
        moves = [tuple(a - b for a, b in zip(after, before, strict=True)) for after in ones for before in ones]
    inverted = inverse(tuple(tuple(Fraction(value) for value in row) for row in table))
    farthest = Fraction(0)
    for chosen in combinations_with_replacement(moves, group):
        total = [sum(column) for column in zip(*chosen, strict=True)]
        farthest = max(farthest, sum(a * b * inverted[i][j] for i, a in enumerate(total) for j, b in enumerate(total)))
    loss = Gaussian(covariance=table).loss(Histogram().shift(Neighbours(relation, group=group)))
    assert loss == GaussianLoss(farthest)
