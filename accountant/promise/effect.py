"""Effect: what one step between neighbours may do to the entities of one sort, as far as their attributes show it.

The rules, proved in docs/explanation/units-and-entities.md and enumerated on small worlds:

- *The unit itself* comes, goes or takes other values; it takes other values of what contains it only if it may move.
- *Inside a unit*, everything may become something else. As many are there afterwards if nothing that contains them, up to
  the unit, may resize.
- *Around a unit*, one may come to be or cease to be at each place that the unit leaves or enters, unless it may be empty.
- *Beside a unit*, nothing changes.
- *What is derived* from members changes wherever a member does, for everything inside that has it.

What is not declared is supposed to change.
"""

from __future__ import annotations

from functools import cached_property

from attrs import frozen

from accountant.display.brief import Brief
from accountant.errors import ShiftError
from accountant.promise.entities import Entities, Entity
from accountant.promise.neighbours import Neighbours, Relation

Moves = frozenset[tuple[int, int]]


@frozen
class Effect(Brief):
    """What a step does to entities of a sort, seen by some of their attributes (None: by all)."""

    neighbours: Neighbours
    entity: str
    attributes: frozenset[str] | None = None

    @property
    def _entities(self) -> Entities:
        return self.neighbours.entities

    @property
    def _own(self) -> bool:
        return self.entity == self.neighbours.unit

    @property
    def undeclared(self) -> str | None:
        """Why nothing is known of it, in words; None where the declarations settle it."""
        entities, unit = self._entities, self.neighbours.unit
        if self._own:
            return None
        if unit not in entities or self.entity not in entities:
            return f"how a {self.entity} changes with a {unit} is not declared; say who contains whom in 'entities'"
        if self.attributes is None:
            return (
                None if entities.record(self.entity) is not None else f"not all attributes of a {self.entity} are declared"
            )
        unknown = sorted(name for name in self.attributes if entities.owner(name, self.entity) is None)
        return (
            f"whose attribute '{unknown[0]}' is, of a {self.entity} or what contains it, is not declared"
            if unknown
            else None
        )

    @property
    def plain(self) -> bool:
        """Whether only the unit's own record changes, as if nothing contained anything."""
        return self._own and not self._derived_around

    @cached_property
    def affected(self) -> bool:
        """Whether the step may show; where nothing settles it, it may."""
        if self.undeclared or self._derived_around:
            return True
        if self._own or self.entity in self._entities.inside(self.neighbours.unit):
            alike = self.keeps_number and (self.neighbours.relation.edits or not self._own)
            return not alike or self.attributes is None or any(map(self.may_differ, self.attributes))
        return not self.keeps_number

    @cached_property
    def keeps_number(self) -> bool:
        """Whether there are as many afterwards, whatever happens."""
        unit, entities = self.neighbours.unit, self._entities
        if self.undeclared:
            return False
        if self._own:
            return self.neighbours.relation.keeps_size
        if self.entity in entities.inside(unit):
            # A unit that differs in some attributes only has the members that it had.
            fixed = self.neighbours.attributes is not None
            fixed = fixed or all(entities[name].may_resize is False for name in entities.between(self.entity, unit))
            return self.neighbours.relation.keeps_size and fixed
        return (
            self.entity not in entities.around(unit) or not (self._places > 1 or self._comes) or not self._may_cease(unit)
        )

    def may_differ(self, attribute: str) -> bool:
        """Whether an attribute of a unit that is there in both, or of what is inside it, may have another value."""
        entities, unit, allowed = self._entities, self.neighbours.unit, self.neighbours.attributes
        owner = entities.owner(attribute, self.entity) if self.entity in entities else None
        if owner is not None and attribute in owner.derived:
            return True
        if allowed is not None and attribute not in allowed:
            return False
        return self.moves_unit if owner is not None and owner.name in entities.around(unit) else True

    @cached_property
    def moves_unit(self) -> bool:
        """Whether a unit that is replaced may be elsewhere; where nobody has said, it may."""
        entities, unit, allowed = self._entities, self.neighbours.unit, self.neighbours.attributes
        if unit not in entities or not entities[unit].within or entities[unit].may_move is False:
            return False
        around = [entities[name] for name in entities.around(unit)]
        if allowed is None or any(entity.attributes is None for entity in around):
            return True
        return any(allowed & entity.declared for entity in around)

    @property
    def seen(self) -> Neighbours | None:
        """The records of these entities as neighbours see them: how many come and go; None where nothing shows.

        ShiftError where the declarations do not say how many.
        """
        if not self.affected:
            return None
        if self.plain:
            return self.neighbours
        if (why := self.undeclared) is not None:
            raise ShiftError(why)
        relation = self.neighbours.relation
        moves = Relation(relation.name, self._moves, edits=False, meaning=relation.meaning)
        return Neighbours(moves, self.entity, group=self.neighbours.group)

    @property
    def reached(self) -> bool:
        """Whether some step is known to change as many records as any may: the unit's own, or all that is inside a unit.

        A full unit comes or goes, or all that it has inside takes another value of something that is seen.
        """
        entities, unit = self._entities, self.neighbours.unit
        if unit not in entities:
            return self._own
        if self.undeclared or self._derived_around or not (self._own or self.entity in entities.inside(unit)):
            return False
        if self._comes:
            return True
        placed = entities.around(unit) if self._own else frozenset[str]()
        seen = ((name, entities.owner(name, self.entity)) for name in self.attributes or ())
        owned = {unit, *placed, *entities.inside(unit)}
        free = (name for name, owner in seen if owner is not None and owner.name in owned and name not in owner.derived)
        return any(map(self.may_differ, free))

    @property
    def _moves(self) -> Moves:
        entities, unit = self._entities, self.neighbours.unit
        if outer := self._derived_around:
            most = max(self._counted(self.entity, entity.name) for entity in outer) * self._places
        elif self.entity in entities.inside(unit):
            most = self._counted(self.entity, unit)
        else:
            most = 1
        if self._comes and not self._derived_around:
            return frozenset({(most, 0), (0, most)})
        alone = () if self.keeps_number else ((most, 0), (0, most))
        return frozenset({(most, most), *alone})

    def _counted(self, inner: str, outer: str) -> int:
        most = self._entities.most(inner, outer)
        if most is None:
            raise ShiftError(f"how many of {inner} a {outer} has at most is not declared; say 'at_most'")
        return most

    @property
    def _comes(self) -> bool:
        """Whether a unit comes or goes, so that what is around it changes at one place."""
        return not self.neighbours.relation.keeps_size

    @property
    def _places(self) -> int:
        """At how many places a step changes members: where the unit was, and where it is."""
        return 2 if not self._comes and self.moves_unit else 1

    @cached_property
    def _derived_around(self) -> tuple[Entity, ...]:
        """What contains both the unit and these entities, or is one of them, and shows by what follows from its members."""
        entities, unit = self._entities, self.neighbours.unit
        if unit not in entities or self.entity not in entities:
            return ()
        outer = entities.around(unit) & {self.entity, *entities.around(self.entity)}
        shown = (entities[name] for name in sorted(outer))
        return tuple(e for e in shown if (e.derived if self.attributes is None else e.derived & self.attributes))

    def _may_cease(self, inner: str) -> bool:
        """Whether one of these comes to be or ceases to be with what is inside: no container on some way may be empty."""
        entities, edge, found = self._entities, {inner}, set[str]()
        ways = {self.entity, *entities.inside(self.entity)}
        while edge:
            outer = {name for member in edge for name in entities[member].within} & ways - found
            edge = {name for name in outer if entities[name].may_be_empty is not True}
            found |= outer
            if self.entity in edge:
                return True
        return False
