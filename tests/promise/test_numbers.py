"""What exact numbers leave nothing of: containers of one or two members that are all alike, and what comes with a unit."""

from __future__ import annotations

import importlib
import random
from collections import Counter

import pytest

from accountant import Entity, Invariant, Neighbours, Specification
from accountant.promise.entities import Entities
from accountant.promise.neighbours import ADD_REMOVE, REPLACE_ONE
from accountant.promise.strands import comes_along
from tests.promise.nested import World, random_world
from tests.promise.test_strands import nearest


def random_houses(chance: random.Random) -> tuple[World, Specification]:
    """Persons in houses, mostly without attributes, counted exactly in one way or another."""
    resize = chance.random() < 0.7
    person = Entity(
        "person",
        "house",
        at_most=chance.choice([1, 2, 2, 2, 3]),
        may_move=resize and chance.random() < 0.5,
        attributes=["p"] if chance.random() < 0.2 else [],
    )
    house = Entity(
        "house",
        may_resize=resize,
        may_be_empty=chance.random() < 0.25,
        attributes=["h"] if chance.random() < 0.7 else [],
    )
    unit = chance.choice(["person", "house"])
    relation = REPLACE_ONE if unit == "person" and not resize else chance.choice([ADD_REMOVE, REPLACE_ONE])
    had = sorted(house.attributes or ())
    tables = [
        Invariant(f"of each {name}", had if chance.random() < 0.8 else [], name)
        for name in ("person", "house")
        if chance.random() < 0.8
    ]
    return World([person, house]), Specification(Neighbours(relation, unit, entities=[person, house]), tuple(tables))


def check(seeds: range) -> Counter[bool]:
    met = Counter[bool]()
    for seed in seeds:
        world, promised = random_houses(random.Random(seed))
        person, house = promised.neighbours.entities.declared
        if promised.universe.closest.vacuous:
            assert nearest(world, promised, 3) is None, (seed, promised)
        alike = person.attributes == frozenset() and person.at_most == 2 and house.may_be_empty is False
        counted = {item.of for item in promised.invariants if item.counts_by == house.attributes}
        if alike and counted == {"person", "house"}:
            assert promised.universe.closest.vacuous
            met[True] += 1
        met[promised.universe.closest.vacuous] += 0 if alike else 1
    return met


def test_containers_of_one_or_two_alike_are_fixed_by_their_number_and_that_of_members() -> None:
    met = check(range(60))
    assert min(met.values()) > 5, met


@pytest.mark.sweep
def test_containers_of_one_or_two_alike_are_fixed_in_many_worlds() -> None:
    check(range(60, 1_500))


def test_containers_of_any_size_taken_for_such_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three houses of one, two and three persons are not told from three of two."""
    strands = importlib.import_module("accountant.promise.strands")
    monkeypatch.setattr(strands, "told_by_numbers", lambda _, invariants: len({item.of for item in invariants}) == 2)
    with pytest.raises(AssertionError):
        check(range(60))


def steps_change(seed: int, forgotten: bool = False) -> str | None:
    """Whether a sort is said to come with each unit, where every step by one unit does change how many there are."""
    chance = random.Random(seed)
    world = random_world(chance)
    declared, unit, name = Entities(tuple(world.sorts.values())), *chance.choices(sorted(world.sorts), k=2)
    told = name in declared.around(unit) if forgotten else comes_along(declared, unit, name)
    if not told or any(world.sorts[outer].may_resize is False for outer in world.sorts[unit].within):
        return None
    outermost = [tree for sort in world.sorts.values() if not sort.within for tree in world.trees(sort.name)]
    for start in ({}, *(world.read((tree,)) for tree in chance.sample(outermost, min(len(outermost), 6)))):
        before = world.counted(start, name, frozenset()).total()
        for other in world.steps(start, Neighbours(ADD_REMOVE, unit, entities=declared)):
            assert world.counted(other, name, frozenset()).total() != before, (seed, start, other)
    return "the unit" if name == unit else "around" if name in declared.around(unit) else "inside"


def test_what_comes_with_each_unit_is_never_as_many_after_a_step() -> None:
    met = Counter(steps_change(seed) for seed in range(300))
    assert min(met[kind] for kind in ("the unit", "around", "inside")) > 3, met


def test_a_container_that_stands_without_the_unit_does_not_come_with_it() -> None:
    with pytest.raises(AssertionError):
        Counter(steps_change(seed, forgotten=True) for seed in range(300))


@pytest.mark.parametrize("fixed", [False, True])
def test_who_has_company_in_a_domain_that_all_have_as_many_of_does_not_come(fixed: bool) -> None:
    person = Entity("person", "house", at_most=1, attributes=["age"])
    house = Entity("house", may_resize=True, may_be_empty=False, attributes=["street"])
    neighbours = Neighbours.of("add-remove", unit="house", entities=[person, house])
    promised = Specification(neighbours, (Invariant("persons", [], "person", fixed=fixed),))
    assert promised.universe.closest.vacuous is fixed
