"""Alone: in which attributes one unit may differ while all that is published exactly stays as it is."""

from __future__ import annotations

import pytest

from accountant import Entity, Invariant, Neighbours, Specification
from accountant.plugin import ADD_REMOVE, REPLACE_ONE, Relation
from accountant.promise.alone import alone
from accountant.promise.domain import Domain
from accountant_premetrics.values import Metric

BY_A = Invariant("by a", ["a"])


def promise(
    *invariants: Invariant, relation: Relation = REPLACE_ONE, declared: tuple[Entity, ...] = (), unit: str = "person"
) -> Specification:
    return Specification(Neighbours(relation, unit, entities=declared), invariants)


def differing(promised: Specification, *read: str) -> frozenset[str] | None:
    found = alone(promised, read)
    return None if found is None else found.neighbours.attributes


@pytest.mark.parametrize("known", [BY_A, Invariant("by a", ["a"], fixed=True)], ids=["exact", "the same in all"])
def test_units_differ_alone_in_what_no_exact_table_looks_at(known: Invariant) -> None:
    assert differing(promise(known), "a", "b", "c") == {"b", "c"}
    assert differing(promise(known), "a") is None


def test_what_records_are_declared_to_have_is_known_without_releases() -> None:
    declared = Specification(Neighbours(REPLACE_ONE), (BY_A,), Domain(attributes=["a", "b"]))
    assert alone(declared, None) == alone(declared, ["a"])
    assert differing(declared) == {"b"}


def test_nobody_differs_alone_from_what_a_name_may_fix() -> None:
    assert differing(promise(Invariant("totals")), "b") is None


def test_where_units_come_and_go_their_number_is_seen() -> None:
    assert differing(promise(BY_A, relation=ADD_REMOVE), "b") is None


def test_policies_are_not_narrowed() -> None:
    near = Specification(Neighbours(Metric("a", 1)), (BY_A,))
    assert differing(near, "b") is None


def test_who_may_be_elsewhere_differs_alone_in_nothing_of_the_place_while_others_are_counted() -> None:
    declared = (
        Entity("person", "house", at_most=2, may_move=True, attributes=["age"]),
        Entity("house", may_be_empty=False, attributes=["tenure", "street"]),
    )
    houses = Invariant("houses", ["street"], of="house")
    assert differing(promise(houses, declared=declared), "age", "tenure") == {"age"}
    plain = (declared[0], Entity("house", attributes=["tenure", "a"]))
    assert differing(promise(BY_A, declared=plain)) == {"age", "tenure"}
    standing = promise(houses, declared=(declared[0], Entity("house", may_be_empty=True, attributes=["tenure", "street"])))
    assert alone(standing, None) is standing


def test_who_is_not_declared_to_move_stays_where_it_is() -> None:
    declared = (Entity("person", "house", at_most=2, attributes=["age"]), Entity("house", attributes=["tenure"]))
    found = alone(promise(declared=declared), None)
    assert found is not None
    assert found.neighbours.entities["person"].may_move is False
