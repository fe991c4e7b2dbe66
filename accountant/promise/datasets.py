"""Datasets: tiny ones, written down record by record, that show how promises differ.

A record is given by the attributes in which it has its second value; every attribute has two.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Collection, Iterable

from attrs import frozen

from accountant.display.brief import Brief
from accountant.promise.neighbours import ADD_REMOVE, Neighbours
from accountant.promise.universe import Universe

_MOST = 10
"""The attributes of records of which all combinations are written down."""

Record = frozenset[str]
Dataset = tuple[Record, ...]


@frozen
class Contrast(Brief):
    """Two datasets."""

    left: Dataset
    right: Dataset

    def __str__(self) -> str:
        return f"{_words(self.left)} and {_words(self.right)}"

    def repeated(self, times: int) -> Contrast:
        """The same with every record so many times."""
        return Contrast(self.left * times, self.right * times)

    def differ_in(self, counted: Collection[str]) -> bool:
        """Whether counts by some attributes tell the datasets apart."""
        return _counts(self.left, counted) != _counts(self.right, counted)

    def distance(self, neighbours: Neighbours) -> int | None:
        """How many units apart the datasets are; None where no number of steps leads from one to the other."""
        relation = neighbours.relation
        if not relation.keeps_size:
            gone = (Counter(self.left) - Counter(self.right)).total()
            come = (Counter(self.right) - Counter(self.left)).total()
            if relation.replacement is None or not relation.moves >= ADD_REMOVE.moves:
                return None
            return gone + come if relation.replacement == 2 else max(gone, come)
        if relation.replacement is None:
            return None
        fixed: dict[Record, tuple[list[Record], list[Record]]] = {}
        for side, dataset in enumerate((self.left, self.right)):
            for record in dataset:
                same = frozenset() if neighbours.attributes is None else record - neighbours.attributes
                fixed.setdefault(same, ([], []))[side].append(record)
        if any(len(before) != len(after) for before, after in fixed.values()):
            return None
        return sum((Counter(before) - Counter(after)).total() for before, after in fixed.values())

    def compared_by(self, universe: Universe) -> int | None:
        """How many units apart the datasets are, if a universe is known to compare them."""
        if universe.undeclared or universe.coupled or not universe.whole or any(map(self.differ_in, universe.tables)):
            return None
        if not all(map(universe.surely_free, frozenset().union(*self.left, *self.right))):
            return None
        return self.distance(universe.neighbours) or None


def nearest(universe: Universe) -> Contrast | None:
    """Two datasets that are compared and as close as any, where that is known exactly."""
    found = universe.closest
    if found.most is None or found.least != found.most:
        return None
    relation = universe.neighbours.relation
    if not relation.keeps_size and not universe.tables:
        return Contrast((), (frozenset(),))
    parting = universe.parting
    return None if parting is None or len(parting) > _MOST else _parities(sorted(parting))


def told_apart(statistic: Collection[str], universe: Universe) -> Contrast | None:
    """Two datasets that are compared and have different counts by some attributes, where there are such.

    For no attributes, no record and one. Otherwise the combinations with an even and with an odd number of second values.
    """
    relation = universe.neighbours.relation
    if not statistic:
        return None if relation.keeps_size or universe.tables else Contrast((), (frozenset(),))
    kept = sorted(statistic if universe.attributes is None else universe.attributes.intersection(statistic))
    for attribute in tuple(kept):
        fewer = [item for item in kept if item != attribute]
        if _varies(fewer, universe):
            kept = fewer
    return _parities(kept) if len(kept) <= _MOST and _varies(kept, universe) else None


def _varies(attributes: Collection[str], universe: Universe) -> bool:
    """Whether counts by these attributes differ between some datasets that are compared."""
    chosen = frozenset(attributes)
    return universe.vary(chosen) and not any(chosen <= counted for counted in universe.tables)


def _parities(attributes: list[str]) -> Contrast:
    sides: tuple[list[Record], list[Record]] = ([], [])
    for size in range(len(attributes) + 1):
        sides[size % 2].extend(frozenset(chosen) for chosen in itertools.combinations(attributes, size))
    return Contrast(tuple(sides[0]), tuple(sides[1]))


def _counts(dataset: Dataset, counted: Collection[str]) -> Counter[Record]:
    chosen = frozenset(counted)
    return Counter(record & chosen for record in dataset)


def _words(dataset: Dataset) -> str:
    """Two-valued records in words."""
    return "no record" if not dataset else "; ".join(_described(dataset))


def _described(dataset: Dataset) -> Iterable[str]:
    for record, times in Counter(dataset).items():
        many = "one" if times == 1 else str(times)
        yield f"{many} with a second value in {', '.join(sorted(record))}" if record else f"{many} with only first values"
