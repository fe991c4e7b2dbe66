"""Laws of neighbour relations: the moves of a relation are held against all pairs of small datasets."""

from __future__ import annotations

import itertools
import re

from accountant.finite.domain import moves, multisets
from accountant.plugin.oracles import RelationOracle
from accountant.promise.neighbours import Relation
from accountant.testing.counterexamples import broken

_RECORDS, _LARGEST = ((0, 0), (0, 1), (1, 0)), 3
_COUNTED = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_COUNT = re.compile(rf"\b(?P<count>\d+|{'|'.join(_COUNTED)})\b(?P<records> (?:\w+ )?(?:records?|rows?|units?|entries)\b)?")
_SEVERAL = {"both": 2, "couple": 2, "pair": 2, "twins": 2}


def relation_has_an_oracle(name: str, oracle: RelationOracle | None) -> None:
    """A relation says in a function of its own which datasets are neighbours."""
    if oracle is None:
        broken(
            f"nothing says which datasets are '{name}' neighbours, so the moves of the relation cannot be tried",
            remedy=f'yield RelationOracle("{name}", related=lambda first, second: ...) from accountant_conformance_cases',
        )


def moves_are_the_relation(relation: Relation, oracle: RelationOracle) -> None:
    """Two datasets are related, one way or the other, exactly where the moves lead from one to the other."""
    if relation.policy is not None:
        broken(
            f"not all datasets that the moves of '{relation.name}' reach are neighbours, so moves are not the relation",
            remedy="return the class of its policy from accountant_policies instead",
        )
    moved = moves(relation)
    for left, right in itertools.combinations(multisets(_RECORDS, _LARGEST), 2):
        related = oracle.related(left, right) or oracle.related(right, left)
        reached = moved(left, right) or moved(right, left)
        if related != reached:
            broken(
                f"the moves of '{relation.name}' must be its neighbours",
                first=str(list(left)),
                second=str(list(right)),
                related="yes" if related else "no",
                reached_by_a_move="yes" if reached else "no",
                moves=", ".join(f"{appear} appear and {gone} disappear" for appear, gone in sorted(relation.moves)),
                look_at="'moves'"
                + (", which leave neighbours out" if related else ", which lead further than neighbours are"),
            )
    _require_counted(relation)


def _require_counted(relation: Relation) -> None:
    """Where a meaning counts records, it counts as many as may come, go or change, unless it speaks of all of some."""
    if re.search(r"\b(?:all|any|each|every)\b", relation.meaning.lower()):
        return
    most = max(max(move) for move in relation.moves)
    found = [(_number(each["count"]), each["records"]) for each in _COUNT.finditer(relation.meaning.lower())]
    said = {count for count, _ in found} | {count for word, count in _SEVERAL.items() if word in relation.meaning.lower()}
    if most not in said and any(records for _, records in found):
        broken(
            f"what '{relation.name}' is said to mean must count as many records as its moves do",
            meaning=relation.meaning,
            moves=", ".join(f"{appear} appear and {gone} disappear" for appear, gone in sorted(relation.moves)),
            look_at="'meaning', or 'moves'",
            convention="a number in front of records, rows or units is taken for how many come, go or change",
        )


def _number(word: str) -> int:
    return int(word) if word.isdigit() else _COUNTED.index(word) + 1
