"""Nested worlds: things inside things, written down one by one, and every neighbour of a dataset by its definition.

A dataset is a table of things: for each its sort, its values and what it is in. Nothing here knows the rules that are
tested with it: a unit is taken out and put in, what may not be empty goes with its last member, and counts are counted.
"""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from accountant import Neighbours
from accountant.promise.entities import Entity
from accountant.promise.neighbours import ADD_REMOVE, REPLACE_ONE

VALUES = (0, 1)


class Thing(NamedTuple):
    """One thing: its sort, its own values in the order of the sort's attributes, and the number of what it is in."""

    sort: str
    values: tuple[int, ...]
    within: int | None


Dataset = dict[int, Thing]
Tree = tuple[str, tuple[int, ...], tuple["Tree", ...]]


class World:
    """Sorts of things from the inside out, the truth about each of them, and how a member shows in what contains it."""

    def __init__(self, sorts: list[Entity]) -> None:
        self.sorts = {sort.name: sort for sort in sorts}
        self.own = {sort.name: tuple(sorted(sort.attributes or ())) for sort in sorts}

    def __str__(self) -> str:
        said = (
            f"{key[4:]}={getattr(sort, key)}"
            for sort in self.sorts.values()
            for key in ("may_move", "may_resize", "may_be_empty")
        )
        return " ".join(word for word in said if not word.endswith("None"))

    def members(self, name: str) -> list[str]:
        return [sort.name for sort in self.sorts.values() if name in sort.within]

    def inside(self, name: str) -> set[str]:
        return {found for member in self.members(name) for found in {member, *self.inside(member)}}

    def trees(self, name: str) -> Iterator[Tree]:
        """All things of a sort with all that may be in them."""
        choices = []
        for member in self.members(name):
            most, every = self.sorts[member].at_most or 1, list(self.trees(member))
            choices.append(
                [kept for size in range(most + 1) for kept in itertools.combinations_with_replacement(every, size)]
            )
        for values in itertools.product(VALUES, repeat=len(self.own[name])):
            for chosen in itertools.product(*choices):
                content = tuple(itertools.chain(*chosen))
                if content or not choices or self.sorts[name].may_be_empty:
                    yield name, values, content

    def placed(self, data: Dataset, tree: Tree, within: int | None) -> Dataset:
        """A dataset with a further thing and all that is in it."""
        grown, number = dict(data), max(data, default=-1) + 1
        grown[number] = Thing(tree[0], tree[1], within)
        for member in tree[2]:
            grown = self.placed(grown, member, number)
        return grown

    def tree(self, data: Dataset, number: int) -> Tree:
        content = sorted(self.tree(data, other) for other, thing in data.items() if thing.within == number)
        return data[number].sort, data[number].values, tuple(content)

    def canonical(self, data: Dataset) -> tuple[Tree, ...]:
        """The dataset without numbers: equal where only these differ."""
        return tuple(sorted(self.tree(data, number) for number, thing in data.items() if thing.within is None))

    def read(self, trees: tuple[Tree, ...]) -> Dataset:
        data: Dataset = {}
        for tree in trees:
            data = self.placed(data, tree, None)
        return data

    def without(self, data: Dataset, number: int) -> Dataset:
        """A dataset without a thing and all that is in it; what is around it stays."""
        gone = {number}
        while further := {other for other, thing in data.items() if thing.within in gone} - gone:
            gone |= further
        return {other: thing for other, thing in data.items() if other not in gone}

    def pruned(self, data: Dataset) -> Dataset:
        """A dataset without containers that have no member and may not be empty."""
        while empty := [
            number
            for number, thing in data.items()
            if self.members(thing.sort)
            and not self.sorts[thing.sort].may_be_empty
            and not any(other.within == number for other in data.values())
        ]:
            data = {number: thing for number, thing in data.items() if number not in empty}
        return data

    def places(self, data: Dataset, name: str) -> Iterator[tuple[Dataset, int | None]]:
        """Everywhere that a thing of a sort may be put: into what is there, or into what comes to be with it."""
        if not self.sorts[name].within:
            yield data, None
        for outer in sorted(self.sorts[name].within):
            for number, thing in data.items():
                held = sum(other.sort == name and other.within == number for other in data.values())
                if thing.sort == outer and held < (self.sorts[name].at_most or 1):
                    yield data, number
            if not self.sorts[outer].may_be_empty:
                for values in itertools.product(VALUES, repeat=len(self.own[outer])):
                    for around, place in self.places(data, outer):
                        grown = self.placed(around, (outer, values, ()), place)
                        yield grown, max(grown)

    def same_shape(self, left: Tree, right: Tree) -> bool:
        """Whether one thing may replace another, as far as how many members there are is fixed."""
        name, before, after = left[0], left[2], right[2]
        if self.sorts[name].may_resize is not False:
            return True
        if len(before) != len(after):
            return False
        return any(
            all(one[0] == other[0] and self.same_shape(one, other) for one, other in zip(before, order, strict=True))
            for order in set(itertools.permutations(after))
        )

    def steps(self, data: Dataset, neighbours: Neighbours) -> Iterator[Dataset]:
        """All neighbours of a dataset, some of them several times."""
        unit, added = neighbours.unit, neighbours.relation == ADD_REMOVE
        trees = list(self.trees(unit))
        if added:
            for tree in trees:
                for around, place in self.places(data, unit):
                    yield self.placed(around, tree, place)
        for number in [number for number, thing in data.items() if thing.sort == unit]:
            rest, old, home = self.without(data, number), self.tree(data, number), data[number].within
            if added:
                yield self.pruned(rest)
                continue
            for tree in trees:
                if not self.same_shape(old, tree):
                    continue
                for around, place in [(rest, home)] if not self.sorts[unit].may_move else self.places(rest, unit):
                    moved = self.placed(around, tree, place)
                    if self._allowed(neighbours.attributes, data, number, moved, old, tree, home != place, place):
                        yield self.pruned(moved)

    def _allowed(
        self,
        attributes: frozenset[str] | None,
        data: Dataset,
        number: int,
        moved: Dataset,
        old: Tree,
        new: Tree,
        elsewhere: bool,
        place: int | None,
    ) -> bool:
        """Whether a unit differs in some attributes only: of its own, or by being in something that differs in those."""
        if attributes is None:
            return True
        if old[2] != new[2]:
            return False
        before = dict(zip(self.own[old[0]], old[1], strict=True)) | self._around(data, data[number].within)
        after = dict(zip(self.own[new[0]], new[1], strict=True)) | self._around(moved, place)
        changed = {name for name in before | after if before.get(name) != after.get(name)}
        # Elsewhere is only who differs in something that places have.
        outer = {
            name for around in (self._around(data, data[number].within), self._around(moved, place)) for name in around
        }
        return changed <= attributes and (not elsewhere or bool(attributes & outer))

    def _around(self, data: Dataset, number: int | None) -> dict[str, int]:
        if number is None:
            return {}
        thing = data[number]
        return dict(zip(self.own[thing.sort], thing.values, strict=True)) | self._around(data, thing.within)

    def counted(self, data: Dataset, name: str, attributes: frozenset[str]) -> Counter[tuple[tuple[str, int], ...]]:
        """How many things of a sort have each combination of some attributes, of their own or of what they are in."""
        found: Counter[tuple[tuple[str, int], ...]] = Counter()
        for number, thing in data.items():
            if thing.sort == name:
                record: dict[str, int] = {}
                at: int | None = number
                while at is not None:
                    record |= dict(zip(self.own[data[at].sort], data[at].values, strict=True)) | self._derived(data, at)
                    at = data[at].within
                found[tuple(sorted((key, value) for key, value in record.items() if key in attributes))] += 1
        return found

    def _derived(self, data: Dataset, number: int) -> dict[str, int]:
        """What follows from members: how many there are, and of which values."""
        members = [thing for thing in data.values() if thing.within == number]
        summary = len(members) * 10 + sum(sum(thing.values) for thing in members)
        return dict.fromkeys(self.sorts[data[number].sort].derived, summary)


def random_world(chance: random.Random) -> World:
    """Two or three sorts inside each other, sometimes with another one beside the innermost."""
    depth = chance.choice([2, 2, 3])
    names = ("person", "household", "block")[:depth]
    sorts = []
    for level, name in enumerate(names):
        outer = names[level + 1] if level + 1 < depth else None
        resize = chance.choice([True, True, False]) if level else None
        sorts.append(
            Entity(
                name,
                outer or (),
                at_most=(1 if depth == 3 and level else 2) if outer else None,
                may_move=chance.choice([True, False]) if outer else None,
                may_resize=resize,
                may_be_empty=chance.choice([True, False]) if level else None,
                attributes=[name[0]],
                derived=[f"{name[0]}*"] if level and chance.random() < 0.4 else [],
            )
        )
    if depth == 2 and chance.random() < 0.3:
        sorts.append(Entity("pet", names[1], at_most=1, may_move=True, attributes=["q"]))
    return World(_consistent(sorts))


def _consistent(sorts: list[Entity]) -> list[Entity]:
    """Whoever may move may change how many there are."""
    from attrs import evolve

    fixed = {sort.name for sort in sorts if sort.may_resize is False}
    return [evolve(sort, may_move=False) if sort.may_move and sort.within & fixed else sort for sort in sorts]


def random_dataset(world: World, chance: random.Random, most: int = 2) -> Dataset:
    """Up to so many outermost things with what is in them."""
    outermost = [name for name, sort in world.sorts.items() if not sort.within]
    trees = [tree for name in outermost for tree in world.trees(name)]
    return world.read(tuple(chance.choice(trees) for _ in range(chance.randint(1, most))))


def random_neighbours(world: World, chance: random.Random) -> Neighbours | None:
    """Neighbours by some unit; None where adding one would change what is declared not to change."""
    unit = chance.choice(list(world.sorts))
    relation = chance.choice([ADD_REMOVE, REPLACE_ONE, REPLACE_ONE])
    fixed = any(world.sorts[outer].may_resize is False for outer in world.sorts[unit].within)
    if relation == ADD_REMOVE and fixed:
        return None
    attributes = None
    if relation == REPLACE_ONE and chance.random() < 0.3:
        outer = _around(world, unit) if world.sorts[unit].may_move else []
        attributes = {chance.choice(world.own[name]) for name in chance.sample([unit, *outer], 1)}
    return Neighbours(relation, unit, attributes, entities=tuple(world.sorts.values()))


def _around(world: World, name: str) -> list[str]:
    return [found for outer in sorted(world.sorts[name].within) for found in (outer, *_around(world, outer))]
