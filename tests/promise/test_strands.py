"""Units that are alone in what contains them, with one member at most: what exact counts fix of them, by enumeration."""

from __future__ import annotations

import importlib
import itertools
import random
from collections import Counter, defaultdict

import pytest
from attrs import evolve

from accountant import Budget, Entity, Invariant, Neighbours, Specification, Verdict, implies
from accountant.promise.domain import Domain
from accountant.promise.entities import Entities
from accountant.promise.neighbours import ADD_REMOVE, REPLACE_ONE
from accountant.promise.universe import Closest
from tests.promise.nested import Tree, World

DEPTHS = {1: 4, 2: 4, 3: 3}
"""So many outermost things at most, by how many sorts there are."""


def random_strand(chance: random.Random) -> World:
    """Sorts in each other, of which each has one member at most, and some no attributes."""
    depth = chance.choice([1, 2, 2, 3])
    names, sorts = ("visit", "person", "house")[:depth], []
    resized = [chance.random() < 0.7 for _ in names]
    for level, name in enumerate(names):
        outer, member = level + 1 < depth, level > 0
        sorts.append(
            Entity(
                name,
                names[level + 1] if outer else (),
                at_most=1 if outer else None,
                may_move=chance.random() < 0.6 and resized[level + 1] if outer else None,
                may_resize=resized[level] if member else None,
                may_be_empty=chance.random() < 0.4 if member else None,
                attributes=[name[0]] if chance.random() < 0.75 else [],
            )
        )
    return World(_of_two_homes(sorts, chance) if depth == 2 and chance.random() < 0.3 else sorts)


def _of_two_homes(sorts: list[Entity], chance: random.Random) -> list[Entity]:
    """Things that are in one sort of container or in another."""
    member, home = sorts
    other = evolve(home, name="tent", may_be_empty=True, attributes=["t"] if chance.random() < 0.7 else [])
    return [evolve(member, within=[home.name, "tent"]), home, other]


def random_promise(world: World, chance: random.Random) -> Specification:
    """Neighbours by any sort, and up to three exact tables, of all attributes for half of the time."""
    entities = Entities(tuple(world.sorts.values()))
    unit = chance.choice(sorted(world.sorts))
    stuck = any(world.sorts[outer].may_resize is False for outer in world.sorts[unit].within)
    relation = REPLACE_ONE if stuck else chance.choice([ADD_REMOVE, REPLACE_ONE])
    places = [name for outer in entities.around(unit) for name in world.own[outer]] if world.sorts[unit].may_move else []
    may_differ = sorted({*world.own[unit], *places})
    chosen = relation == REPLACE_ONE and may_differ and chance.random() < 0.3
    tables = []
    for number in range(chance.randint(0, 3)):
        counted = chance.choice(sorted(world.sorts))
        had = sorted(entities.record(counted) or ())
        by = had if chance.random() < 0.5 else chance.sample(had, chance.randint(0, len(had)))
        tables.append(Invariant(f"table {number}", by, counted))
    return Specification(
        Neighbours(relation, unit, [chance.choice(may_differ)] if chosen else None, entities=entities), tuple(tables)
    )


def nearest(world: World, promised: Specification, most: int | None = None) -> int | None:
    """How many steps lie between the closest datasets that agree on all tables and differ; None where none do.

    They have so many outermost things at most.
    """
    outermost = [tree for sort in world.sorts.values() if not sort.within for tree in world.trees(sort.name)]
    most = most or DEPTHS[len(world.sorts)]
    every: list[tuple[Tree, ...]] = [
        tuple(sorted(chosen))
        for size in range(most + 1)
        for chosen in itertools.combinations_with_replacement(outermost, size)
    ]
    near, agreeing = {}, defaultdict(set)
    for data in every:
        things = world.read(data)
        steps = {world.canonical(other) for other in world.steps(things, promised.neighbours)} - {data}
        near[data] = {other for other in steps if len(other) <= most}
        unit = promised.neighbours.unit
        tables = (world.counted(things, item.of or unit, item.counts_by or frozenset()) for item in promised.invariants)
        agreeing[tuple(frozenset(table.items()) for table in tables)].add(data)
    found = None
    for alike in agreeing.values():
        for start in alike:
            seen, edge, depth = {start}, {start}, 0
            while edge and (found is None or depth + 1 < found):
                depth += 1
                edge = {other for data in edge for other in near[data]} - seen
                seen |= edge
                if edge & alike:
                    found = depth
    return found


def counted_by_home(promised: Specification) -> bool:
    """Whether one of several sorts of containers is counted, so that it is not seen what this fixes."""
    homes = promised.neighbours.entities[promised.neighbours.unit].within
    return len(homes) > 1 and any(item.of in homes for item in promised.invariants)


def check(seeds: range) -> Counter[tuple[bool, int | None]]:
    """How often promises compare nothing, and how far apart the closest are otherwise; never told wrongly."""
    met = Counter[tuple[bool, int | None]]()
    for seed in seeds:
        chance = random.Random(seed)
        world = random_strand(chance)
        promised = random_promise(world, chance)
        told, found = promised.universe.closest, nearest(world, promised)
        met[told.vacuous, found] += 1
        if told.vacuous or not counted_by_home(promised):
            assert told.vacuous is (found is None), (seed, promised, told, found)
        assert found is None or (told.least or 0) <= found, (seed, promised, told, found)
        assert told.most is None or found is None or found <= told.most, (seed, promised, told, found)
    return met


def test_what_compares_nothing_because_members_show_all_is_vacuous_and_nothing_else() -> None:
    met = check(range(80))
    assert min(met[True, None], met[False, 1], met[False, 2]) > 5, met


@pytest.mark.sweep
def test_what_compares_nothing_in_many_lines_is_vacuous_and_nothing_else() -> None:
    assert min(check(range(80, 3_000)).values()) > 3


def test_lines_that_are_forgotten_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.import_module("accountant.promise.strands"), "strand_of", lambda *_: None)
    with pytest.raises(AssertionError):
        check(range(80))


PERSON = Entity("person", "house", at_most=1, may_move=True, attributes=["age"])
HOUSE = Entity("house", may_resize=True, may_be_empty=False, attributes=["street"])
ALONE = Neighbours.of("replace-one", entities=[PERSON, HOUSE])
PERSONS = Invariant("persons", ["age", "street"], "person")


@pytest.mark.parametrize("unit", ["person", "house"])
def test_counts_of_who_is_alone_in_each_house_leave_nothing_to_compare(unit: str) -> None:
    promised = Specification(evolve(ALONE, unit=unit), (PERSONS,), budgets=(Budget.of("pure", epsilon=1),))
    assert promised.universe.closest == Closest(None, None)
    assert implies(promised, promised).verdict is Verdict.VACUOUS
    crowded = evolve(promised, neighbours=evolve(promised.neighbours, entities=[evolve(PERSON, at_most=2), HOUSE]))
    assert crowded.universe.closest.least is not None
    unlisted = evolve(promised, neighbours=evolve(promised.neighbours, entities=[PERSON, evolve(HOUSE, attributes=None)]))
    assert unlisted.universe.closest.least is not None
    assert Specification(evolve(ALONE, unit=unit)).universe.closest.least == 1


def test_vacant_houses_are_fixed_by_counts_of_their_own() -> None:
    """Whose size is nobody or one: counts of persons leave open how many are vacant, unless nobody changes that."""
    house, houses = evolve(HOUSE, may_be_empty=True), Invariant("houses", ["street"], "house")
    near = evolve(ALONE, entities=[PERSON, house])
    assert Specification(near, (PERSONS,)).universe.closest.vacuous
    assert not Specification(evolve(near, unit="house"), (PERSONS,)).universe.closest.vacuous
    assert Specification(evolve(near, unit="house"), (PERSONS, houses)).universe.closest.vacuous


@pytest.mark.parametrize("moves", [None, False, True])
def test_a_replaced_unit_without_attributes_is_another_one_only_elsewhere_or_with_other_members(
    moves: bool | None,
) -> None:
    person = Entity("person", "house", at_most=2, may_move=moves, attributes=[])
    house = Entity("house", may_resize=True, may_be_empty=True, attributes=["street"])
    promised = Specification(Neighbours.of("replace-one", entities=[person, house]))
    assert promised.universe.closest.vacuous is (moves is False)
    assert moves is None or (nearest(World([person, house]), promised) is None) is not moves
    pair = evolve(house, may_resize=False, may_be_empty=False, attributes=[])
    fixed = evolve(promised.neighbours, unit="house", entities=[evolve(person, may_move=False), pair])
    assert Specification(fixed).universe.closest.vacuous
    assert nearest(World(list(fixed.entities.declared)), Specification(fixed)) is None
    assert not Specification(evolve(fixed, entities=[person, evolve(pair, may_resize=True)])).universe.closest.vacuous
    aged = evolve(person, may_move=False, attributes=["age"])
    assert not Specification(evolve(fixed, entities=[aged, pair])).universe.closest.vacuous


@pytest.mark.parametrize("relation", ["replace-one", "add-remove", "zero-out"])
def test_what_all_datasets_of_a_domain_have_alike_no_step_changes(relation: str) -> None:
    """Steps stay among these datasets: who comes or goes changes every table, who is replaced those by what differs."""
    same = Invariant("ages", ["age"], fixed=True)
    promised = Specification(Neighbours.of(relation), (same,), Domain(attributes=["age", "sex"]))
    assert promised.universe.closest.vacuous is (relation != "replace-one")
    assert evolve(promised, domain=Domain(attributes=["age"])).universe.closest.vacuous
    assert not evolve(promised, invariants=()).universe.closest.vacuous
    if relation == "replace-one":
        assert evolve(promised, neighbours=Neighbours.of(relation, attributes=["age"])).universe.closest.vacuous
        assert promised.universe.changing == ()
