"""Units: how many steps by one unit a step by another is, where it is declared which contains which.

The rules are proved in docs/explanation/units-and-entities.md and enumerated on small worlds.
"""

from __future__ import annotations

from collections.abc import Mapping

from attrs import evolve

from accountant.errors import InvalidValue
from accountant.promise.effect import Effect
from accountant.promise.entities import Entities, Entity
from accountant.promise.neighbours import Neighbours

Members = Mapping[tuple[str, str], int]
"""How many of a small unit a large one has at most, by (large, small). A large unit is its small ones and nothing else."""

Steps = tuple[str, int | None]
"""Why, in words, and how many steps; None where that is not known."""


def entities_of(members: Members) -> Entities:
    """What a list of sizes declares."""
    names = dict.fromkeys(name for pair in members for name in pair)
    within = {small: [large for large, other in members if other == small] for _, small in members}
    several = [small for small, outer in within.items() if len(outer) > 1]
    if several:
        raise InvalidValue(f"'{several[0]}' is in more than one thing; declare it in the 'entities' of the specifications")
    sizes = {small: most for (_, small), most in members.items()}
    large = {outer for outer, _ in members}
    return Entities(
        tuple(
            Entity(name, within.get(name, ()), at_most=sizes.get(name), may_be_empty=False if name in large else None)
            for name in names
        )
    )


def unit_steps(known: Neighbours, wanted: Neighbours, entities: Entities) -> Steps:
    """How many steps between neighbours of the first a step between those of the second is, where their units differ."""
    here, there = known.unit, wanted.unit
    relations = known.relation, wanted.relation
    steps = None if wanted.relation.policy is None else wanted.relation.policy.steps_in(known.relation)
    if steps is not None and all(relation.policy and relation.policy.unit for relation in relations):
        return f"to change one {there} is to change one {here}, at most {steps} times", steps
    if here not in entities or there not in entities:
        return f"how many of unit {here} one {there} has at most is not declared", None
    if any(relation.policy is not None or relation.replacement is None for relation in relations):
        return f"no rule leads from '{known.relation.name}' to '{wanted.relation.name}' neighbours of other units", None
    if there in entities.around(here):
        return _from_members(known, wanted, entities)
    if there in entities.inside(here):
        return _to_members(known, evolve(wanted, entities=entities), entities)
    return f"neither does a {here} contain a {there}, nor a {there} a {here}", None


def _from_members(known: Neighbours, wanted: Neighbours, entities: Entities) -> Steps:
    """A container is taken away member by member, and built up again."""
    here, there = known.unit, wanted.unit
    size, path = entities.most(here, there), entities.between(here, there)
    if size is None:
        return f"how many of unit {here} one {there} has at most is not declared", None
    if known.relation.keeps_size:
        return f"whether a {there} keeps its place and how many of unit {here} there are is not declared", None
    beside = entities.inside(there) - path - {here} - entities.inside(here)
    if beside:
        return f"one {there} has also {', '.join(sorted(beside))}, which the first does not compare", None
    if any(entities[name].may_be_empty is not False for name in path):
        return f"whether a {there} is there without any {here} is not declared, or it is", None
    rebuilt = "" if wanted.relation.by_presence else ", taken away and built up again"
    return f"one {there} has at most {size} of unit {here}{rebuilt}", size if wanted.relation.by_presence else 2 * size


def _to_members(known: Neighbours, wanted: Neighbours, entities: Entities) -> Steps:
    """A member changes what contains it: one, or two where it moves."""
    here, there = known.unit, wanted.unit
    if not entities.always_in(there, here):
        return f"a {there} need not be in a {here}, and of others the first says nothing", None
    moving = wanted.relation.keeps_size and Effect(wanted, there).moves_unit
    if not known.relation.keeps_size:
        places = f"two of unit {here}, to move from one to the other" if moving else f"one {here}"
        return f"to change one {there} is to remove {places}, and add what it becomes", 4 if moving else 2
    if wanted.relation.keeps_size and not moving:
        return f"to change one {there} is to change the {here} that it is in", 1
    resized = all(entities[name].may_resize is True for name in entities.between(there, here))
    if not resized or entities[here].may_be_empty is not True:
        return f"whether a {here} that a {there} leaves or enters is there before and after is not declared", None
    if moving:
        return f"to move one {there} is to change two of unit {here}", 2
    return f"to add or remove one {there} is to change the {here} that it is in", 1
