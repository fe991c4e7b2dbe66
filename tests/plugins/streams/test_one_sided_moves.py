"""Streams of answers that a record can only raise: every set of steps and every cell is tried."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from accountant import Neighbours, account, read_plan
from accountant.plugin import ADD_REMOVE, REPLACE_ONE
from accountant_builtin.queries import Count, Histogram, Sum
from accountant_streams.matrix import Matrix
from tests.plugins.streams.enumeration import moved, patterns

OPPOSED = {"kind": "matrix", "sigma": "1", "strategy": [["1", "-1"]], "participations": 2}


def rho(query: dict[str, Any], neighbours: str) -> Any:
    release = {"name": "stream", "query": query, "mechanism": OPPOSED}
    return (
        account(read_plan({"specification": {"neighbours": neighbours}, "release": [release]})).measure("zcdp").value.exact
    )


@pytest.mark.parametrize(
    ("query", "neighbours", "truth"),
    [
        ({"kind": "count"}, "add-remove", "1/2"),
        ({"kind": "sum", "lower": 0, "upper": 1}, "add-remove", "1/2"),
        ({"kind": "sum", "lower": -1, "upper": 0}, "add-remove", "1/2"),
        ({"kind": "sum", "lower": -1, "upper": 1}, "add-remove", "2"),
        ({"kind": "count"}, "replace-one", "2"),
        ({"kind": "histogram"}, "add-remove", "1"),
        ({"kind": "histogram"}, "replace-one", "4"),
    ],
)
def test_a_record_that_is_added_raises_all_steps_or_none(query: dict[str, Any], neighbours: str, truth: str) -> None:
    assert rho(query, neighbours) == Fraction(truth)


def random_strategy(chance: random.Random) -> tuple[list[list[Fraction]], int, int]:
    rows, steps = chance.randint(1, 3), chance.randint(2, 4)
    strategy = [[Fraction(chance.randint(-3, 3)) for _ in range(steps)] for _ in range(rows)]
    return strategy, chance.randint(2, 3), chance.randint(1, 2)


def largest(strategy: Any, participations: int, separation: int, moves: list[tuple[Fraction, ...]]) -> Fraction:
    return max(
        moved(strategy, dict(zip(chosen, given, strict=True)))
        for chosen in patterns(len(strategy[0]), participations, separation)
        for given in product(moves, repeat=len(chosen))
    )


@pytest.mark.parametrize("seed", range(40))
def test_both_ends_are_those_of_all_moves_that_the_query_has(seed: int) -> None:
    strategy, participations, separation = random_strategy(random.Random(seed))
    mechanism = Matrix(1, strategy, participations=participations, separation=separation)
    one, added, replaced = Fraction(1), Neighbours(ADD_REMOVE), Neighbours(REPLACE_ONE)

    raised = mechanism.moved_squared(Count().shift(added))
    assert raised.below == raised.above == largest(strategy, participations, separation, [(one,), (0 * one,)])
    signed = largest(strategy, participations, separation, [(one,), (-one,)])
    for shift in (Count().shift(replaced), Sum(-1, 1).shift(added)):
        assert mechanism.moved_squared(shift) == (signed, signed)

    cells = [tuple(Fraction(cell == own) for cell in range(3)) for own in range(3)]
    truth = largest(strategy, participations, separation, cells)
    ends = mechanism.moved_squared(Histogram().shift(added))
    assert ends.below <= truth <= ends.above


def test_signs_that_a_count_cannot_have_would_be_noticed() -> None:
    """The planted error: a loss that moves steps against each other, as if a record could lower a count."""
    mechanism = Matrix(1, [["1", "-1"]], participations=2)
    assert mechanism.sensitivity_squared().below > mechanism.moved_squared(Count().shift(Neighbours(ADD_REMOVE))).above
