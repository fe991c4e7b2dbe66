"""What follows between neighbour relations that nobody has thought of yet, by enumeration of tiny datasets."""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Iterator
from functools import cache

import pytest

from accountant import Budget, InvalidValue, Invariant, Neighbours, Specification, Verdict, default_registry
from accountant.analysis.compared import steps_between
from accountant.finite.domain import Records, moves, multisets
from accountant.plugin import DIVERGENCES, NEIGHBOURS
from accountant.promise.neighbours import ADD_REMOVE, REPLACE_ONE, Relation
from accountant.promise.universe import Closest, Universe

PURE = default_registry()[DIVERGENCES]["pure"]
MOVES = [(1, 0), (0, 1), (1, 1), (2, 0), (0, 2), (2, 2)]
ATTRIBUTES = ("a", "b")
RECORDS = [frozenset(chosen) for size in (0, 1, 2) for chosen in itertools.combinations(ATTRIBUTES, size)]
LARGEST = 4
DATASETS = multisets(RECORDS, LARGEST)
SMALL = [data for data in DATASETS if len(data) <= 2]


def relation(*allowed: tuple[int, int]) -> Relation:
    return Relation(" and ".join(map(str, allowed)), frozenset(allowed), edits=False, meaning="as enumerated")


# Whoever compares two datasets compares them both ways.
SYMMETRIC = [
    relation(*sorted({move for chosen in some for move in (chosen, chosen[::-1])}))
    for size in (1, 2, 3)
    for some in itertools.combinations([move for move in MOVES if move[0] >= move[1]], size)
]
EVERY = [*default_registry()[NEIGHBOURS].values(), *SYMMETRIC]


@cache
def related(compared: Relation) -> dict[Records, list[Records]]:
    """The neighbours of every dataset."""
    holds = moves(compared)
    return {left: [right for right in DATASETS if holds(left, right)] for left in DATASETS}


@cache
def steps(compared: Relation, start: Records) -> dict[Records, int]:
    """How many steps every dataset that is not too large is away."""
    found, pending = {start: 0}, [start]
    while pending:
        depth = found[pending[0]] + 1
        pending = list({other: None for here in pending for other in related(compared)[here] if other not in found})
        found.update(dict.fromkeys(pending, depth))
    return found


def verdict(known: Relation, wanted: Relation) -> tuple[Verdict, int]:
    """What the relations alone say, and after how many steps."""
    asked = Specification(Neighbours(wanted), budgets=(Budget(PURE, PURE.parameter(epsilon=1)),))
    reasons, steps = steps_between(Specification(Neighbours(known)), asked, {})
    return reasons[-1].verdict, steps.within(1)


def neighbours(compared: Relation) -> Iterator[tuple[Records, Records]]:
    return ((left, right) for left in SMALL for right in related(compared)[left] if right in SMALL)


def faults(known: Relation, wanted: Relation, said: Verdict, count: int) -> list[str]:
    """What enumeration has against a verdict."""
    pairs = list(neighbours(wanted))
    if said is Verdict.IMPLIED:
        return [f"{left} to {right}" for left, right in pairs if steps(known, left).get(right, math.inf) > count]
    if said is Verdict.REFUTED:
        tells = any(len(left) != len(right) for left, right in pairs)
        keeps = all(len(left) == len(right) for left, right in neighbours(known))
        return [] if tells and keeps else ["publishing the number of units is no counterexample"]
    return []


@pytest.mark.parametrize("known", EVERY, ids=lambda found: found.name)
def test_no_enumeration_contradicts_what_follows_between_relations(known: Relation) -> None:
    for wanted in EVERY:
        assert faults(known, wanted, *verdict(known, wanted)) == [], wanted.name


def test_a_relation_by_another_name_is_the_same_relation() -> None:
    other = relation((1, 1))
    assert verdict(REPLACE_ONE, other) == verdict(other, REPLACE_ONE) == (Verdict.IMPLIED, 1)
    both = relation((1, 0), (0, 1), (1, 1))
    assert verdict(both, REPLACE_ONE) == verdict(both, ADD_REMOVE) == (Verdict.IMPLIED, 1)
    assert verdict(ADD_REMOVE, both) == (Verdict.IMPLIED, 2)
    assert verdict(REPLACE_ONE, both)[0] is Verdict.REFUTED


def test_false_verdicts_between_relations_are_caught() -> None:
    pairs = relation((2, 2))
    assert faults(REPLACE_ONE, pairs, Verdict.REFUTED, 1)
    assert faults(REPLACE_ONE, pairs, Verdict.IMPLIED, 1)
    assert faults(relation((2, 0), (0, 2)), ADD_REMOVE, Verdict.IMPLIED, 2)


# How far apart datasets are -------------------------------------------------------------------------------------------


def counted(by: Collection[str]) -> Invariant:
    return Invariant(f"counts by {', '.join(by) or 'nothing'}", by)


def agree(left: Records, right: Records, invariants: Collection[Invariant]) -> bool:
    return all(
        sorted(sorted(record & (item.counts_by or frozenset())) for record in left)
        == sorted(sorted(record & (item.counts_by or frozenset())) for record in right)
        for item in invariants
    )


@pytest.mark.parametrize("compared", EVERY, ids=lambda found: found.name)
@pytest.mark.parametrize("by", [(), ((),), (("a",),), (("a",), ("b",)), (ATTRIBUTES,)], ids=str)
def test_no_comparable_datasets_are_closer_than_is_said(compared: Relation, by: tuple[tuple[str, ...], ...]) -> None:
    invariants = [counted(attributes) for attributes in by]
    found = Universe(Neighbours(compared), tuple(invariants), ATTRIBUTES).closest
    distances = [
        steps(compared, left)[right]
        for left, right in itertools.permutations(SMALL, 2)
        if right in steps(compared, left) and agree(left, right, invariants)
    ]
    if found.least is None:
        assert not distances
    else:
        assert min(distances, default=found.least) >= found.least
        assert found.most is None or min(distances) <= found.most


def test_a_relation_that_also_replaces_needs_one_step_to_replace() -> None:
    assert Universe(Neighbours(relation((1, 0), (0, 1), (1, 1))), (counted(()),)).closest == Closest(1, 1)


# Some attributes only -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("compared", SYMMETRIC, ids=lambda found: found.name)
def test_neighbours_that_differ_in_some_attributes_only_have_as_many_records(compared: Relation) -> None:
    """A record that comes or goes moves counts by attributes that no limit on attributes names, which then cost nothing."""
    if all(appear == disappear for appear, disappear in compared.moves):
        assert Relation("edited", compared.moves, edits=True, meaning="as enumerated").edits
        return
    with pytest.raises(InvalidValue, match="say edits=False"):
        Relation("edited", compared.moves, edits=True, meaning="as enumerated")


def test_a_relation_that_is_written_one_way_is_meant_both_ways() -> None:
    one_way = relation((1, 0))
    assert one_way.moves == ADD_REMOVE.moves
    assert one_way.by_presence
    # Of two units one may come and the other go, so that neither dataset has more of everything.
    assert (1, 1) in Neighbours(one_way, group=2).moves
