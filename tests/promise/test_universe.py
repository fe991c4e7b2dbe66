"""Universes: what published counts fix, and how far apart comparable datasets are, against enumeration."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Iterator

import pytest
from hypothesis import given, settings, strategies as st

from accountant import InvalidValue, Invariant, Neighbours
from accountant.finite import multisets
from accountant.promise.datasets import Contrast, Dataset, nearest, told_apart
from accountant.promise.margins import OTHER
from accountant.promise.neighbours import ADD_REMOVE, REPLACE_ONE, Relation
from accountant.promise.universe import Closest, Universe

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


def closest(
    invariants: Collection[Invariant], neighbours: Neighbours, attributes: Collection[str] | None = None
) -> Closest:
    return Universe(neighbours, tuple(invariants), attributes).closest


def fixes(fine: Collection[Invariant], coarse: Invariant) -> bool:
    return any(known.determines(coarse) for known in fine)


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(INVARIANTS, SETS)
def test_what_counts_fix_is_decided_and_every_contrast_checks_out(fine: list[Invariant], names: frozenset[str]) -> None:
    coarse, universe = counted(names), Universe(Neighbours(ADD_REMOVE), tuple(fine))
    found = told_apart(names, universe)
    if fixes(fine, coarse):
        assert found is None
        for left, right in itertools.combinations(multisets(RECORDS[:5], 2), 2):
            assert not agree(left, right, fine) or agree(left, right, [coarse])
    elif names:
        assert found is not None
        assert agree(found.left, found.right, fine)
        assert not agree(found.left, found.right, [coarse])
        assert found.compared_by(universe) == (Counter(found.left) - Counter(found.right)).total() * 2
    else:
        assert (found is None) == bool(fine)


@settings(max_examples=200, deadline=None)
@given(INVARIANTS, st.sampled_from([None, ("a",), ("a", "b"), ("c",)]), st.sampled_from([ADD_REMOVE, REPLACE_ONE]))
def test_the_nearest_contrast_is_compared_and_as_close_as_any(
    invariants: list[Invariant], differing: tuple[str, ...] | None, relation: Relation
) -> None:
    neighbours = Neighbours(relation, "person", differing if relation.edits else None)
    universe = Universe(neighbours, tuple(invariants))
    found = nearest(universe)
    assert found is not None
    assert found.compared_by(universe) == universe.closest.least
    assert found.repeated(3).distance(neighbours) == 3 * (found.distance(neighbours) or 0)


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
        assert found.least == min(distances) == found.most


def test_the_cases_that_people_meet() -> None:
    sex_by_age = [counted(["a", "b"])]
    anyone, someone = Neighbours(REPLACE_ONE), Neighbours(REPLACE_ONE, "person", ["a"])
    assert closest((), anyone) == Closest(1, 1)
    assert closest(sex_by_age, anyone) == Closest(1, 1)
    assert closest(sex_by_age, someone) == Closest(2, 2)
    assert closest(sex_by_age, someone, ["a", "b"]) == Closest(None, None)
    three_margins = [counted(pair) for pair in itertools.combinations(ATTRIBUTES, 2)]
    assert closest(three_margins, someone, ATTRIBUTES) == Closest(4, 4)
    assert closest([counted([])], Neighbours(ADD_REMOVE)) == Closest(2, 2)
    assert closest((), Neighbours(ADD_REMOVE)) == Closest(1, 1)
    assert closest([Invariant("structural zeros")], anyone) == Closest(1, None)
    assert closest([counted(["a"]), Invariant("structural zeros")], someone) == Closest(2, None)


@pytest.mark.parametrize(("together", "apart"), [(1, 2), (2, 4), (3, 8)])
def test_more_tables_take_datasets_farther_apart(together: int, apart: int) -> None:
    """Where every so many of four attributes are counted; the witness is compared and that far apart."""
    names = (*ATTRIBUTES, "d")
    tables = tuple(counted(chosen) for chosen in itertools.combinations(names, together))
    universe = Universe(Neighbours(REPLACE_ONE, "person", ["a"]), tables, names)
    assert universe.closest == Closest(apart, apart)
    shown = nearest(universe)
    assert shown is not None
    assert agree(shown.left, shown.right, tables)
    assert replaced(shown.left, shown.right, frozenset("a")) == apart


def test_among_many_tables_no_more_is_said_than_is_known() -> None:
    """Tables that leave out three of thirty attributes each: too many sets to try them all."""
    names = [f"x{number:02}" for number in range(30)]
    tables = tuple(counted([name for name in names if name not in names[at : at + 3]]) for at in range(0, 28))
    found = Universe(Neighbours(REPLACE_ONE, "person", names[:1]), tables, names).closest
    # Ten attributes meet all gaps of three, and the first of all is one of them: no fewer do.
    assert found.least is not None
    assert found.most is not None
    assert found.least <= 2**9 <= found.most


def test_counts_of_another_entity_may_separate_any_two_datasets() -> None:
    """Nobody has said how housing units change with a person."""
    housing = Invariant("units by block", ["block"], "housing unit")
    someone = Neighbours(REPLACE_ONE, "person", ["a"])
    assert closest([housing], someone, ["a", "b"]) == Closest(1, None)
    universe = Universe(someone, (housing,))
    assert universe.undeclared == universe.changing == (housing,)
    assert not universe.connected
    assert nearest(universe) is None
    same = Invariant("persons by a", ["a"], "person")
    assert closest([same], someone) == closest([counted(["a"])], someone) == Closest(2, 2)


def test_a_domain_in_words_may_leave_the_closest_datasets_out() -> None:
    assert Universe(Neighbours(REPLACE_ONE), (counted(["a"]),), whole=False).closest == Closest(1, None)


TABLES = [(), ("a",), ("b",), ("a", "b")]


@pytest.mark.parametrize("differing", [None, ("a",), ("a", "b")])
@pytest.mark.parametrize("relation", [ADD_REMOVE, REPLACE_ONE], ids=lambda relation: relation.name)
def test_where_a_universe_is_connected_no_step_leaves_it(differing: tuple[str, ...] | None, relation: Relation) -> None:
    """Shortest ways by hops of the least distance inside the universe are as short as those outside it."""
    neighbours = Neighbours(relation, "person", differing if relation.edits else None)
    records = [frozenset(chosen) for size in range(3) for chosen in itertools.combinations(("a", OTHER), size)]
    every, connected = multisets([*records, frozenset("b")], 3), 0
    for size in range(3):
        for tables in itertools.combinations(TABLES, size):
            invariants = [counted(table) for table in tables]
            universe = Universe(neighbours, tuple(invariants))
            if universe.connected and universe.closest.least is not None:
                connected += 1
                groups: defaultdict[Hashable, list[Dataset]] = defaultdict(list)
                for dataset in every:
                    groups[tuple(frozenset(table(dataset, known).items()) for known in invariants)].append(dataset)
                for group in groups.values():
                    reached_without_detour(group, neighbours, universe.closest.least)
    assert connected >= 2


def reached_without_detour(group: list[Dataset], neighbours: Neighbours, hop: int) -> None:
    apart = {pair: Contrast(*pair).distance(neighbours) for pair in itertools.permutations(group, 2)}
    near = {one: [other for other in group if apart.get((one, other)) == hop] for one in group}
    for start in group:
        reached, edge = {start: 0}, [start]
        while edge:
            found = dict.fromkeys(end for middle in edge for end in near[middle] if end not in reached)
            reached.update(dict.fromkeys(found, reached[edge[0]] + hop))
            edge = list(found)
        for end in group:
            if end != start and apart[start, end] is not None:
                assert reached.get(end) == apart[start, end], (start, end)


def test_who_knows_all_others_reads_counted_attributes_off() -> None:
    universe = Universe(Neighbours(ADD_REMOVE), (counted(["a"]), counted(["b"])))
    assert universe.exposed == {"a", "b"}
    assert universe.shows_presence
    assert not Universe(Neighbours(REPLACE_ONE), (counted([]),)).exposed
    assert OTHER not in universe.exposed


def test_what_is_known_by_name_only_is_not_guessed() -> None:
    named, total = Invariant("structural zeros"), counted([])
    assert named.determines(named)
    assert not total.determines(named)
    assert not named.determines(total)


def test_a_count_without_attributes_is_refused() -> None:
    with pytest.raises(InvalidValue, match="counts housing units; say by which attributes"):
        Invariant("units", of="housing units")
