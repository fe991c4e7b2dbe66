"""Alone: units that are known to differ, in what nothing that is published exactly looks at.

Between all neighbours of such a promise every exact statistic is the same, so that all of them are compared, one step
apart. What they lose is lost between datasets of one universe; of other neighbours that is not known. See
docs/explanation/invariants.md.
"""

from __future__ import annotations

from collections.abc import Collection

from attrs import evolve

from accountant.promise.specification import Specification
from accountant.promise.universe import Universe


def alone(promised: Specification, read: Collection[str] | None) -> Specification | None:
    """The same promise between neighbours that are known to be there and are compared; None where nothing is left of it.

    Units move only where that is declared. Where a step may change an exact statistic, they differ in no attribute that one
    looks at; `read` are the attributes that releases look at, for units of which nobody has said what they have.
    """
    known = _declared(promised)
    if not _told(known).changing:
        return known
    relation = known.neighbours.relation
    if not relation.keeps_size or relation.policy is not None:
        return None
    free = _unseen(known.universe, known.attributes or frozenset(read or ()))
    if not free:
        return None
    narrowed = evolve(known, neighbours=evolve(known.neighbours, attributes=free), inside=False)
    return None if _told(narrowed).changing else narrowed


def _declared(promised: Specification) -> Specification:
    """The same promise, where units stay of which nobody has said that they may move."""
    compared, entities = promised.neighbours, promised.neighbours.entities
    if compared.unit not in entities or not compared.relation.keeps_size:
        return promised
    unit = entities[compared.unit]
    if not unit.within or unit.may_move is not None:
        return promised
    staying = (evolve(entity, may_move=False) if entity == unit else entity for entity in entities.declared)
    around = frozenset[str]().union(*(entities[name].declared for name in entities.around(unit.name)))
    named = None if compared.attributes is None else compared.attributes - around
    kept = evolve(compared, attributes=named, entities=evolve(entities, declared=tuple(staying)))
    return evolve(promised, neighbours=kept)


def _told(promised: Specification) -> Universe:
    """The universe of a promise, as if the domain had datasets with other values of what is the same in all of it."""
    return evolve(promised.universe, invariants=tuple(evolve(known, fixed=False) for known in promised.invariants))


def _unseen(universe: Universe, named: frozenset[str]) -> frozenset[str]:
    """Of some attributes those that a unit may have any values of, and that no exact statistic looks at.

    Where counts of other entities change with a unit, only those of its own: by others it would be elsewhere.
    """
    seen = frozenset[str]().union(*(known.counts_by or () for known in universe.invariants))
    entities, unit = universe.neighbours.entities, universe.neighbours.unit
    if (universe.coupled or universe.undeclared) and unit in entities:
        seen = seen.union(*(entities[name].declared for name in entities.around(unit)))
    return frozenset(name for name in named - seen if universe.vary(frozenset((name,))) and universe.surely_free(name))
