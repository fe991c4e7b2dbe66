"""What streams lose: against draws of the whole release, with adaptive inputs, and in plans."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from accountant import InvalidValue, PlanError, account, calibrate, read_plan
from accountant.loss import NO_LOSS, BracketLoss, GaussianLoss, PrivacyLoss
from accountant.plugin import Shift
from accountant_streams import Matrix, Tree, matrix

ONE = Shift.along([1])
DRAWS = 200_000
# A mean of so many numbers between 0 and 1 is further from its expectation with chance below 1e-9 (Hoeffding).
DOUBT = math.sqrt(math.log(2e9) / (2 * DRAWS))
EPSILONS = (0.0, 0.5, 1.0, 2.0)

Arrays = np.ndarray[Any, np.dtype[np.float64]]


def deltas(losses: Arrays) -> list[float]:
    """What drawn losses say about delta at each epsilon."""
    return [float(np.mean(np.maximum(0.0, -np.expm1(epsilon - losses)))) for epsilon in EPSILONS]


def normal_losses(published: Arrays, here: Arrays, there: Arrays, sigma: float) -> Arrays:
    """The log ratio of the joint normal densities of everything published, with means here and there."""
    there, here = (np.broadcast_to(mean, published.shape) for mean in (there, here))
    squares: Arrays = np.sum((published - there) ** 2 - (published - here) ** 2, axis=(1, 2))
    return squares / (2 * sigma**2)


def test_the_loss_of_everything_published_is_the_claimed_one() -> None:
    """Two coordinates, and the first and third of four steps moved along one direction, the worst that is allowed."""
    strategy = np.array([[2.0, 0, 0, 0], [1, 2, 0, 0], [1, 1, 2, 0], [0, 1, 1, 2], [1, 1, 1, 1]])
    mechanism = Matrix(8, strategy.tolist(), participations=2, separation=2)
    rng = np.random.default_rng(20240601)
    answers = rng.normal(size=(4, 2))
    moved = answers + np.outer([1, 0, 1, 0], [0.6, 0.8])
    published = strategy @ moved + 8 * rng.normal(size=(DRAWS, 5, 2))
    found = deltas(normal_losses(published, strategy @ moved, strategy @ answers, 8.0))
    claimed = mechanism.loss(ONE)
    assert claimed == GaussianLoss(Fraction(2**2 + 1**2 + 3**2 + 1**2 + 2**2, 64))
    for epsilon, delta in zip(EPSILONS, found, strict=True):
        assert abs(delta - claimed.delta(epsilon).upper) <= DOUBT


Rule = Callable[[Arrays, Arrays], Arrays]


def adaptive_losses(second: Rule, sigma: float) -> Arrays:
    """Losses of C = [[1, 0, 0], [1, 2, 0], [0, 1, 1]] on a stream whose later steps look at what came before.

    The first answer moves by 1. `second` says by how much the second one moves, given the first number published and the
    noise of the second; the third moves against the second one if the second number published is positive.
    """
    rng = np.random.default_rng(7)
    noise = sigma * rng.normal(size=(3, DRAWS))
    first = 1.0 + noise[0]
    move = second(first, noise[1])
    shifts = [np.ones(DRAWS), 1.0 + 2.0 * move]
    published = shifts[1] + noise[1]
    shifts.append(move + np.where(published > 0.0, -np.sign(move), 0.0))
    return np.asarray(sum((2 * noise[k] * shifts[k] + shifts[k] ** 2) / (2 * sigma**2) for k in range(3)))


def exceeds(losses: Arrays, claimed: PrivacyLoss) -> bool:
    return any(
        found > claimed.delta(epsilon).upper + DOUBT for epsilon, found in zip(EPSILONS, deltas(losses), strict=True)
    )


def test_answers_that_depend_on_earlier_outputs_lose_no_more() -> None:
    claimed = Matrix(3, [[1, 0, 0], [1, 2, 0], [0, 1, 1]], participations=3).loss(ONE)
    rules: list[Rule] = [
        lambda first, _: np.sign(first),
        lambda first, _: np.where(first > 1.0, 1.0, 0.0),
        lambda first, _: np.tanh(first),
    ]
    for rule in rules:
        assert not exceeds(adaptive_losses(rule, 3.0), claimed)


def test_answers_that_depend_on_noise_to_come_would_lose_more() -> None:
    claimed = Matrix(3, [[1, 0, 0], [1, 2, 0], [0, 1, 1]], participations=3).loss(ONE)
    assert exceeds(adaptive_losses(lambda _, noise: np.where(noise > 0.0, 1.0, -1.0), 3.0), claimed)


def test_opposed_steps_are_enclosed() -> None:
    opposed = Matrix(4, [[2, -1, -1], [0, 2, -2]], participations=3)
    assert opposed.loss(ONE) == BracketLoss(GaussianLoss(Fraction(28, 16)), GaussianLoss(Fraction(20, 16)))
    turned = GaussianLoss(Fraction(512, 25 * 16))
    for epsilon in EPSILONS:
        value = opposed.loss(ONE).delta(epsilon)
        assert value.lower < turned.delta(epsilon).lower
        assert turned.delta(epsilon).upper < value.upper


def test_only_the_size_of_a_step_matters() -> None:
    tree = Tree("3/2", 100, participations=3, separation=20)
    mu_squared = tree.sensitivity_squared().above * Fraction(4, 9)
    assert tree.loss(ONE) == GaussianLoss(mu_squared)
    assert tree.loss(Shift.along([1, -1])) == GaussianLoss(2 * mu_squared)
    assert tree.loss(Shift(Fraction(9), Fraction(1), Fraction(1))) == tree.loss(ONE)


def test_a_strategy_of_zeros_loses_nothing() -> None:
    assert Matrix(1, [[0, 0]], participations=2).loss(ONE) == NO_LOSS


def test_scaling_the_noise_keeps_everything_else() -> None:
    assert Matrix(2, [[1, 1]], participations=2).scaled(Fraction(3, 2)) == Matrix(3, [[1, 1]], participations=2)
    assert Tree(2, 9, participations=2, separation=4).scaled(Fraction(1, 2)) == Tree(1, 9, participations=2, separation=4)


# In a plan -------------------------------------------------------------------------------------------------------------


def plan(mechanism: dict[str, Any], neighbours: str = "add-remove", query: str = "histogram") -> dict[str, Any]:
    return {
        "specification": {"neighbours": neighbours},
        "budget": [{"divergence": "zcdp", "rho": "1/2"}],
        "release": [{"name": "stream", "query": {"kind": query}, "mechanism": mechanism}],
    }


SUMS = [[1, 0, 0], [1, 1, 0], [1, 1, 1]]
PREFIX = {"kind": "matrix", "sigma": "3", "strategy": SUMS, "participations": 2, "separation": 2}
TREE = {"kind": "tree", "sigma": "3", "leaves": 3, "participations": "2", "separation": 2}


@pytest.mark.parametrize(
    ("mechanism", "neighbours", "query", "squared"),
    [
        # Steps 1 and 3 move three prefix sums by 1, 1 and 2.
        (PREFIX, "add-remove", "count", 6),
        (PREFIX, "add-remove", "histogram", 6),
        (PREFIX, "replace-one", "count", 6),
        (PREFIX, "replace-one", "histogram", 12),
        # Leaves 1 and 3 move themselves and the one block of two.
        (TREE, "add-remove", "histogram", 3),
        (TREE, "replace-one", "histogram", 6),
    ],
)
def test_the_query_says_how_far_a_step_moves(mechanism: dict[str, Any], neighbours: str, query: str, squared: int) -> None:
    found = account(read_plan(plan(mechanism, neighbours, query))).measure("zcdp").value
    assert found.exact == Fraction(squared, 18)


def test_calibration_scales_the_noise_of_a_stream() -> None:
    found = calibrate(read_plan(plan(PREFIX)))
    sigma = found.plan.releases[0].mechanism.sigma  # type: ignore[attr-defined]
    assert 6 <= sigma**2 <= 6 * Fraction("1.0003")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"strategy": []}, r"at least one row and one step"),
        ({"strategy": [[]]}, r"at least one row and one step"),
        ({"strategy": [[1, 2], [1]]}, r"row 2 has another length than row 1 \(1 and 2\)"),
        ({"strategy": [[1, "two"]]}, r"row 1, entry 2: 'two' is not a finite number"),
        ({"strategy": [1, 2]}, r"row 1: expected a list of numbers, got 1"),
        ({"strategy": {}}, r"expected a list, got a table"),
        ({"strategy": [{}]}, r"row 1: expected a list of numbers, got \{\}"),
        ({"strategy": "[[1]]"}, r"expected a list of rows, got '\[\[1\]\]'"),
        ({"strategy": [[f"1/{10**300 + k}" for k in range(20)]]}, r"no common denominator of a usable size"),
        ({"participations": 0}, r"must be at least 1, got 0"),
        ({"participations": "1.5"}, r"expected a whole number, got 1.5"),
        ({"separation": 0}, r"must be at least 1, got 0"),
        ({"sigma": 0}, r"must be above 0, got 0"),
    ],
)
def test_bad_parameters_are_refused_in_place(change: dict[str, Any], message: str) -> None:
    place = next(iter(change))
    with pytest.raises(PlanError, match=rf"{message}.* @ release\[0\]\.mechanism\.{place}"):
        read_plan(plan({**PREFIX, **change}))


def test_what_is_too_large_to_account_for_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matrix, "_MOST_ENTRIES", 7)
    with pytest.raises(InvalidValue, match=r"2 rows and 4 steps is too large"):
        Matrix(1, [[0] * 4] * 2)
    with pytest.raises(InvalidValue, match=r"at most 1099511627776"):
        Tree(1, 2**41)


def test_nothing_is_no_strategy() -> None:
    with pytest.raises(InvalidValue, match=r"row 2: expected a list of numbers, got None"):
        Matrix(1, [[1], None])
    with pytest.raises(InvalidValue, match=r"at least one row and one step"):
        Matrix(1, None)


def test_a_long_strategy_is_not_written_out_in_sentences() -> None:
    rows = [[int(j <= i) for j in range(40)] for i in range(40)]
    guarantee = account(read_plan(plan({**PREFIX, "strategy": rows}))).measure("zcdp")
    assert all(len(step.statement) < 800 for step in guarantee.derivation)
