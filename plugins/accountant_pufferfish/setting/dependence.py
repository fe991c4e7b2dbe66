"""How far the rest of the data moves with one record, under one law."""

from __future__ import annotations

import itertools
from fractions import Fraction

from accountant import InvalidValue
from accountant_pufferfish.setting.law import Law
from accountant_pufferfish.setting.metric import HAMMING
from accountant_pufferfish.setting.secret import SecretPair, record_is
from accountant_pufferfish.setting.setting import LivePair


def independence_block(law: Law, place: int) -> frozenset[int]:
    """The smallest set of records with one among them that is independent of all others.

    Guarantee: under epsilon for each record that differs, the probability of anything about the record changes by a factor
    of at most e^(epsilon times the size of the block). The Markov boundary of the record, which separates it from the rest,
    is smaller and gives no such bound.
    """
    places = _places(law, place)
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
    _places(law, place)
    values = list(law.mapped(lambda dataset: dataset[place]))
    pairs = [
        SecretPair(record_is(place, left), record_is(place, right)) for left, right in itertools.combinations(values, 2)
    ]
    distances = [LivePair("one law", (), law, pair).apart(HAMMING) for pair in pairs]
    return max((distance for distance in distances if distance is not None), default=Fraction(0))


def _splits(law: Law, block: frozenset[int], rest: frozenset[int]) -> bool:
    inside = law.mapped(lambda dataset: _kept(dataset, block))
    outside = law.mapped(lambda dataset: _kept(dataset, rest))
    joint = law.mapped(lambda dataset: (_kept(dataset, block), _kept(dataset, rest)))
    return joint == Law.records([inside, outside])


def _kept(dataset: tuple[object, ...], places: frozenset[int]) -> tuple[object, ...]:
    return tuple(value for place, value in enumerate(dataset) if place in places)


def _places(law: Law, place: int) -> range:
    """The places of records, one of which is asked about; all datasets have the same, so that distances are finite."""
    if not all(isinstance(dataset, tuple) for dataset in law) or len({len(dataset) for dataset in law}) != 1:  # type: ignore[arg-type]
        raise InvalidValue("expected datasets as tuples, all with the same number of records")
    places = range(len(next(iter(law))))  # type: ignore[arg-type]
    if place not in places:
        raise InvalidValue(f"there is no record {place}; records are counted from 0 to {len(places) - 1}")
    return places
