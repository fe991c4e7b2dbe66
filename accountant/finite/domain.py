"""Tiny domains by enumeration, and how far apart two of their datasets are."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from typing import Any

from accountant.errors import InvalidValue
from accountant.promise.neighbours import Relation

Records = tuple[Any, ...]


def sequences(values: Iterable[Hashable], length: int) -> tuple[Records, ...]:
    """All datasets of `length` records in order, each one of `values`: the domain of replace-one."""
    if length < 0:
        raise InvalidValue(f"a dataset cannot have {length} records")
    return tuple(itertools.product(tuple(dict.fromkeys(values)), repeat=length))


def multisets(values: Iterable[Hashable], largest: int) -> tuple[Records, ...]:
    """All datasets of at most `largest` records without an order, as tuples in the order of `values`."""
    if largest < 0:
        raise InvalidValue(f"a dataset cannot have {largest} records")
    kinds = tuple(dict.fromkeys(values))
    return tuple(
        itertools.chain.from_iterable(itertools.combinations_with_replacement(kinds, size) for size in range(largest + 1))
    )


def subsets(population: Iterable[Hashable]) -> tuple[Records, ...]:
    """All datasets of some of a population's records, in its order: who takes part is the secret."""
    people = tuple(population)
    chosen = (itertools.combinations(people, size) for size in range(len(people) + 1))
    return tuple(dict.fromkeys(itertools.chain.from_iterable(chosen)))


def hamming(left: Records, right: Records) -> int | None:
    """The number of places at which two datasets differ; None (no comparison) when their lengths differ."""
    if len(left) != len(right):
        return None
    return sum(1 for a, b in zip(left, right, strict=True) if a != b)


def symmetric_difference(left: Records, right: Records) -> int:
    """The number of records to add or remove to get from one multiset to the other."""
    appeared, disappeared = _moved(left, right)
    return appeared + disappeared


def moves(relation: Relation) -> Callable[[Records, Records], bool]:
    """The neighbour predicate of a relation on multisets of records.

    Where the relation has a policy, records are pairs of attributes and values, or None for a null record.
    """
    if relation.policy is None:
        return lambda left, right: _moved(left, right) in relation.moves
    return lambda left, right: relation.joins(*(_valued(side) for side in _apart(left, right)))


def _moved(left: Records, right: Records) -> tuple[int, int]:
    gone, come = _apart(left, right)
    return len(come), len(gone)


def _apart(left: Records, right: Records) -> tuple[list[Any], list[Any]]:
    """The records that one dataset has and the other lacks, as often as it lacks them."""
    before, after = Counter(left), Counter(right)
    return list((before - after).elements()), list((after - before).elements())


def _valued(records: list[Any]) -> list[dict[str, Any] | None]:
    return [None if record is None else dict(record) for record in records]
