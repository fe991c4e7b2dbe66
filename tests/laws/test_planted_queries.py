"""Queries and neighbour relations that say too little of what moves are caught by trying all small datasets."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, ClassVar

import pytest
from attrs import evolve, field, frozen

from accountant import Neighbours, Theorem, default_registry, fields
from accountant.plugin import (
    ADD_REMOVE,
    QUERIES,
    REPLACE_ONE,
    Query,
    QueryOracle,
    Records,
    Relation,
    RelationOracle,
    Shift,
)
from accountant.testing import laws, trials
from tests.laws.planted import PLANTED, registry_with

ONE = Fraction(1)
HISTOGRAM = default_registry()[QUERIES]["histogram"]


@frozen
class Visits(Query):
    """How often people came, each at most so many times: an honest query."""

    kind: ClassVar[str] = "visits"
    theorem: ClassVar[Theorem] = PLANTED

    most: int = field(converter=fields.whole, validator=fields.at_least(1), metadata=fields.about("visits of one person"))

    def _shift(self, neighbours: Neighbours) -> Shift:
        return Shift.along([self.most * max(max(move) for move in neighbours.moves)])

    def records(self) -> Records | None:
        return Records(((Fraction(0),), (Fraction(self.most),)), all_of_them=False)


def visits(query: Any, records: tuple[Mapping[str, int], ...]) -> list[int]:
    return [sum(record["came"] for record in records)]


def people(query: Any) -> list[Mapping[str, int]]:
    return [{"came": 0}, {"came": 1}, {"came": query.most}]


ORACLE = QueryOracle("visits", visits, people)


@frozen
class OncePerPerson(Visits):
    """Forgets that a person may come more than once."""

    def _shift(self, neighbours: Neighbours) -> Shift:
        return Shift.along([max(max(move) for move in neighbours.moves)])


@frozen
class OnePersonOnly(Visits):
    """Forgets that a group may differ."""

    def _shift(self, neighbours: Neighbours) -> Shift:
        return Shift.along([self.most * max(max(move) for move in neighbours.relation.moves)])


@frozen
class Roomy(Visits):
    """Names a worst move that nobody makes."""

    def _shift(self, neighbours: Neighbours) -> Shift:
        return Shift.along([2 * self.most * max(max(move) for move in neighbours.moves)])


@frozen
class WholeVisits(Visits):
    """Says that a person adds nothing or all visits, and nothing between."""

    def records(self) -> Records | None:
        return Records(((Fraction(0),), (Fraction(self.most),)), all_of_them=True)


@pytest.mark.parametrize("relation", [ADD_REMOVE, REPLACE_ONE])
def test_an_honest_query_passes(relation: Relation) -> None:
    for most in (1, 2, 5):
        laws.query_moves_no_further(ORACLE, relation, Visits(most))
        laws.groups_move_as_far_as_their_moves(relation, Visits(most), 3)
        laws.records_add_what_they_are_said_to(ORACLE, Visits(most))


@pytest.mark.parametrize(
    ("planted", "words"),
    [
        (OncePerPerson(3), "moves further than it says: l1 is 3, said to be at most 1"),
        (OnePersonOnly(3), "moves further than it says: l1 is 4, said to be at most 3"),
        (Roomy(3), "names a worst move that no two datasets have"),
    ],
)
def test_a_query_that_says_the_wrong_move_is_caught(planted: Visits, words: str) -> None:
    with pytest.raises(AssertionError, match=words):
        laws.query_moves_no_further(ORACLE, ADD_REMOVE, planted)


def test_a_query_that_looks_at_more_than_it_says_is_caught() -> None:
    def peeks(query: Any, records: tuple[Mapping[str, int], ...]) -> list[int]:
        return [sum(record["came"] for record in records)]

    def pairs(query: Any) -> list[Mapping[str, int]]:
        return [{"came": came, "age": age} for came in (0, 1) for age in (0, 1)]

    oracle = QueryOracle("visits", peeks, pairs)
    laws.query_moves_no_further(oracle, REPLACE_ONE, Visits(1, attributes=["came"]))
    with pytest.raises(AssertionError, match="moves further than it says"):
        laws.query_moves_no_further(oracle, REPLACE_ONE, Visits(1, attributes=["age"]))


def test_a_query_is_tried_where_several_records_differ_in_some_attributes_and_others_are_alike() -> None:
    """From two who are alike one becomes somebody else; from two both do."""
    couples = Relation("couples", frozenset({(1, 1), (2, 2)}), edits=True, meaning="one or two have other values")
    oracle = QueryOracle("visits", visits, lambda query: [{"came": 0, "age": 0}, {"came": 1, "age": 0}])
    laws.query_moves_no_further(oracle, couples, Visits(1, attributes=["came"]))
    with pytest.raises(AssertionError, match="moves further than it says: l1 is 2, said to be at most 1"):
        laws.query_moves_no_further(oracle, couples, ForgetsPartners(1, attributes=["came"]))


@frozen
class ForgetsPartners(Visits):
    """Forgets that two may differ where attributes are singled out."""

    def _shift(self, neighbours: Neighbours) -> Shift:
        honest = super()._shift(neighbours)
        return honest if neighbours.attributes is None else Shift.along([self.most])


@frozen
class SignedHistogram(HISTOGRAM):  # type: ignore[misc, valid-type]
    """A histogram that is said to rise in every cell, whoever is replaced."""

    def _shift(self, neighbours: Neighbours) -> Shift:
        return evolve(super()._shift(neighbours), one_sided=True)


@frozen
class OneCell(HISTOGRAM):  # type: ignore[misc, valid-type]
    """A histogram that puts both moves of a replaced record into one cell."""

    def _shift(self, neighbours: Neighbours) -> Shift:
        return Shift.along([2 * max(max(move) for move in neighbours.moves)])


@frozen
class SpreadHistogram(HISTOGRAM):  # type: ignore[misc, valid-type]
    """A histogram whose groups are thought to spread over cells of their own."""

    def _shift(self, neighbours: Neighbours) -> Shift:
        honest = super()._shift(neighbours)
        return honest if neighbours.group == 1 else evolve(honest, gathered=(ONE, -ONE) * neighbours.group)


@pytest.mark.parametrize(
    ("planted", "words"),
    [
        (SignedHistogram(), "it is not one-sided"),
        (OneCell(), "more coordinates move"),
        (SpreadHistogram(), "does not share out what 'gathered' moves"),
    ],
)
def test_a_histogram_that_misplaces_its_moves_is_caught(planted: Query, words: str) -> None:
    cells = QueryOracle("histogram", lambda query, records: [records.count(cell) for cell in "abc"], lambda query: "abc")
    laws.query_moves_no_further(cells, REPLACE_ONE, HISTOGRAM())
    with pytest.raises(AssertionError, match=words):
        laws.query_moves_no_further(cells, REPLACE_ONE, planted)


def test_a_group_that_is_forgotten_is_caught_without_an_oracle() -> None:
    with pytest.raises(AssertionError, match="at least as far as all records that may differ at once"):
        laws.groups_move_as_far_as_their_moves(ADD_REMOVE, OnePersonOnly(3), 2)


def test_a_record_that_adds_something_else_is_caught() -> None:
    with pytest.raises(AssertionError, match="a record must add to 'visits' what 'records' says"):
        laws.records_add_what_they_are_said_to(ORACLE, WholeVisits(3))
    largest = QueryOracle("visits", lambda query, records: [max((r["came"] for r in records), default=0)], people)
    with pytest.raises(AssertionError, match="whatever the others are"):
        laws.records_add_what_they_are_said_to(largest, Visits(3))


def test_a_query_and_a_relation_without_an_oracle_are_asked_for_one() -> None:
    laws.query_has_an_oracle(Visits, ORACLE)
    with pytest.raises(AssertionError, match=r'yield QueryOracle\("visits", answer='):
        laws.query_has_an_oracle(Visits, None)
    laws.query_has_an_oracle(default_registry()[QUERIES]["vector"], None)
    with pytest.raises(AssertionError, match=r'yield RelationOracle\("add-remove", related='):
        laws.relation_has_an_oracle("add-remove", None)


def contained(first: tuple[Any, ...], second: tuple[Any, ...]) -> bool:
    return len(second) == len(first) + 1 and all(first.count(record) <= second.count(record) for record in first)


@pytest.mark.parametrize("moves", [{(1, 0), (0, 1), (1, 1)}, {(2, 0), (0, 2)}, {(1, 0), (0, 1), (2, 0)}])
def test_a_relation_with_other_moves_than_its_neighbours_is_caught(moves: set[tuple[int, int]]) -> None:
    oracle = RelationOracle("add-remove", contained)
    laws.moves_are_the_relation(ADD_REMOVE, oracle)
    with pytest.raises(AssertionError, match="the moves of 'add-remove' must be its neighbours"):
        laws.moves_are_the_relation(evolve(ADD_REMOVE, moves=frozenset(moves)), oracle)


def test_a_relation_that_leaves_neighbours_out_is_caught() -> None:
    either = RelationOracle("add-remove", lambda first, second: contained(first, second) or len(first) == len(second) == 1)
    with pytest.raises(AssertionError, match="'moves', which leave neighbours out"):
        laws.moves_are_the_relation(ADD_REMOVE, either)


def test_an_honest_query_of_a_stranger_passes_every_law() -> None:
    for trial in trials("planted_plugin", registry=registry_with(queries=[Visits], conformance_cases=[ORACLE])):
        trial()
