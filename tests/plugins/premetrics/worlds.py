"""Small worlds of other neighbours, written down without the code that they try: datasets, steps and distances."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

from accountant_premetrics.values import Blowfish, Metric

Record = tuple[tuple[str, Any], ...] | None
Dataset = tuple[Record, ...]
Related = Callable[[Dataset, Dataset], bool]
VALUES = ("0", "1", "3", "7")


def record(**values: Any) -> Record:
    return tuple(sorted(values.items()))


def multisets(records: Iterable[Record], most: int, least: int = 0) -> list[Dataset]:
    kinds = list(records)
    return [found for size in range(least, most + 1) for found in itertools.combinations_with_replacement(kinds, size)]


def difference(left: Dataset, right: Dataset) -> tuple[list[Any], list[Any]]:
    before, after = Counter(left), Counter(right)
    return list((before - after).elements()), list((after - before).elements())


def one_changed(left: Dataset, right: Dataset, attribute: str) -> tuple[Any, Any] | None:
    """The two values in which one record differs, where nothing else does."""
    gone, come = difference(left, right)
    if len(gone) != 1 or len(come) != 1 or None in (gone[0], come[0]):
        return None
    one, two = dict(gone[0]), dict(come[0])
    values = one.pop(attribute), two.pop(attribute)
    return values if one == two else None


def along(policy: Blowfish) -> Related:
    """Neighbours by a graph, from its edges alone."""
    pairs = {frozenset(pair) for listed in policy.edges for pair in itertools.combinations(listed, 2)}

    def related(left: Dataset, right: Dataset) -> bool:
        values = one_changed(left, right, policy.attribute)
        return values is not None and frozenset(values) in pairs

    return related


def within(policy: Metric) -> Related:
    """Neighbours by the distance of values."""

    def related(left: Dataset, right: Dataset) -> bool:
        values = one_changed(left, right, policy.attribute)
        return values is not None and abs(Fraction(values[0]) - Fraction(values[1])) <= policy.step

    return related


def nulled(left: Dataset, right: Dataset) -> bool:
    gone, come = difference(left, right)
    return len(gone) == len(come) == 1 and [gone[0], come[0]].count(None) == 1


def replaced(left: Dataset, right: Dataset) -> bool:
    gone, come = difference(left, right)
    return len(gone) == len(come) == 1


def added(left: Dataset, right: Dataset) -> bool:
    return sorted(map(len, difference(left, right))) == [0, 1]


class Steps:
    """How many steps between neighbours lead from each dataset to each other one."""

    def __init__(self, datasets: Iterable[Dataset], related: Related) -> None:
        listed = list(datasets)
        self.near: dict[Dataset, list[Dataset]] = {dataset: [] for dataset in listed}
        for left, right in itertools.combinations(listed, 2):
            if related(left, right) or related(right, left):
                self.near[left].append(right)
                self.near[right].append(left)

    def from_(self, start: Dataset, most: int | None = None) -> dict[Dataset, int]:
        """How many steps every dataset is away to which any lead, or so many at most."""
        found, edge = {start: 0}, [start]
        while edge and found[edge[0]] != most:
            depth = found[edge[0]] + 1
            edge = list(dict.fromkeys(other for here in edge for other in self.near[here] if other not in found))
            found.update(dict.fromkeys(edge, depth))
        return found

    @property
    def pairs(self) -> list[tuple[Dataset, Dataset]]:
        return [(left, right) for left, others in self.near.items() for right in others]


def random_policy(chance: random.Random, attribute: str = "a") -> Blowfish:
    """A graph of four values, perhaps in several parts, some lists longer than two."""
    edges = [chance.sample(VALUES, chance.choice((2, 2, 3))) for _ in range(chance.randint(1, 3))]
    return Blowfish(attribute, VALUES, edges)


def random_metric(chance: random.Random, attribute: str = "a") -> Metric:
    return Metric(attribute, chance.choice(("1", "2", "3")))
