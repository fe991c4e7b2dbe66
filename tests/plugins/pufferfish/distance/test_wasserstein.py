"""Distances of order infinity between finite laws."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from accountant import InvalidValue
from accountant.finite import hamming
from accountant_pufferfish.distance.wasserstein import line_distance, transport
from tests.plugins.pufferfish.transport_references import kolmogorov, laws, one_sided, strassen, wasserstein_one

numbers = st.integers(-6, 6)
bits = st.tuples(*[st.integers(0, 1)] * 3)
few = settings(deadline=None, max_examples=60)


def apart(left: int, right: int) -> int:
    return abs(left - right)


@few
@given(laws(numbers), laws(numbers))
def test_sorting_is_as_good_as_the_best_transport_on_the_line(first: Any, second: Any) -> None:
    assert line_distance(first, second) == transport(first, second, apart).distance == strassen(first, second, apart)


@few
@given(laws(bits), laws(bits))
def test_transport_agrees_with_the_condition_on_all_sets(first: Any, second: Any) -> None:
    assert transport(first, second, hamming).distance == strassen(first, second, hamming)  # type: ignore[arg-type]


@few
@given(laws(bits, 8), laws(bits, 8))
def test_plan_and_obstacle_prove_the_distance(first: Any, second: Any) -> None:
    found = transport(first, second, hamming)
    for side, law in enumerate((first, second)):
        for outcome, mass in law.items():
            assert sum(part for pair, part in found.plan.items() if pair[side] == outcome) == mass
    assert max(hamming(*pair) for pair in found.plan) == found.distance  # type: ignore[type-var]
    near = {y for y in second if any(hamming(x, y) < found.distance for x in found.stuck)}  # type: ignore[operator]
    assert sum(first[x] for x in found.stuck) > sum(second[y] for y in near)


@few
@given(laws(numbers), laws(numbers), laws(numbers))
def test_it_is_a_distance(first: Any, second: Any, third: Any) -> None:
    assert line_distance(first, second) == line_distance(second, first)
    assert line_distance(first, third) <= line_distance(first, second) + line_distance(second, third)
    assert (line_distance(first, second) == 0) == (first == second)


def pushed(law: Any, function: Any) -> Any:
    masses: dict[Any, Fraction] = {}
    for value, mass in law.items():
        masses[function(value)] = masses.get(function(value), Fraction(0)) + mass
    return masses


@few
@given(laws(numbers), laws(numbers), st.lists(st.fractions(-1, 1), min_size=12, max_size=12), st.integers(-3, 3))
def test_no_map_stretches_it_by_more_than_it_stretches_distances(
    first: Any, second: Any, steps: list[Fraction], factor: int
) -> None:
    heights = dict(zip(range(-6, 7), itertools.accumulate(steps, initial=Fraction(0)), strict=True))
    before = line_distance(first, second)
    assert line_distance(pushed(first, heights.get), pushed(second, heights.get)) <= before
    scaled = [pushed(law, lambda value: factor * value + 1) for law in (first, second)]
    assert line_distance(*scaled) == abs(factor) * before


@few
@given(laws(bits), laws(bits), st.permutations(range(3)), bits)
def test_renaming_records_and_values_changes_nothing(first: Any, second: Any, order: list[int], flips: Any) -> None:
    def renamed(data: Any) -> Any:
        return tuple(data[place] ^ flips[place] for place in order)

    found = transport(pushed(first, renamed), pushed(second, renamed), hamming)
    assert found.distance == transport(first, second, hamming).distance


@few
@given(laws(bits), laws(bits), st.tuples(*[st.integers(-3, 3)] * 3))
def test_a_statistic_moves_by_at_most_its_slope_times_the_distance(first: Any, second: Any, weights: Any) -> None:
    def statistic(data: Any) -> int:
        return sum(w * x for w, x in zip(weights, data, strict=True))

    slope = max(abs(w) for w in weights)
    distance = transport(first, second, hamming).distance
    assert distance is not None
    assert line_distance(pushed(first, statistic), pushed(second, statistic)) <= slope * distance


def test_other_distances_are_smaller_and_would_be_caught() -> None:
    first, second = {0: Fraction(999, 1000), 9: Fraction(1, 1000)}, {0: Fraction(1)}
    assert line_distance(first, second) == 9
    assert wasserstein_one(first, second) == Fraction(9, 1000)
    assert kolmogorov(first, second) == Fraction(1, 1000)


def test_levels_of_one_law_alone_miss_a_gap() -> None:
    first, second = {0: Fraction(1, 2), 5: Fraction(1, 2)}, {0: Fraction(1, 3), 1: Fraction(1, 6), 5: Fraction(1, 2)}
    assert line_distance(first, second) == 1
    wide = {0: Fraction(1)}, {-4: Fraction(1, 2), 0: Fraction(1, 2)}
    assert line_distance(*wide) == 4
    assert one_sided(*wide) == 0


def test_mass_with_nowhere_to_go_makes_it_infinite() -> None:
    found = transport({(0,): "1/2", (0, 1): "1/2"}, {(1,): "2/3", (1, 1): "1/3"}, hamming)
    assert found.distance is None
    assert found.stuck == {(0, 1)}
    assert not found.plan


def test_exact_numbers_in_any_spelling_are_outcomes() -> None:
    assert line_distance({"1/3": 1}, {"0.5": "0.25", Fraction(1, 3): "0.75"}) == Fraction(1, 6)


@pytest.mark.parametrize(
    ("first", "message"),
    [({0: "1/2"}, "must sum to 1"), ({0: 2, 1: -1}, "negative"), ({"a": 1}, "not a finite number")],
)
def test_what_is_no_law_on_the_line_is_refused(first: Any, message: str) -> None:
    with pytest.raises(InvalidValue, match=message):
        line_distance(first, {0: 1})


def test_negative_distances_are_refused() -> None:
    with pytest.raises(InvalidValue, match="negative"):
        transport({0: 1}, {1: 1}, lambda left, right: left - right)
