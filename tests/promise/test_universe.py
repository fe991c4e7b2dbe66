"""Universes: what published counts fix, and how far apart comparable datasets are, against enumeration."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator

import pytest
from hypothesis import given, settings, strategies as st

from accountant import InvalidValue, Invariant, Neighbours
from accountant.finite import multisets
from accountant.promise.neighbours import ADD_REMOVE, REPLACE_ONE
from accountant.promise.universe import Closest, Dataset, closest, meet, refines

ATTRIBUTES = ("a", "b", "c")
RECORDS = [frozenset(chosen) for size in range(4) for chosen in itertools.combinations(ATTRIBUTES, size)]
SETS = st.sets(st.sampled_from(ATTRIBUTES)).map(frozenset)
INVARIANTS = st.lists(SETS, max_size=3).map(lambda sets: [counted(names) for names in sets])


def counted(names: Collection[str]) -> Invariant:
    return Invariant(f"by {' and '.join(sorted(names)) or 'nothing'}", sorted(names))


def table(dataset: Dataset, invariant: Invariant) -> Counter[frozenset[str]]:
    assert invariant.counts_by is not None
    return Counter(record & invariant.counts_by for record in dataset)


def agree(left: Dataset, right: Dataset, invariants: Collection[Invariant]) -> bool:
    return all(table(left, invariant) == table(right, invariant) for invariant in invariants)


@settings(max_examples=300, deadline=None)
@given(INVARIANTS, INVARIANTS)
def test_refinement_is_decided_and_every_refutation_checks_out(fine: list[Invariant], coarse: list[Invariant]) -> None:
    found = refines(fine, coarse)
    if found.holds:
        for left, right in itertools.combinations(multisets(RECORDS[:5], 2), 2):
            assert not agree(left, right, fine) or agree(left, right, coarse)
    else:
        assert found.holds is False
        assert found.witness is not None
        left, right = found.witness
        assert agree(left, right, fine)
        assert not agree(left, right, coarse)


@given(INVARIANTS, INVARIANTS, INVARIANTS)
def test_meeting_is_commutative_associative_and_idempotent(
    first: list[Invariant], second: list[Invariant], third: list[Invariant]
) -> None:
    assert meet(first, second) == meet(second, first)
    assert meet(meet(first, second), third) == meet(first, meet(second, third))
    assert meet(first, first) == meet(first, ())
    assert refines(meet(first, second), first).holds
    assert refines(meet(first, second), second).holds


def universes(invariants: Collection[Invariant], size: int) -> Iterator[list[Dataset]]:
    groups: defaultdict[tuple[frozenset[tuple[frozenset[str], int]], ...], list[Dataset]] = defaultdict(list)
    for dataset in itertools.combinations_with_replacement(RECORDS, size):
        key = tuple(frozenset(table(dataset, invariant).items()) for invariant in invariants)
        groups[key].append(dataset)
    yield from groups.values()


def replaced(left: Dataset, right: Dataset, differing: frozenset[str]) -> int | None:
    """How many records take other values, if each may only change in some attributes."""
    gone, come = list((Counter(left) - Counter(right)).elements()), list((Counter(right) - Counter(left)).elements())
    matched = any(
        all(before ^ after <= differing for before, after in zip(gone, order, strict=True))
        for order in itertools.permutations(come)
    )
    return len(gone) if matched else None


@settings(max_examples=25, deadline=None)
@given(INVARIANTS, st.sampled_from([("a",), ("a", "b"), ("c",), ATTRIBUTES]))
def test_the_closest_comparable_dataset_is_as_far_as_enumeration_says(
    invariants: list[Invariant], differing: tuple[str, ...]
) -> None:
    """Four records are enough for every case: the longest move of three attributes replaces four."""
    found = closest(invariants, Neighbours(REPLACE_ONE, "person", differing), ATTRIBUTES)
    distances = {
        distance
        for size in (1, 2, 4)
        for universe in universes(invariants, size)
        if size < 4 or len(universe) < 40
        for left, right in itertools.combinations(universe, 2)
        if (distance := replaced(left, right, frozenset(differing))) is not None
    }
    if found.vacuous:
        assert not distances
    else:
        assert found.least is not None
        assert found.most is not None
        assert found.least <= min(distances) <= found.most


def test_the_cases_that_people_meet() -> None:
    sex_by_age = [counted(["a", "b"])]
    anyone, someone = Neighbours(REPLACE_ONE), Neighbours(REPLACE_ONE, "person", ["a"])
    assert closest((), anyone) == Closest(1, 1)
    assert closest(sex_by_age, anyone) == Closest(1, 1)
    assert closest(sex_by_age, someone) == Closest(2, 2)
    assert closest(sex_by_age, someone, ["a", "b"]) == Closest(None, None)
    three_margins = [counted(pair) for pair in itertools.combinations(ATTRIBUTES, 2)]
    assert closest(three_margins, someone, ATTRIBUTES) == Closest(3, 4)
    assert closest([counted([])], Neighbours(ADD_REMOVE)) == Closest(2, 2)
    assert closest((), Neighbours(ADD_REMOVE)) == Closest(1, 1)
    assert closest([Invariant("structural zeros")], anyone) == Closest(1, None)
    assert closest([Invariant("units by block", ["block"], "housing unit")], someone, ["a", "b"]) == Closest(1, 1)


def test_what_is_known_by_name_only_is_not_guessed() -> None:
    named, total = Invariant("structural zeros"), counted([])
    assert refines([named], [named]).holds
    assert refines([named, total], [total]).holds
    assert refines([total], [named]).holds is None
    assert refines([named], [total]).holds is None


def test_a_count_without_attributes_is_refused() -> None:
    with pytest.raises(InvalidValue, match="counts housing units; say by which attributes"):
        Invariant("units", of="housing units")
