"""Cells: how many people of each kind are in each of the smallest areas, and in which larger areas these lie."""

from __future__ import annotations

from collections.abc import Collection
from functools import cached_property
from typing import TypeVar

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from accountant_posterior.attacks.cells.weights import Places

_Number = TypeVar("_Number", np.int64, np.float64)


@frozen(eq=False)
class CellCounts:
    """Counts of people by smallest area and kind, and the tree of areas.

    `places` are the names of the levels, the smallest first. `names` has those of the areas of each level, and `parents`
    for each level but the top the place of the area above in the level above. `kinds` has a row for each combination
    of the attributes in `columns` that somebody has; `counts` a row for each smallest area and a column for each kind.
    """

    places: tuple[str, ...]
    names: tuple[tuple[str, ...], ...]
    parents: tuple[Places, ...]
    columns: tuple[str, ...]
    kinds: tuple[tuple[str, ...], ...]
    counts: NDArray[np.int64]

    @property
    def people(self) -> int:
        """How many people there are."""
        return int(self.counts.sum())

    @cached_property
    def levels(self) -> tuple[NDArray[np.int64], ...]:
        """The counts of every level, the smallest first."""
        found = [self.counts]
        for parent, names in zip(self.parents, self.names[1:], strict=True):
            found.append(added(found[-1], parent, len(names)))
        return tuple(found)

    @cached_property
    def above(self) -> tuple[Places, ...]:
        """For each level the place there of the area that holds each smallest one."""
        found = [np.arange(len(self.names[0]), dtype=np.int64)]
        for parent in self.parents:
            found.append(parent[found[-1]])
        return tuple(found)

    def inside(self, level: int) -> Places:
        """How many areas of a level lie in each of the level above."""
        return np.bincount(self.parents[level], minlength=len(self.names[level + 1])).astype(np.int64)

    def grouped(self, columns: Collection[str]) -> tuple[Places, int]:
        """For each kind its place among the combinations of some columns only, and how many of these there are."""
        kept = [self.columns.index(column) for column in self.columns if column in columns]
        known: dict[tuple[str, ...], int] = {}
        found = [known.setdefault(tuple(kind[place] for place in kept), len(known)) for kind in self.kinds]
        return np.array(found, dtype=np.int64), len(known)

    def margin(self, level: int, columns: Collection[str]) -> NDArray[np.int64]:
        """The counts of a level by some columns only."""
        groups, number = self.grouped(columns)
        return added(self.levels[level].T, groups, number).T


def added(rows: NDArray[_Number], index: Places, number: int) -> NDArray[_Number]:
    """Rows added up by where an index puts them; every one of so many places gets some."""
    order = np.argsort(index, kind="stable")
    starts = np.searchsorted(index[order], np.arange(number))
    found: NDArray[_Number] = np.add.reduceat(rows[order], starts, axis=0)
    return found
