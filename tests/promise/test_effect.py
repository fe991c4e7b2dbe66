"""What a step between neighbours does to other entities: the rules against every neighbour in nested worlds."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Callable

import pytest
from attrs import evolve

from accountant import Neighbours
from accountant.promise.effect import Effect
from accountant.promise.entities import Entity
from accountant.promise.neighbours import REPLACE_ONE
from tests.promise.nested import World, random_dataset, random_neighbours, random_world


def questions(world: World) -> list[tuple[str, frozenset[str]]]:
    """Every sort by every set of up to two attributes that it has."""
    found = []
    for name in world.sorts:
        chain = [name, *_around(world, name)]
        had = sorted({attribute for outer in chain for attribute in world.sorts[outer].declared})
        found += [(name, frozenset(some)) for size in range(3) for some in itertools.combinations(had, size)]
    return found


def _around(world: World, name: str) -> list[str]:
    return [found for outer in sorted(world.sorts[name].within) for found in (outer, *_around(world, outer))]


def allowed(change: Effect, appear: int, disappear: int) -> bool:
    """Whether a rule covers what was counted."""
    if not change.affected:
        return not appear and not disappear
    if change.keeps_number and appear != disappear:
        return False
    seen = change.seen
    return seen is not None and any(appear <= most and disappear <= least for most, least in seen.relation.moves)


def truly(entity: Entity) -> Entity:
    return entity


def violations(seeds: range, told: Callable[[Entity], Entity] = truly, most: int = 400) -> tuple[int, Counter[str]]:
    """How many steps were counted, and those that a rule does not cover; `told` says something else than the truth."""
    counted, wrong = 0, Counter[str]()
    for seed in seeds:
        chance = random.Random(seed)
        world = random_world(chance)
        neighbours = random_neighbours(world, chance)
        if neighbours is None:
            continue
        said = evolve(neighbours, entities=tuple(map(told, world.sorts.values())))
        changes = [Effect(said, name, attributes) for name, attributes in questions(world)]
        data = random_dataset(world, chance)
        before = [world.counted(data, change.entity, change.attributes or frozenset()) for change in changes]
        steps = list(world.steps(data, neighbours))
        for other in chance.sample(steps, min(most, len(steps))):
            for change, old in zip(changes, before, strict=True):
                new = world.counted(other, change.entity, change.attributes or frozenset())
                counted += 1
                if not allowed(change, (new - old).total(), (old - new).total()):
                    wrong[f"{seed} {change.entity} {sorted(change.attributes or ())}"] += 1
    return counted, wrong


def test_every_step_in_small_worlds_is_covered_by_the_rules() -> None:
    counted, wrong = violations(range(60), most=60)
    assert not wrong
    assert counted > 5_000


def _lie(**words: object) -> Callable[[Entity], Entity]:
    """Says something else of everything of which it is said at all."""
    return lambda entity: evolve(entity, **{key: value for key, value in words.items() if getattr(entity, key) is not None})


LIES: dict[str, Callable[[Entity], Entity]] = {
    "nobody moves": _lie(may_move=False),
    "all is there without members": _lie(may_be_empty=True),
    "sizes stay": _lie(may_resize=False, may_move=False),
    "one at most": _lie(at_most=1),
    "nothing follows from members": lambda entity: evolve(entity, attributes=entity.declared, derived=()),
}


@pytest.mark.parametrize("told", LIES)
def test_a_declaration_that_is_not_true_is_caught(told: str) -> None:
    """Each rule rests on what is declared: told otherwise, it does not cover what happens."""
    assert violations(range(60), LIES[told], most=30)[1]


def members_that_change(seeds: range, *, named: bool) -> int:
    """In how many steps members of a unit change by what they have of their own, of which it is said that they stay."""
    changed = 0
    for seed in seeds:
        chance = random.Random(seed)
        world = random_world(chance)
        for unit in filter(world.members, world.sorts):
            narrow = Neighbours(REPLACE_ONE, unit, world.own[unit], entities=tuple(world.sorts.values()))
            data = random_dataset(world, chance)
            for inner in world.inside(unit):
                by = frozenset(world.own[inner])
                assert not Effect(narrow, inner, by).affected
                before = world.counted(data, inner, by)
                steps = world.steps(data, narrow if named else evolve(narrow, attributes=None))
                changed += sum(world.counted(other, inner, by) != before for other in steps)
    return changed


def test_a_unit_that_differs_in_some_attributes_only_has_the_members_that_it_had() -> None:
    assert not members_that_change(range(25), named=True)
    assert members_that_change(range(25), named=False)


@pytest.mark.sweep
def test_every_step_in_many_worlds_is_covered_by_the_rules() -> None:
    counted, wrong = violations(range(60, 2_000), most=300)
    assert not wrong
    assert counted > 250_000
