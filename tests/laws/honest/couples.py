"""Neighbours for data about couples: one or two records have other values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from accountant.plugin import ConformanceCase, Relation, RelationOracle, hookimpl

COUPLES = Relation(
    "replace-couple",
    frozenset({(1, 1), (2, 2)}),
    edits=True,
    meaning="one or both of a couple have other values in one dataset than in the other",
)


def related(first: tuple[Any, ...], second: tuple[Any, ...]) -> bool:
    """Whether as many records are there, all but one or two of them the same."""
    return len(first) == len(second) and (Counter(first) - Counter(second)).total() in (1, 2)


@hookimpl
def accountant_neighbours() -> Iterable[Relation]:
    return (COUPLES,)


@hookimpl
def accountant_conformance_cases() -> Iterable[ConformanceCase]:
    yield RelationOracle("replace-couple", related)
