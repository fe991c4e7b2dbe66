"""Universes of nested entities: what may change and how far comparable datasets are apart, against enumeration."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator

import pytest
from attrs import evolve

from accountant import Entity, Invariant, Neighbours, Specification
from accountant.promise.entities import Entities
from accountant.promise.universe import Closest, Universe
from tests.promise.nested import Dataset, Tree, World, random_dataset, random_neighbours, random_world

Counts = list[Counter[tuple[tuple[str, int], ...]]]


def random_invariants(world: World, chance: random.Random) -> tuple[Invariant, ...]:
    """Up to two exact tables of any sort by any attributes that it has."""
    entities, found = Entities(tuple(world.sorts.values())), []
    for number in range(chance.choice([1, 1, 2])):
        name = chance.choice(sorted(world.sorts))
        had = sorted(entities.record(name) or ())
        found.append(Invariant(f"table {number}", chance.sample(had, min(len(had), chance.choice([0, 1, 1, 2]))), name))
    return tuple(found)


def counts(world: World, data: Dataset, invariants: tuple[Invariant, ...]) -> Counts:
    return [world.counted(data, item.of or "", item.counts_by or frozenset()) for item in invariants]


def comparable(
    world: World, start: Dataset, neighbours: Neighbours, invariants: tuple[Invariant, ...], farthest: int
) -> Iterator[tuple[int, tuple[Tree, ...]]]:
    """All datasets at each distance that agree with one on all tables, nearest first."""
    home, own = world.canonical(start), counts(world, start, invariants)
    found, edge = {home}, {home}
    for distance in range(1, farthest + 1):
        edge = {world.canonical(other) for data in edge for other in world.steps(world.read(data), neighbours)} - found
        found |= edge
        yield from ((distance, data) for data in edge if counts(world, world.read(data), invariants) == own)


def case(seed: int) -> tuple[World, Neighbours, Universe, random.Random] | None:
    chance = random.Random(seed)
    world = random_world(chance)
    neighbours = random_neighbours(world, chance)
    if neighbours is None:
        return None
    return world, neighbours, Specification(neighbours, random_invariants(world, chance)).universe, chance


def check(seeds: range, datasets: int = 6) -> Counter[str]:
    """What was met: claims about what changes and how far apart the closest are, none of them false."""
    met = Counter[str]()
    for seed in seeds:
        found = case(seed)
        if found is None:
            continue
        world, neighbours, universe, chance = found
        closest, changing = universe.closest, set(universe.changing)
        met["known to stay"] += len(universe.invariants) - len(changing)
        nearest = []
        for _ in range(datasets):
            data = random_dataset(world, chance)
            for distance, other in comparable(world, data, neighbours, universe.invariants, 1):
                nearest.append(distance)
                assert not closest.vacuous, (seed, data, other)
                assert closest.least == 1, (seed, data, other)
            kept = [item for item in universe.invariants if item not in changing]
            for other in world.steps(data, neighbours):
                assert counts(world, data, tuple(kept)) == counts(world, other, tuple(kept)), (seed, kept)
        met["no neighbours compared"] += closest.least != 1
        met["neighbours compared"] += closest == Closest(1, 1)
        more = (random_dataset(world, chance) for _ in range(300))
        found_later = (data for data in more if any(comparable(world, data, neighbours, universe.invariants, 1)))
        assert closest != Closest(1, 1) or nearest or next(found_later, None), seed
    return met


def test_nothing_that_is_said_of_nested_universes_is_false() -> None:
    met = check(range(40))
    assert min(met.values()) > 2, met


@pytest.mark.sweep
def test_nothing_that_is_said_of_many_nested_universes_is_false() -> None:
    assert min(check(range(40, 1_000), 8).values()) > 30


def test_a_universe_that_forgets_what_is_exact_is_caught() -> None:
    """Without the tables of the unit all neighbours seem to be compared, and some that are not are found missing."""
    caught = 0
    for seed in range(60):
        found = case(seed)
        if found is not None and found[2].closest.least not in (None, 1):
            caught += evolve(found[2], invariants=()).closest.least == 1
    assert caught > 2


PERSON = Entity("person", "house", at_most=3, may_move=True, attributes=["age"])
HOUSE = Entity("house", may_resize=True, may_be_empty=False, attributes=["street"], derived=["size"])


def universe(*invariants: Invariant, **words: object) -> Universe:
    return Universe(Neighbours.of("replace-one", entities=[PERSON, HOUSE], **words), invariants)  # type: ignore[arg-type]


def test_the_cases_that_people_meet() -> None:
    houses, sizes = Invariant("houses", ["street"], "house"), Invariant("sizes", ["size"], "house")
    assert universe(houses).coupled == (houses,)
    assert universe(houses, attributes=["age"]).changing == ()
    assert universe(houses, attributes=["age"]).single_steps
    assert universe(sizes, attributes=["street"]).coupled == (sizes,)
    assert universe(houses).closest == Closest(1, 1)
    assert universe(sizes).closest == Closest(1, None)
    assert universe(Invariant("zeros", fixed=True)).changing == ()
    assert universe(Invariant("zeros")).undeclared == (Invariant("zeros"),)
    by_name = Invariant("hotels", [], "hotel")
    assert Universe(Neighbours.of("replace-one", entities=[PERSON, HOUSE]), (by_name,)).undeclared == (by_name,)


@pytest.mark.parametrize("listed", [True, False])
def test_records_have_the_attributes_that_entities_list_and_no_others(listed: bool) -> None:
    """Two persons who are alike in all that a person has are one person twice."""
    person = Entity("person", attributes=["age", "sex"] if listed else None)
    counted = Invariant("persons by age and sex", ["age", "sex"])
    found = Specification(Neighbours.of("replace-one", entities=[person]), (counted,)).universe
    assert found.closest == (Closest(None, None) if listed else Closest(1, 1))
    assert found.attributes == (person.attributes if listed else None)
