"""How far the rest of the data moves with one record, under one law."""

from __future__ import annotations

import itertools
from fractions import Fraction

from accountant import InvalidValue
from accountant_pufferfish.law import Law
from accountant_pufferfish.metric import HAMMING
from accountant_pufferfish.secret import Pair, record_is
from accountant_pufferfish.setting import Comparison


def independence_block(law: Law, place: int) -> frozenset[int]:
    """The smallest set of records with one among them that is independent of all others.

    Guarantee: under epsilon for each record that differs, the probability of anything about the record changes by a factor
    of at most e^(epsilon times the size of the block). The Markov boundary of the record, which separates it from the rest,
    is smaller and gives no such bound.
    """
    places = range(len(_first(law)))
    if place not in places:
        raise InvalidValue(f"there is no record {place}; records are counted from 0 to {len(places) - 1}")
    others = [other for other in places if other != place]
    for size in range(len(others)):
        for chosen in itertools.combinations(others, size):
            block = frozenset({place, *chosen})
            if _splits(law, block, frozenset(places) - block):
                return block
    return frozenset(places)


def farthest_apart(law: Law, place: int) -> Fraction:
    """The largest distance of order infinity, in records, between the data under two values of one record; 0 if it has one.

    Guarantee: at most the size of the independence block, and bounds the same in its place.
    """
    values = list(law.mapped(lambda dataset: dataset[place]))
    return max(
        (
            Comparison("", (), law, Pair(record_is(place, left), record_is(place, right))).apart(HAMMING) or Fraction(0)
            for left, right in itertools.combinations(values, 2)
        ),
        default=Fraction(0),
    )


def _splits(law: Law, block: frozenset[int], rest: frozenset[int]) -> bool:
    inside = law.mapped(lambda dataset: _kept(dataset, block))
    outside = law.mapped(lambda dataset: _kept(dataset, rest))
    joint = law.mapped(lambda dataset: (_kept(dataset, block), _kept(dataset, rest)))
    return joint == Law.records([inside, outside])


def _kept(dataset: tuple[object, ...], places: frozenset[int]) -> tuple[object, ...]:
    return tuple(value for place, value in enumerate(dataset) if place in places)


def _first(law: Law) -> tuple[object, ...]:
    dataset = next(iter(law))
    if not isinstance(dataset, tuple):
        raise InvalidValue(f"expected datasets as tuples of records, got {dataset!r}")
    return dataset
