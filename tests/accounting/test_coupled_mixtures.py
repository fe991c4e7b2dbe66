"""Laws of the output under two secrets are told apart no better than two datasets as far apart as the data are coupled."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

import accountant
from accountant.finite import Pair
from accountant.plugin import DIVERGENCES

DATASETS = list(itertools.product((0, 1), repeat=3))
KEPT = Fraction(3, 4)
EPSILON = math.log(3)
AT: list[tuple[str, dict[str, str]]] = [
    ("pure", {}),
    ("approx", {"epsilon": "0.7"}),
    ("approx", {"delta": "0.01"}),
    ("renyi", {"order": "2"}),
    ("zcdp", {}),
    ("fdp", {"level": "0.1"}),
    ("gdp", {}),
    ("pbdp", {"delta": "0.05"}),
]

couplings = st.lists(
    st.tuples(st.sampled_from(DATASETS), st.sampled_from(DATASETS), st.integers(1, 9)), min_size=1, max_size=6
)


def likelihood(dataset: tuple[int, ...], output: tuple[int, ...]) -> Fraction:
    same = sum(left == right for left, right in zip(dataset, output, strict=True))
    return KEPT**same * (1 - KEPT) ** (3 - same)


def mixtures(coupling: list[tuple[tuple[int, ...], tuple[int, ...], int]]) -> Pair:
    total = sum(weight for *_, weight in coupling)
    return Pair(
        tuple(sum(likelihood(item[side], output) * item[2] for item in coupling) / total for side in (0, 1))
        for output in DATASETS
    )


def apart(coupling: list[tuple[tuple[int, ...], tuple[int, ...], int]]) -> int:
    return max(sum(a != b for a, b in zip(left, right, strict=True)) for left, right, _ in coupling)


def between(units: int) -> accountant.Account:
    plan: dict[str, Any] = {
        "specification": {"neighbours": "replace-one", "group": units},
        "release": [{"name": "answers", "mechanism": {"kind": "randomised-response", "epsilon": Fraction(EPSILON)}}],
    }
    return accountant.account(accountant.read_plan(plan))


ACCOUNTS = {units: between(units) for units in (1, 2, 3)}


def exceeded(pair: Pair, units: int) -> list[str]:
    """The readings in which a pair of mixtures loses more than datasets so far apart."""
    loss = accountant.loss.FiniteLoss(pair.atoms)
    found = []
    for name, at in AT:
        definition = accountant.default_registry()[DIVERGENCES][name]
        words = {word: Fraction(value) for word, value in at.items()}
        lost = definition.measure(loss, words).lower
        if lost > ACCOUNTS[units].measure(name, at).value.upper * (1 + 1e-9):
            found.append(name)
    return found


@settings(deadline=None, max_examples=60)
@given(couplings)
def test_mixtures_over_a_coupling_lose_no_more_than_the_farthest_pair(coupling: Any) -> None:
    units = apart(coupling)
    if units:
        assert not exceeded(mixtures(coupling), units)


def test_the_bound_is_attained_where_the_coupling_is_a_single_pair() -> None:
    pair = mixtures([((0, 0, 0), (1, 1, 0), 1)])
    ratio = pair.likelihood_ratio()
    assert ratio == 9
    assert math.log(9) <= ACCOUNTS[2].measure("pure").value.upper * (1 + 1e-12)


def test_one_unit_is_caught_where_most_of_the_data_move_two() -> None:
    coupling = [((0, 0, 0), (1, 1, 0), 9), ((0, 0, 1), (0, 0, 1), 1)]
    assert not exceeded(mixtures(coupling), 2)
    assert exceeded(mixtures(coupling), 1) == ["pure", "approx", "approx", "renyi", "zcdp", "fdp", "gdp", "pbdp"]


@pytest.mark.parametrize("units", [1, 2])
def test_fewer_units_than_the_farthest_pair_are_caught(units: int) -> None:
    assert "pure" in exceeded(mixtures([((0, 0, 0), (1, 1, 1), 1)]), units)
