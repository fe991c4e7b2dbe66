"""Promises about units that are in each other: what a step may do to where they are and what is in them."""

from __future__ import annotations

import pytest

from accountant import Budget, Cohort, Entity, Invariant, Neighbours, Specification, Verdict, implies
from accountant.promise.domain import Domain
from accountant.promise.neighbours import ADD_REMOVE, REPLACE_ONE
from tests.promise.nested import Tree, World


def world(**said: bool) -> World:
    """Persons with an age in households with a tenure, at most two in each."""
    moves, resizes, empty = (said.get(key) for key in ("may_move", "may_resize", "may_be_empty"))
    person = Entity("person", "household", at_most=2, may_move=moves, attributes=["age"])
    return World([person, Entity("household", may_resize=resizes, may_be_empty=empty, attributes=["tenure"])])


FREE = world(may_move=True, may_resize=True, may_be_empty=True)


def near(where: World, unit: str, attributes: list[str] | None = None, added: bool = False) -> Neighbours:
    return Neighbours(ADD_REMOVE if added else REPLACE_ONE, unit, attributes, entities=tuple(where.sorts.values()))


def promised(neighbours: Neighbours, epsilon: int, had: list[str], *exact: Invariant) -> Specification:
    return Specification(neighbours, exact, Domain(attributes=had), (Budget.of("pure", epsilon=epsilon),))


def reached(where: World, neighbours: Neighbours, start: tuple[Tree, ...]) -> set[tuple[Tree, ...]]:
    """All datasets to which any number of steps leads, of at most as many households."""
    found, edge = {start}, {start}
    while edge:
        further = {where.canonical(other) for data in edge for other in where.steps(where.read(data), neighbours)}
        edge = {data for data in further if len(data) <= len(start)} - found
        found |= edge
    return found


PERSON, HOUSEHOLD = ["age", "tenure"], ["tenure"]
NOBODY, TWO = ("household", (1,), ()), ("household", (0,), (("person", (0,), ()), ("person", (0,), ())))


@pytest.mark.parametrize(
    ("known", "wanted", "had", "epsilon"),
    [
        (near(FREE, "household", ["tenure"]), near(FREE, "person", ["tenure"]), (HOUSEHOLD, PERSON), 2),
        (near(FREE, "household", ["tenure"]), near(FREE, "household"), (HOUSEHOLD, HOUSEHOLD), 1),
        (near(FREE, "person", ["age"]), near(FREE, "person"), (PERSON, PERSON), 1),
    ],
    ids=["a person moves", "other members", "elsewhere"],
)
def test_units_that_differ_in_attributes_are_where_they_were_with_what_was_in_them(
    known: Neighbours, wanted: Neighbours, had: tuple[list[str], list[str]], epsilon: int
) -> None:
    first, second = promised(known, 1, had[0]), promised(wanted, epsilon, had[1])
    assert implies(first, second).verdict is not Verdict.IMPLIED
    # A neighbour of the second to which no steps of the first lead.
    start = (TWO, NOBODY)
    close = {FREE.canonical(other) for other in FREE.steps(FREE.read(start), wanted)}
    assert {data for data in close if len(data) == len(start)} - reached(FREE, known, tuple(sorted(start)))


@pytest.mark.parametrize("may_move", [None, False, True])
def test_to_remove_one_and_add_another_is_to_replace_it_only_where_it_may_be_anywhere(may_move: bool | None) -> None:
    where = world(may_move=may_move, may_resize=True, may_be_empty=True)
    known, wanted = near(where, "person"), near(where, "person", added=True)
    total = Invariant("persons", [], "person")
    found = implies(promised(known, 1, PERSON), promised(wanted, 1, PERSON, total)).verdict
    assert (found is Verdict.IMPLIED) == (may_move is True)
    if not may_move:
        # One is removed here and another added there: nobody who stays is replaced by that.
        start, end = tuple(sorted((TWO, NOBODY))), (("household", (0,), TWO[2][:1]), ("household", (1,), TWO[2][:1]))
        assert tuple(sorted(end)) not in reached(where, known, start)


def test_a_household_that_may_not_resize_is_no_other_one_that_comes() -> None:
    where = world(may_move=False, may_resize=False, may_be_empty=True)
    known, wanted = near(where, "household"), near(where, "household", added=True)
    total = Invariant("households", [], "household")
    found = implies(promised(known, 1, HOUSEHOLD), promised(wanted, 1, HOUSEHOLD, total)).verdict
    assert found is Verdict.UNKNOWN
    assert (NOBODY,) not in reached(where, known, (TWO,))


def in_the_same_cohort(where: World, neighbours: Neighbours, start: tuple[Tree, ...], place: int) -> bool:
    """Whether a step changes a dataset though all its persons have the same first values of one sort before and after."""
    alike = {tuple(sorted(_values(tree, place))) for tree in start}
    for other in where.steps(where.read(start), neighbours):
        data = where.canonical(other)
        if data != tuple(sorted(start)) and {tuple(sorted(_values(tree, place))) for tree in data} <= alike:
            return True
    return False


def _values(tree: Tree, place: int) -> set[int]:
    """The value of a household, or those of the persons in it."""
    return {tree[1][0]} if place == 0 else {person[1][0] for person in tree[2]}


PAIR = ("household", (0,), TWO[2]), ("household", (0,), ())


@pytest.mark.parametrize("may_move", [True, False])
def test_who_moves_among_equal_places_is_compared_and_who_stays_with_the_same_record_is_not(may_move: bool) -> None:
    where = world(may_move=may_move, may_resize=True, may_be_empty=True)
    by, attributes = ("tenure", ["tenure"]) if may_move else ("age", None)
    neighbours = near(where, "person", attributes)
    assert in_the_same_cohort(where, neighbours, PAIR, 0 if may_move else 1) is may_move
    of_one_value = Budget.of("pure", epsilon=1, cohort=Cohort(by, ["0"]))
    wanted = Specification(neighbours, (), Domain(attributes=PERSON), (of_one_value,))
    found = implies(promised(neighbours, 2, PERSON), wanted).verdict
    assert found is (Verdict.UNKNOWN if may_move else Verdict.VACUOUS)


@pytest.mark.parametrize("lasting", [True, False])
def test_a_household_gives_its_place_to_another_only_once_all_have_left_it(lasting: bool) -> None:
    """Where a block has one household at most, who is replaced cannot be the first of the next while others are left."""
    person = Entity("person", "household", at_most=2, may_move=True, attributes=["age"])
    household = Entity("household", "block", 1, False, True, lasting, ["tenure"])
    where = World([person, household, Entity("block", may_resize=True, may_be_empty=True, attributes=["street"])])
    known, wanted = near(where, "person"), near(where, "person", added=True)
    had, total = [*PERSON, "street"], Invariant("persons", [], "person")
    found = implies(promised(known, 1, had), promised(wanted, 1, had, total)).verdict
    assert found is (Verdict.IMPLIED if lasting else Verdict.UNKNOWN)
    start, end = (("block", (0,), (("household", (tenure,), TWO[2]),)) for tenure in (0, 1))
    added, after = {(start,)}, {where.canonical(where.read((start,)))}
    for _ in range(4):
        added |= {where.canonical(other) for data in added for other in where.steps(where.read(data), wanted)}
        added = {data for data in added if len(data) == 1}
    for _ in range(4):
        after |= {where.canonical(other) for data in after for other in where.steps(where.read(data), known)}
    # Four persons come or go, and where households last there is no way at all: they stay, and so does their tenure.
    assert ((end,) in added) is not lasting
    assert (end,) not in after


@pytest.mark.parametrize("moves", [None, True])
def test_units_that_may_have_no_neighbours_refute_nothing(moves: bool | None) -> None:
    person = Entity("person", "household", at_most=2, may_move=moves, attributes=[])
    household = Entity("household", may_resize=True, may_be_empty=True, attributes=["tenure"])
    near = Neighbours(REPLACE_ONE, "person", entities=[person, household])
    known, wanted = (Specification(near, budgets=(Budget.of("pure", epsilon=much),)) for much in (2, 1))
    assert implies(known, wanted).verdict is (Verdict.UNKNOWN if moves is None else Verdict.REFUTED)


@pytest.mark.parametrize(("most", "resizes", "alike"), [(1, True, True), (2, False, True), (2, True, False)])
def test_households_of_one_tenure_differ_in_their_members_unless_these_are_alike_and_as_many(
    most: int, resizes: bool, alike: bool
) -> None:
    person = Entity("person", "household", at_most=most, may_move=False, attributes=[])
    household = Entity("household", may_resize=resizes, may_be_empty=False, attributes=["tenure"])
    where = World([person, household])
    neighbours = near(where, "household")
    start = tuple(("household", (0,), (("person", (), ()),) * many) for many in (1, most))
    assert in_the_same_cohort(where, neighbours, start, 0) is not alike
    of_one_value = Budget.of("pure", epsilon=1, cohort=Cohort("tenure", ["0"]))
    wanted = Specification(neighbours, (), Domain(attributes=HOUSEHOLD), (of_one_value,))
    found = implies(promised(neighbours, 2, HOUSEHOLD), wanted).verdict
    assert found is (Verdict.VACUOUS if alike else Verdict.UNKNOWN)
