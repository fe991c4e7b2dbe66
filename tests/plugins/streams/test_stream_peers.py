"""Streams as other libraries account for them; see vectors/make_stream_vectors.py."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from accountant.plugin import Shift
from accountant_streams import Matrix, Tree
from tests.plugins.streams.enumeration import in_blocks

DOCUMENT: dict[str, Any] = json.loads((Path(__file__).parent / "vectors" / "streams.json").read_text("utf-8"))
ONE = Shift.along([1])
# The peers compute in doubles.
ROUNDING = 1e-12


def matrix(row: dict[str, Any]) -> Matrix:
    strategy = DOCUMENT["strategies"][row["strategy"]]
    return Matrix(1, strategy, participations=row["participations"], separation=row["separation"])


def rows(*what: str) -> list[dict[str, Any]]:
    return [row for row in DOCUMENT["matrices"] if row["what"] in what]


def identity(row: dict[str, Any]) -> str:
    return " ".join(str(value) for value in row.values() if not isinstance(value, float | dict))


@pytest.mark.parametrize("row", rows("one", "banded"), ids=identity)
def test_sensitivities_that_a_peer_knows_exactly_are_the_same(row: dict[str, Any]) -> None:
    below, above = matrix(row).sensitivity_squared()
    assert below == above
    assert abs(float(above) ** 0.5 - row["sensitivity"]) <= ROUNDING * row["sensitivity"]


@pytest.mark.parametrize("row", rows("upper"), ids=identity)
def test_no_peer_has_a_smaller_upper_end(row: dict[str, Any]) -> None:
    assert float(matrix(row).sensitivity_squared().above) ** 0.5 <= row["sensitivity"] * (1 + ROUNDING)


def test_some_upper_ends_are_smaller_than_those_of_the_peer() -> None:
    gains = [row["sensitivity"] ** 2 / float(matrix(row).sensitivity_squared().above) for row in rows("upper")]
    assert max(gains) > 1.1
    assert sum(gain > 1.001 for gain in gains) >= 8


@pytest.mark.parametrize("row", rows("epochs"), ids=identity)
def test_fixed_epochs_are_some_of_the_patterns(row: dict[str, Any]) -> None:
    assert row["sensitivity"] <= float(matrix(row).sensitivity_squared().above) ** 0.5 * (1 + ROUNDING)


@pytest.mark.parametrize("row", DOCUMENT["orders"], ids=identity)
def test_a_tree_with_one_participation_has_the_moments_of_the_peer(row: dict[str, Any]) -> None:
    loss = Tree(row["sigma"], row["leaves"]).loss(ONE)
    for order, value in row["renyi"].items():
        found = loss.renyi(order)
        assert found.lower * (1 - ROUNDING) <= value <= found.upper * (1 + ROUNDING)


@pytest.mark.parametrize("row", DOCUMENT["epochs"], ids=identity)
def test_epochs_in_the_same_order_are_some_of_the_patterns_of_a_tree(row: dict[str, Any]) -> None:
    steps, epochs = row["steps"], row["epochs"]
    leaves = steps * epochs
    assert row["squared"] == max(in_blocks(leaves, range(first, leaves, steps)) for first in range(steps))
    found = Tree(1, leaves, participations=epochs, separation=steps).sensitivity_squared()
    assert row["squared"] <= found.below
    if steps & (steps - 1) == 0:
        assert row["squared"] == found.above


def test_another_order_in_every_epoch_can_cost_more() -> None:
    """Seven steps six times over: a record that need not keep its place can meet itself in more blocks."""
    worse = (1, 8, 15, 24, 31, 39)
    assert in_blocks(42, worse) > next(row["squared"] for row in DOCUMENT["epochs"] if row["steps"] == 7)
    assert in_blocks(42, worse) == Tree(1, 42, participations=6, separation=7).sensitivity_squared().above


@pytest.mark.parametrize("row", DOCUMENT["epsilons"], ids=identity)
def test_epsilon_is_below_that_by_way_of_moments(row: dict[str, Any]) -> None:
    steps, epochs = row["steps"], row["epochs"]
    found = Tree(row["sigma"], steps * epochs, participations=epochs, separation=steps).loss(ONE).epsilon(row["delta"])
    assert 0.9 * row["epsilon"] <= found.upper <= row["epsilon"]
