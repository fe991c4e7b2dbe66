"""Steps from one unit to another, against the shortest ways between all datasets of small nested worlds."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest
from attrs import evolve

from accountant import Budget, Entity, InvalidValue, Neighbours, Specification, Verdict
from accountant.analysis.implication import implies
from accountant.analysis.units import entities_of, unit_steps
from accountant.promise.neighbours import ADD_REMOVE, REPLACE_ONE
from tests.promise.nested import Tree, World

RELATIONS = (ADD_REMOVE, REPLACE_ONE)


def worlds() -> Iterator[World]:
    """Persons in households, at most two, with all that may be said of either."""
    for moves, resizes, empty in itertools.product((True, False), repeat=3):
        if resizes or not moves:
            yield World(
                [
                    Entity("person", "household", at_most=2, may_move=moves, attributes=["p"]),
                    Entity("household", may_resize=resizes, may_be_empty=empty, attributes=["h"]),
                ]
            )


def all_datasets(world: World, most: int) -> list[tuple[Tree, ...]]:
    trees = sorted(world.trees("household"))
    return [kept for size in range(most + 1) for kept in itertools.combinations_with_replacement(trees, size)]


def reached(world: World, start: tuple[Tree, ...], neighbours: Neighbours, most: int) -> set[tuple[Tree, ...]]:
    """All datasets that so many steps lead to."""
    found, edge = {start}, {start}
    for _ in range(most):
        edge = {world.canonical(other) for data in edge for other in world.steps(world.read(data), neighbours)} - found
        found |= edge
    return found


def cases(world: World) -> Iterator[tuple[Neighbours, Neighbours]]:
    """A promise by persons or households, and one by the other."""
    entities, fixed = tuple(world.sorts.values()), world.sorts["household"].may_resize is False
    for (here, there), one, other in itertools.product(
        (("person", "household"), ("household", "person")), RELATIONS, RELATIONS
    ):
        pair = [Neighbours(one, here, entities=entities), Neighbours(other, there, entities=entities)]
        if not any(fixed and item.unit == "person" and item.relation == ADD_REMOVE for item in pair):
            yield pair[0], pair[1]


def too_far(world: World, known: Neighbours, wanted: Neighbours, steps: int, starts: list[tuple[Tree, ...]]) -> bool:
    """Whether a step of the second is more than so many of the first somewhere."""
    for start in starts:
        near = {world.canonical(other) for other in world.steps(world.read(start), wanted)}
        if not near <= reached(world, start, known, steps):
            return True
    return False


WORLDS = list(worlds())


def judged(world: World, most: int, starts: list[tuple[Tree, ...]]) -> tuple[int, int]:
    """How many answers of so many steps at most were tried, and how many of them one step fewer would not be enough for."""
    tried = tight = 0
    for known, wanted in cases(world):
        _, steps = unit_steps(known, wanted, known.entities)
        if steps is not None and steps <= most:
            tried += 1
            assert not too_far(world, known, wanted, steps, starts), (known, wanted, steps)
            tight += too_far(world, known, wanted, steps - 1, starts)
    return tried, tight


@pytest.mark.parametrize("world", WORLDS, ids=str)
def test_a_step_by_one_unit_is_never_more_steps_by_another_than_is_said(world: World) -> None:
    starts = [data for data in all_datasets(world, 2) if sum(len(tree[2]) for tree in data) == len(data)][:6]
    tried, tight = judged(world, 2, starts)
    assert tried == tight
    assert tried > 0


@pytest.mark.sweep
@pytest.mark.parametrize("world", WORLDS, ids=str)
def test_four_steps_are_enough_and_sometimes_needed(world: World) -> None:
    starts = [data for data in all_datasets(world, 2) if sum(len(tree[2]) for tree in data) <= 2]
    tried, tight = judged(world, 4, starts[:12])
    assert tried >= tight > 0


def promise(unit: str, relation: str, epsilon: str, entities: tuple[Entity, ...]) -> Specification:
    neighbours = Neighbours.of(relation, unit=unit, entities=entities)
    return Specification(neighbours, budgets=(Budget.of("pure", epsilon=epsilon),))


PERSON = Entity("person", "household", at_most=3, may_move=True)
HOUSEHOLD = Entity("household", may_resize=True, may_be_empty=True)


def test_what_is_declared_in_both_promises_is_used_and_no_more() -> None:
    declared = (PERSON, HOUSEHOLD)
    household = promise("household", "replace-one", "1", declared)
    for relation, epsilon in (("replace-one", "2"), ("add-remove", "1")):
        assert implies(household, promise("person", relation, epsilon, declared)).verdict is Verdict.IMPLIED
        assert implies(household, promise("person", relation, "0.99", declared)).verdict is Verdict.UNKNOWN
    # A household may be there without persons, so that no steps by persons remove it.
    person = promise("person", "add-remove", "1", declared)
    assert implies(person, promise("household", "add-remove", "3", declared)).verdict is Verdict.UNKNOWN
    occupied = (PERSON, evolve(HOUSEHOLD, may_be_empty=False))
    person = promise("person", "add-remove", "1", occupied)
    assert implies(person, promise("household", "add-remove", "3", occupied)).verdict is Verdict.IMPLIED
    assert implies(person, promise("household", "replace-one", "6", occupied)).verdict is Verdict.IMPLIED


@pytest.mark.parametrize(
    ("left_out", "replaced", "added"),
    [
        ("may_be_empty", Verdict.UNKNOWN, Verdict.UNKNOWN),
        ("may_resize", Verdict.UNKNOWN, Verdict.UNKNOWN),
        ("may_move", Verdict.IMPLIED, Verdict.IMPLIED),
        ("at_most", Verdict.IMPLIED, Verdict.IMPLIED),
    ],
)
def test_what_is_left_out_of_a_declaration_is_not_known(left_out: str, replaced: Verdict, added: Verdict) -> None:
    """Whether somebody moves need not be known where both are covered, nor how many there are where one changes."""
    declared = tuple(evolve(entity, **{left_out: None}) for entity in (PERSON, HOUSEHOLD))
    known = promise("household", "replace-one", "1", declared)
    assert implies(known, promise("person", "replace-one", "2", declared)).verdict is replaced
    assert implies(known, promise("person", "add-remove", "2", declared)).verdict is added


def test_declarations_that_differ_are_compared_where_only_fewer_are_contained() -> None:
    many, few = promise("person", "add-remove", "1", (PERSON, HOUSEHOLD)), evolve(PERSON, at_most=2)
    assert implies(many, promise("person", "add-remove", "1", (few, HOUSEHOLD))).verdict is Verdict.IMPLIED
    assert implies(promise("person", "add-remove", "1", (few, HOUSEHOLD)), many).verdict is Verdict.UNKNOWN
    stays = promise("person", "add-remove", "1", (evolve(PERSON, may_move=False), HOUSEHOLD))
    assert implies(stays, many).verdict is Verdict.UNKNOWN
    assert implies(many, stays).verdict is Verdict.UNKNOWN
    assert implies(promise("person", "add-remove", "1", ()), many).verdict is Verdict.UNKNOWN


def test_what_a_household_has_beside_persons_is_no_step_of_theirs() -> None:
    pets = (PERSON, evolve(HOUSEHOLD, may_be_empty=False), Entity("pet", "household", at_most=1))
    person = promise("person", "add-remove", "1", pets)
    found = implies(person, promise("household", "add-remove", "3", pets))
    assert found.verdict is Verdict.UNKNOWN
    assert "has also pet" in " ".join(reason.words for reason in found.reasons)
    assert implies(person, promise("pet", "add-remove", "9", pets)).verdict is Verdict.UNKNOWN


@pytest.mark.parametrize("relation", ["add-remove", "replace-one"])
@pytest.mark.parametrize("moves", [True, False])
def test_who_may_live_elsewhere_is_no_step_of_households(relation: str, moves: bool) -> None:
    person = Entity("person", ["household", "hostel"], at_most=1, may_move=moves, attributes=["p"])
    kept = {"may_resize": True, "may_be_empty": True, "attributes": []}
    both = (person, Entity("household", **kept), Entity("hostel", **kept))
    household, one = promise("household", relation, "1", both), promise("person", relation, "9", both)
    found = implies(household, one)
    assert found.verdict is Verdict.UNKNOWN
    assert "need not be in a household" in " ".join(reason.words for reason in found.reasons)
    start = (("hostel", (), (("person", (0,), ()),)),)
    assert too_far(World(list(both)), household.neighbours, one.neighbours, 4, [start])
    at_home = (evolve(person, within="household"), both[1])
    assert implies(promise("household", relation, "1", at_home), promise("person", relation, "9", at_home)).verdict is (
        Verdict.IMPLIED
    )


def test_a_step_to_a_member_of_a_member_leads_through_all_that_it_may_be_in() -> None:
    """A person in a household or a hostel of a block is always in a block."""
    person = Entity("person", ["household", "hostel"], at_most=1, may_move=False, attributes=["p"])
    homes = [Entity(name, "block", 1, False, may_be_empty=True, attributes=[]) for name in ("household", "hostel")]
    every = (person, *homes, Entity("block", may_be_empty=True, attributes=["b"]))
    by_block, by_person = promise("block", "replace-one", "1", every), promise("person", "replace-one", "1", every)
    assert implies(by_block, by_person).verdict is Verdict.IMPLIED
    blocks = list(World(list(every)).trees("block"))
    assert not too_far(World(list(every)), by_block.neighbours, by_person.neighbours, 1, [(tree,) for tree in blocks])


def test_sizes_in_a_list_declare_what_they_always_meant() -> None:
    found = entities_of({("household", "person"): 4, ("block", "household"): 10})
    assert found.most("person", "block") == 40
    assert found["household"].may_be_empty is False
    assert found["person"].may_move is None
    with pytest.raises(InvalidValue, match="more than one thing"):
        entities_of({("household", "person"): 4, ("hotel", "person"): 4})
    with pytest.raises(InvalidValue, match="run in circles"):
        entities_of({("household", "person"): 4, ("person", "household"): 4})
