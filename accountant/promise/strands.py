"""Strands: units that are alone in what contains them, and have one member at most, that has one at most, and so on.

Such a unit, what it is in and what is in it are one record, and counts of any of them are counts of such records: exact
counts of the only person in each house may fix the houses as well. See docs/explanation/units-and-entities.md.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import cached_property

from attrs import frozen

from accountant.display.brief import Brief
from accountant.promise.effect import Effect
from accountant.promise.entities import Entities
from accountant.promise.invariant import Invariant
from accountant.promise.margins import OTHER, smallest_beyond
from accountant.promise.neighbours import Neighbours

_MANY = 64
"""So many ways from a unit outwards are looked at."""


@frozen
class Strand(Brief):
    """What a unit is a part of, of which each sort around and inside has one member at most."""

    neighbours: Neighbours
    invariants: tuple[Invariant, ...]
    attributes: frozenset[str] | None
    """All that the record of a unit has; None where there may be others."""
    inwards: tuple[str, ...]
    """The unit, what is in it, and so on to the innermost."""

    @property
    def _around(self) -> frozenset[str]:
        return self.neighbours.entities.around(self.neighbours.unit)

    @cached_property
    def ends(self) -> tuple[str, ...]:
        """The sorts of which one may be there without members, from the unit inwards, where nobody rules it out."""
        entities = self.neighbours.entities
        filled = (name for name in self.inwards[:-1] if entities[name].may_be_empty is not False)
        return *filled, self.inwards[-1]

    def _with(self, end: str) -> frozenset[str]:
        """The sorts of which there is one where one of some sort is, and no other: what is never without it."""
        entities, found = self.neighbours.entities, {end}
        outer = self._containers(end)
        while len(outer) == 1 and entities[outer[0]].may_be_empty is False:
            found.add(outer[0])
            outer = self._containers(outer[0])
        return frozenset(found)

    def _containers(self, name: str) -> tuple[str, ...]:
        """What one is in, on this strand: of what is in a unit no other container changes with it."""
        on_strand = self._around.union(self.inwards)
        return tuple(outer for outer in self.neighbours.entities[name].within if outer in on_strand)

    @cached_property
    def _derived(self) -> frozenset[str]:
        entities = self.neighbours.entities
        return frozenset().union(*(entities[name].derived for name in (*self._around, *self.inwards)))

    def _tables(self, sorts: Collection[str]) -> Iterator[frozenset[str]]:
        """The attributes by which some sorts are counted exactly, without those that follow from members."""
        for known in self.invariants:
            if known.counts_by is not None and (known.of or self.neighbours.unit) in sorts:
                yield known.counts_by - self._derived

    def _record(self, end: str) -> frozenset[str] | None:
        """The own attributes of all on the strand, as far as a sort; None where some are not declared."""
        inner = self.inwards[1 : self.inwards.index(end) + 1]
        found = [self.attributes, *(self.neighbours.entities[name].attributes for name in inner)]
        return None if None in found else frozenset().union(*(names or () for names in found)) - self._derived

    def _differing(self, end: str, attributes: frozenset[str]) -> frozenset[str]:
        """Those of some attributes in which strands may differ, as far as a sort."""
        seen = Effect(self.neighbours, end)
        return frozenset(filter(seen.may_differ, attributes)) if self.neighbours.relation.keeps_size else attributes

    def _keeps_number(self, end: str) -> bool:
        """Whether no step changes how many of an end there are; where all strands have that one, as many as units."""
        alone = len(self.ends) == 1 and self.neighbours.relation.keeps_size
        return alone or Effect(self.neighbours, end).keeps_number

    def settled(self, alike: Collection[str] = ()) -> bool:
        """Whether exact counts fix all strands, of units that are alike in some attributes: each end is counted by all.

        As many of an end as no step changes are counted by what no step changes.
        """
        for end in self.ends:
            had = self._record(end)
            if had is None:
                return False
            kept = [had - self._differing(end, had)] if self._keeps_number(end) else []
            if not any(had <= table.union(alike) for table in (*self._tables(self._with(end)), *kept)):
                return False
        return True

    def counted(self) -> bool:
        """Whether exact counts fix how many strands there are, where all have one end."""
        return len(self.ends) == 1 and any(True for _ in self._tables(self._with(self.inwards[-1])))

    def beyond(self) -> tuple[int, frozenset[str]] | None:
        """The fewest attributes, some of which may differ, that no exact count has all of; where strands have one end."""
        (end,) = self.ends
        tables, named = tuple(self._tables(self._with(end))), self._record(end)
        everything = named if named is not None else frozenset((OTHER,)).union(self.neighbours.attributes or (), *tables)
        return smallest_beyond(tables, everything, self._differing(end, everything))


def strand_of(
    neighbours: Neighbours, invariants: tuple[Invariant, ...], attributes: frozenset[str] | None
) -> Strand | None:
    """The strand that a unit is a part of, where each sort around it and inside has one member at most."""
    entities, unit = neighbours.entities, neighbours.unit
    if unit not in entities:
        return None
    inside, around = entities.inside(unit), entities.around(unit)
    alone = all(
        len(entities.members(name)) <= 1 and (not entities[name].within or entities[name].at_most == 1)
        for name in {unit, *inside, *around}
    )
    if not alone or not _told(entities, unit):
        return None
    inwards = (unit, *sorted(inside, key=lambda name: len(entities.around(name))))
    return Strand(neighbours, invariants, attributes, inwards)


def _told(entities: Entities, unit: str) -> bool:
    """Whether the attributes that a unit has tell what it is in, where that may be one of several things."""
    ways = [(unit, frozenset[str]())]
    told = set[frozenset[str]]()
    while ways:
        name, had = ways.pop()
        found = had | (entities[name].attributes or frozenset())
        if not entities[name].within:
            if found in told:
                return False
            told.add(found)
        ways += [(outer, found) for outer in entities[name].within]
        if len(ways) > _MANY:
            return False
    return True


def comes_along(entities: Entities, unit: str, name: str) -> bool:
    """Whether one more unit is one more of a sort at least: what it never is without, or what is never without it."""
    if unit not in entities or name not in entities:
        return False
    inner, outer = (unit, name) if name in entities.around(unit) else (name, unit)
    sorts = {inner, *entities.around(inner)}
    if outer not in sorts or any(len(entities[sort].within) > 1 for sort in sorts):
        return False
    way = entities.between(inner, outer)
    filled = all(entities[sort].may_be_empty is False and len(entities.members(sort)) == 1 for sort in way)
    return filled and (inner == name or all(entities[sort].at_most == 1 for sort in {inner, *way} - {outer}))


def told_by_numbers(neighbours: Neighbours, invariants: tuple[Invariant, ...]) -> bool:
    """Whether exact counts fix all containers and their members, of which all are alike, one or two in each.

    As many containers and as many members of each record leave one number of those that are full.
    """
    entities, unit = neighbours.entities, neighbours.unit
    if unit not in entities:
        return False
    outer = next(iter(entities[unit].within), unit)
    members, had = entities.members(outer), entities[outer].attributes
    if len(members) != 1 or entities[outer].within or had is None or entities[outer].may_be_empty is not False:
        return False
    (inner,) = members
    alike = _one_kind(entities, inner) and entities[inner].within == {outer} and entities[inner].at_most == 2
    counted = {known.of or unit for known in invariants if known.counts_by is not None and had <= known.counts_by}
    return alike and {inner, outer} <= counted


def unchanging(neighbours: Neighbours) -> bool:
    """Whether a replaced unit is always as it was, and where it was: it has no attributes, and the members that it had."""
    entities, unit = neighbours.entities, neighbours.unit
    if unit not in entities or not neighbours.relation.keeps_size or Effect(neighbours, unit).moves_unit:
        return False
    if neighbours.attributes is not None or entities[unit].attributes != frozenset():
        return False
    return same_members(entities, unit)


def same_members(entities: Entities, unit: str) -> bool:
    """Whether a replaced unit has members that are like those it had: all are alike, and as many."""
    members = entities.members(unit)
    many = entities[unit].may_resize is False or _filled(entities, unit)
    return many and all(_one_kind(entities, name) for name in members)


def _filled(entities: Entities, name: str) -> bool:
    """Whether each of a sort has the same number of members: none, or just one."""
    members = entities.members(name)
    one = len(members) == 1 and entities[members[0]].at_most == 1 and entities[name].may_be_empty is False
    return one or not members


def _one_kind(entities: Entities, name: str) -> bool:
    """Whether all of a sort are alike, with all that is in them."""
    members = entities.members(name)
    own = entities[name].attributes == frozenset() and _filled(entities, name)
    return own and all(_one_kind(entities, inner) for inner in members)
