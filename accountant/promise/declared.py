"""Declared: whether what a specification says of entities fits together, each contradiction with its place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from accountant.errors import suggest
from accountant.promise.domain import Domain
from accountant.promise.entities import Entities, Entity
from accountant.promise.invariant import Invariant
from accountant.promise.neighbours import Relation


def contradictions(
    declared: Sequence[Entity],
    unit: str,
    relation: Relation,
    attributes: frozenset[str] | None,
    invariants: Sequence[Invariant | None],
    domain: Domain,
) -> Iterator[tuple[str, str]]:
    """Everything in a specification that contradicts its entities, with its place inside it."""
    if not declared:
        return
    entities = Entities.unchecked(declared)
    yield from ((f"entities[{index}].{key}", message) for (index, key), message in entities.faults())
    if unit in entities:
        yield from _of_unit(entities, unit, relation, attributes, domain)
    else:
        yield "unit", f"nobody declared '{unit}' among the entities{suggest(unit, [item.name for item in declared])}"
    for index, known in enumerate(invariants):
        yield from (() if known is None else _of_invariant(entities, unit, known, f"invariants[{index}]"))


def _of_unit(
    entities: Entities, unit: str, relation: Relation, attributes: frozenset[str] | None, domain: Domain
) -> Iterator[tuple[str, str]]:
    fixed = [name for name in sorted(entities[unit].within) if name in entities and entities[name].may_resize is False]
    if fixed and not relation.keeps_size:
        words = f"a {unit} that comes or goes changes how many a '{fixed[0]}' has, which is declared not to change"
        yield "neighbours", words
    yield from (("attributes", words) for words in no_attribute(entities, unit, attributes))
    around = {name: entities[outer] for outer in entities.around(unit) for name in entities[outer].declared}
    for name in sorted(attributes or ()):
        if name in around and entities[unit].may_move is False:
            words = f"'{name}' is of the {around[name].name}, which a {unit} is declared not to leave"
            yield "attributes", words
    had = entities.record(unit)
    for message in (*domain.undeclared(had), *no_attribute(entities, unit, domain.attributes)):
        yield "domain.attributes", message


def _of_invariant(entities: Entities, unit: str, known: Invariant, place: str) -> Iterator[tuple[str, str]]:
    counted = known.of or unit
    if counted not in entities and counted == unit:
        return
    if counted not in entities:
        names = [entity.name for entity in entities.declared]
        yield f"{place}.of", f"nobody declared '{counted}' among the entities{suggest(counted, names)}"
        return
    yield from ((f"{place}.counts_by", words) for words in no_attribute(entities, counted, known.counts_by))


def no_attribute(entities: Entities, name: str, attributes: Iterable[str] | None) -> Iterator[str]:
    """What is wrong with attributes that an entity does not have, where all are declared that it has."""
    had = entities.record(name)
    if had is not None:
        for attribute in sorted(frozenset(attributes or ()) - had):
            yield f"neither a {name} nor what contains it has '{attribute}'{suggest(attribute, had)}"
