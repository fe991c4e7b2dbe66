"""Sorts that are in each other in several ways: what follows from all ways, against the list of them."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator

from accountant import Entity, Neighbours
from accountant.promise.effect import Effect
from accountant.promise.entities import Entities


def random_entities(chance: random.Random) -> Entities:
    """Up to six sorts, each in some of those after it, with sizes that are not always declared."""
    names = "abcdef"[: chance.randint(2, 6)]
    declared: list[Entity] = []
    for number, name in enumerate(names):
        outer = chance.sample(names[number + 1 :], min(chance.choice([1, 1, 2]), len(names) - number - 1))
        member = any(name in entity.within for entity in declared)
        most = chance.choice([1, 2, 3, None]) if outer else None
        empty = chance.choice([True, False, None]) if member else None
        declared.append(Entity(name, outer, most, may_be_empty=empty))
    return Entities(tuple(declared))


def ways(entities: Entities, name: str) -> Iterator[tuple[str, ...]]:
    """All ways from a sort to the outermost."""
    if not entities[name].within:
        yield (name,)
    for outer in sorted(entities[name].within):
        for way in ways(entities, outer):
            yield name, *way


def check(seed: int) -> tuple[bool, bool]:
    """Whether a member of something need not be in it, and whether something ceases with its members."""
    chance = random.Random(seed)
    entities = random_entities(chance)
    open_ways = ceased = False
    for inner in entities.declared:
        for outer in entities.around(inner.name):
            found = [way[: way.index(outer) + 1] for way in ways(entities, inner.name) if outer in way]
            sizes = [[entities[name].at_most for name in way[:-1]] for way in set(found)]
            known = None if any(None in way for way in sizes) else sum(math.prod(filter(None, way)) for way in sizes)
            assert entities.most(inner.name, outer) == known, (seed, inner.name, outer)
            always = all(outer in way for way in ways(entities, inner.name))
            assert entities.always_in(inner.name, outer) is always, (seed, inner.name, outer)
            ceases = any(all(entities[name].may_be_empty is not True for name in way[1:]) for way in found)
            added = Effect(Neighbours.of("add-remove", unit=inner.name, entities=entities), outer, frozenset())
            assert added.affected is ceases, (seed, inner.name, outer)
            open_ways, ceased = open_ways or not always, ceased or ceases
    return open_ways, ceased


def test_what_follows_from_how_sorts_are_in_each_other_follows_from_every_way() -> None:
    met = [check(seed) for seed in range(200)]
    assert min(sum(found) for found in zip(*met, strict=True)) > 20


def test_ways_are_too_many_to_be_gone_one_by_one() -> None:
    """Two sorts on each of thirty levels, each in both of the next: a billion ways, of at most two in each."""
    declared = [Entity("person", ["a0", "b0"], 2)]
    for level in range(30):
        outer = [f"a{level + 1}", f"b{level + 1}"]
        declared += [Entity(f"{side}{level}", outer, 2, may_be_empty=False) for side in "ab"]
    entities = Entities((*declared, Entity("a30", may_be_empty=False), Entity("b30")))
    assert entities.most("person", "a30") == 2**61
    assert not entities.always_in("person", "a30")
    assert Effect(Neighbours.of("add-remove", entities=entities), "a30", frozenset()).affected
