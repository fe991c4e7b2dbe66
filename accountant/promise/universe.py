"""Universe: the datasets that agree on everything published exactly, and how far apart they are.

Invariants are counts of units by attributes. Two facts decide everything here.

- *Margins.* Counts by A fix counts by B exactly when B is a subset of A. If B is a subset of no A that is published, the
  dataset of all combinations of B with an even number of second values, and that of all with an odd number, have the same
  counts by every A: any proper part of B takes each combination equally often in both.
- *Exchanges.* One record can change alone, and keep all counts, only in attributes that no published count looks at. Two
  records can exchange their values of an attribute a, and keep all counts, exactly when they differ in some attribute b
  that no published count combines with a. In general it takes as many as have an even number of second values among the
  fewest attributes that no count combines.

What is published about other entities, or is known by its name only, may fix anything, unless it is declared how these
change with a unit. See docs/explanation/invariants.md and docs/explanation/units-and-entities.md.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import cached_property
from typing import TYPE_CHECKING

from attrs import field, frozen

from accountant.display.brief import Brief
from accountant.fields import names
from accountant.promise.invariant import Invariant
from accountant.promise.margins import OTHER, smallest_beyond
from accountant.promise.neighbours import Neighbours

if TYPE_CHECKING:
    from accountant.promise.effect import Effect
    from accountant.promise.strands import Strand

_FARTHEST = 1_024
"""At least so far apart is all that is said of datasets that are farther."""


@frozen
class Closest(Brief):
    """How many units differ at least between datasets that agree on all invariants and differ at all.

    `most` is None where no bound is known; both are None where no two datasets are comparable.
    """

    least: int | None
    most: int | None

    @property
    def vacuous(self) -> bool:
        """Whether no two datasets are compared."""
        return self.least is None


@frozen
class Universe(Brief):
    """Which datasets a specification compares: those that agree on all invariants, at whatever distance.

    `attributes` are all that a record has, or None where there may be others. `whole` says that every dataset of such
    records is one that the promise speaks about.
    """

    neighbours: Neighbours
    invariants: tuple[Invariant, ...] = ()
    attributes: frozenset[str] | None = field(default=None, converter=names)
    whole: bool = True

    @cached_property
    def tables(self) -> tuple[frozenset[str], ...]:
        """The attributes by which units are counted exactly, table by table, where only their own records decide."""
        return tuple(known.counts_by for known in self.invariants if known.counts_by is not None and self._flat(known))

    def _flat(self, known: Invariant) -> bool:
        return not known.fixed and known.of in (None, self.neighbours.unit) and self._change(known).plain

    def _change(self, known: Invariant) -> Effect:
        from accountant.promise.effect import Effect

        return Effect(self.neighbours, known.of or self.neighbours.unit, known.counts_by)

    @cached_property
    def undeclared(self) -> tuple[Invariant, ...]:
        """The invariants of which nobody has said how they change with a unit: of other entities, or known by name only."""
        return tuple(known for known in self.invariants if not known.fixed and self._unsettled(known))

    def _unsettled(self, known: Invariant) -> bool:
        return known.counts_by is None or self._change(known).undeclared is not None

    @cached_property
    def coupled(self) -> tuple[Invariant, ...]:
        """The counts of other entities, or by what follows from members, that are declared to change with a unit."""
        unknown = {*self.undeclared, *filter(self._flat, self.invariants)}
        return tuple(known for known in self.invariants if known not in unknown and self.may_change(known))

    @cached_property
    def everything(self) -> frozenset[str]:
        """All that a record has, as far as anything is known of it."""
        declared = frozenset((OTHER,)) if self.attributes is None else self.attributes
        return declared.union(self.neighbours.attributes or (), *self.tables)

    @cached_property
    def differing(self) -> frozenset[str]:
        """What may differ between the records of datasets that are compared."""
        named = self.everything if self.neighbours.attributes is None else self.neighbours.attributes
        return frozenset(filter(self._may_differ, named)) if self.neighbours.relation.keeps_size else named

    @cached_property
    def _same(self) -> tuple[frozenset[str], ...]:
        """The attributes by which units are counted alike in all datasets of the domain, between which all steps are."""
        own = (known for known in self.invariants if known.fixed and known.of in (None, self.neighbours.unit))
        return tuple(known.counts_by for known in own if known.counts_by is not None and self._change(known).plain)

    @property
    def _unmoved(self) -> bool:
        """Whether no step leads anywhere: a unit cannot change, or all datasets have the same number and steps another."""
        from accountant.promise.strands import comes_along, unchanging

        sized = all(appear != gone for appear, gone in self.neighbours.relation.moves)
        entities, unit = self.neighbours.entities, self.neighbours.unit
        same = (known.of or unit for known in self.invariants if known.fixed and known.counts_by is not None)
        numbered = bool(self._same) or any(comes_along(entities, unit, name) for name in same)
        return (sized and numbered) or unchanging(self.neighbours)

    @cached_property
    def _strand(self) -> Strand | None:
        from accountant.promise.strands import strand_of

        return strand_of(self.neighbours, self.invariants, self.attributes)

    def _may_differ(self, attribute: str) -> bool:
        from accountant.promise.effect import Effect

        if self.neighbours.relation.replacement is not None and any(attribute in table for table in self._same):
            return False
        return Effect(self.neighbours, self.neighbours.unit).may_differ(attribute)

    def surely_free(self, attribute: str) -> bool:
        """Whether records are known to have all values of an attribute beside all of the others.

        Not what follows from members, nor the attributes of what contains a unit that is not known to move.
        """
        entities, unit, relation = self.neighbours.entities, self.neighbours.unit, self.neighbours.relation
        if unit not in entities or attribute == OTHER:
            return True
        owner = entities.owner(attribute, unit)
        if owner is None or attribute in owner.derived:
            return False
        return owner.name == unit or not relation.keeps_size or entities[unit].may_move is True

    def vary(self, attributes: frozenset[str]) -> bool:
        """Whether records of datasets that are compared may differ in some attributes, named here or not."""
        had = attributes if self.attributes is None else attributes & self.attributes
        allowed = had if self.neighbours.attributes is None else had & self.neighbours.attributes
        return any(map(self._may_differ, allowed)) if self.neighbours.relation.keeps_size else bool(allowed)

    def may_change(self, known: Invariant) -> bool:
        """Whether a statistic may differ between datasets that are connected by steps between neighbours."""
        if known.fixed:
            return False
        if known.counts_by is None or not self._flat(known):
            return known.counts_by is None or self._change(known).affected
        if not self.neighbours.relation.keeps_size:
            return True
        return self.vary(known.counts_by)

    @cached_property
    def changing(self) -> tuple[Invariant, ...]:
        """The invariants that one step between neighbours may change, so that such neighbours are not compared."""
        return tuple(filter(self.may_change, self.invariants))

    @cached_property
    def closest(self) -> Closest:
        """The distance to the nearest comparable dataset.

        Invariants that are undeclared, and a domain in words, may separate datasets that all counts join: the distance
        then has no upper bound.
        """
        step = self.neighbours.relation.replacement
        if self._unmoved or self.settled():
            return Closest(None, None)
        if step is None:
            return Closest(1, None)
        sized = self.neighbours.relation.keeps_size or bool(self.tables)
        least = self._nearest(step) if sized or (self._strand is not None and self._strand.counted()) else 1
        if least is None:
            return Closest(None, None)
        return Closest(least, None if self.undeclared or not self.whole else self._in_place(step, sized))

    def settled(self, alike: Collection[str] = ()) -> bool:
        """Whether an exact table fixes how many units have each record, of those that are alike in some attributes.

        Units that are in something, contain others or join them may differ in more than their records, unless all of
        these are one record.
        """
        policy = self.neighbours.relation.policy
        if self._nested:
            from accountant.promise.strands import told_by_numbers

            alone = self._strand is not None and self._strand.settled(alike)
            return alone or told_by_numbers(self.neighbours, self.invariants)
        if policy is not None and policy.unit is not None:
            return False
        return any(self.everything <= table.union(alike) for table in (*self.tables, *self._same))

    @property
    def _nested(self) -> bool:
        entities, unit = self.neighbours.entities, self.neighbours.unit
        return unit in entities and bool(entities.around(unit) or entities.inside(unit))

    def _nearest(self, step: int) -> int | None:
        """How far apart datasets of one size are at least, by the records of units or by who is where; None for no two."""
        if self._nested and self._strand is not None and len(self._strand.ends) == 1:
            known = self._strand.beyond()
            return None if known is None else _apart(step, known[0])
        least = self._replaced(step, self.differing)[0]
        if not self._nested or self.neighbours.attributes == frozenset():
            return least
        if self.neighbours.relation.keeps_size and not self.rearranged and not self.differing:
            return None
        # One unit is elsewhere or has other members, or two exchange their places, though all records are the same.
        if self.rearranged or not self.neighbours.relation.keeps_size:
            return step
        return 2 * step if least is None else min(least, 2 * step)

    @property
    def rearranged(self) -> bool:
        """Whether one unit may be elsewhere, or have other members, with the record that it had."""
        from accountant.promise.effect import Effect
        from accountant.promise.strands import same_members

        entities, unit = self.neighbours.entities, self.neighbours.unit
        if unit not in entities:
            return False
        other_members = self.neighbours.attributes is None and not same_members(entities, unit)
        return other_members or Effect(self.neighbours, unit).moves_unit

    def _in_place(self, step: int, sized: bool) -> int | None:
        """How far apart some datasets are that are compared and differ in nothing that other counts look at."""
        if not sized:
            return None if self.coupled else 1
        seen = frozenset().union(*(known.counts_by or () for known in self.coupled))
        own = frozenset(filter(self.surely_free, self.differing)) - seen
        if self.coupled:
            entities, unit = self.neighbours.entities, self.neighbours.unit
            around = frozenset().union(*(entities[name].declared for name in entities.around(unit)))
            if any(entities[name].derived & seen for name in {unit, *entities.around(unit)}):
                return None
            own -= around
        return self._replaced(step, own)[1]

    def _replaced(self, step: int, differing: frozenset[str]) -> tuple[int | None, int | None]:
        """How far apart datasets of one size are, at least and at most, if so many steps replace a record in attributes."""
        known = smallest_beyond(self.tables, self.everything, differing)
        if known is None:
            return None, None
        size, found = known
        most = None if any(map(self._derived, found)) else step * 2 ** (len(found) - 1)
        return _apart(step, size), most

    def _derived(self, attribute: str) -> bool:
        """Whether an attribute follows from members, so that it is not known which values it has beside others."""
        entities, unit = self.neighbours.entities, self.neighbours.unit
        owner = entities.owner(attribute, unit) if unit in entities else None
        return owner is not None and attribute in owner.derived

    @property
    def parting(self) -> frozenset[str] | None:
        """A smallest set of attributes, some of which may differ, that no exact table has all of; None if none is known."""
        known = smallest_beyond(self.tables, self.everything, self.differing)
        return None if known is None or known[0] != len(known[1]) else known[1]

    @cached_property
    def connected(self) -> bool:
        """Whether any two datasets that are compared are connected inside the universe, by hops that are all as short as
        the closest, and no detour.

        Then what holds for one hop holds for any number by the rule for groups. It is so if no step changes an invariant;
        and if all counts are margins of one table and records may differ in everything, since records then only change
        places with others of their cell.
        """
        if not self.changing:
            return True
        if self.undeclared or self.coupled or not self.whole or self.neighbours.relation.replacement is None:
            return False
        if not all(map(self.surely_free, self.everything)):
            return False
        largest = max(self.tables, key=len)
        return self.neighbours.attributes is None and all(counted <= largest for counted in self.tables)

    @cached_property
    def single_steps(self) -> bool:
        """Whether what holds between neighbours that are compared reaches all that is compared."""
        return self.connected and self.closest.least == 1

    @cached_property
    def exposed(self) -> frozenset[str]:
        """The attributes of a unit that somebody reads off the invariants who knows all other units."""
        return frozenset().union(*self.tables)

    @property
    def shows_presence(self) -> bool:
        """Whether that tells, of neighbours that come and go, if a unit is there."""
        return bool(self.tables) and not self.neighbours.relation.keeps_size


def _apart(step: int, size: int) -> int:
    """So many steps lie between datasets at least that differ in no fewer attributes together, if one replaces a record."""
    return min(step << (size - 1), step * _FARTHEST)
