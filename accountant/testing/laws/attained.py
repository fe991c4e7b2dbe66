"""Laws of lower ends: two datasets of the kind have laws that are as far apart."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import ClassVar

import numpy as np
from attrs import frozen

from accountant.accounting.account import account
from accountant.errors import PlanError, ShiftError
from accountant.loss import Floats, GaussianLoss, Noise, PrivacyLoss, RealNoise, ResponseLoss, WholeNoise, compose
from accountant.numbers.exact import plain
from accountant.numbers.rounding import Ball, Balls, tails_by_density
from accountant.plan.plan import Plan
from accountant.plugin.cases import MechanismCase
from accountant.promise.neighbours import ADD_REMOVE, REPLACE_ONE, Neighbours, Relation
from accountant.promise.specification import Specification
from accountant.promise.theorem import Theorem
from accountant.registry.registry import Registry
from accountant.release.query import Query, Shift
from accountant.release.release import Mechanism, Release
from accountant.release.sampling import Sampling
from accountant.testing.claims import loss_of
from accountant.testing.counterexamples import broken
from accountant.values.writing import in_words, kind_data

_TRIED = Theorem(
    "tried", "Noise of its own in every coordinate.", "accountant", "explanation/sampling", assurance="claimed"
)
_EPSILONS = tuple(Fraction(*point) for point in ((0, 1), (1, 10), (1, 2), (1, 1)))
_ROOM = 0.01
"""How much more than what is merged into parts the laws themselves may lose, as a share."""
_MOST_RECORDS, _MOST_DRAWS = 3, 16

Records = tuple[tuple[Fraction, ...], ...]
Draws = tuple[tuple[Fraction, tuple[int, ...]], ...]
Bounds = tuple[Floats, Floats]


@frozen
class _NormalLaw(RealNoise):
    """Normal noise of variance one."""

    def beyond(self, distances: Floats) -> Balls:
        places = Balls(distances)
        return tails_by_density(places, places)[1]

    def reach(self, log_tail: float) -> float:
        return math.sqrt(-2.0 * log_tail)


@frozen
class _WholeLaw(WholeNoise):
    """Noise on whole numbers, each step from 0 half as likely as the one before."""

    def chances(self, numbers: Floats) -> Balls:
        # Powers of two are what they are.
        return Balls(np.ldexp(1.0, -numbers.astype(np.int64))) / 3.0

    def reach(self, log_tail: float) -> float:
        return -1.5 * log_tail


@frozen
class NormalTried(Mechanism):
    """Normal noise of variance one in every coordinate."""

    kind: ClassVar[str] = "tried"
    theorem: ClassVar[Theorem] = _TRIED

    def loss(self, shift: Shift) -> PrivacyLoss:
        return GaussianLoss(shift.l2_squared)

    def added_noise(self) -> Noise:
        return _NormalLaw()


@frozen
class WholeTried(Mechanism):
    """Noise on whole numbers in every coordinate that moves by one."""

    kind: ClassVar[str] = "tried"
    theorem: ClassVar[Theorem] = _TRIED

    def loss(self, shift: Shift) -> PrivacyLoss:
        if shift.linf != 1 or shift.coordinates is None:
            raise ShiftError("steps of one only")
        return compose([(ResponseLoss(Fraction(math.log(2.0))), len(shift.coordinates))])

    def added_noise(self) -> Noise:
        return _WholeLaw()


def lower_ends_are_attained(registry: Registry, relation: Relation, sampling: Sampling, query: Query) -> None:
    """Some neighbours of the kind are as far apart as the lower ends of a release say, by trying all small datasets.

    Every draw of the sampling from every dataset of a few records, each of which adds to the answer what the query says,
    is given noise; its chances on parts of the line or the plane are added up.
    """
    known = query.records()
    if known is None or relation.moves not in (ADD_REMOVE.moves, REPLACE_ONE.moves):
        return
    for mechanism in (NormalTried(), WholeTried()):
        noise = mechanism.added_noise()
        if noise.whole and any(value.denominator > 1 for vector in known.vectors for value in vector):
            continue
        release = Release("tried", mechanism, query, sampling=sampling)
        try:
            entry = account(Plan("law", Specification(Neighbours(relation)), (release,)), registry=registry).entries[0]
        except PlanError:
            continue
        pairs = _pairs(relation, sampling, known.vectors, noise)
        words = {"sampling": in_words(kind_data(sampling)), "query": in_words(kind_data(query))}
        _compare(entry.loss, pairs, **words, mechanism=type(mechanism).__doc__, neighbours=relation.name)


def noise_loses_what_is_claimed(case: MechanismCase) -> None:
    """A mechanism that says what noise it adds has two laws that are as far apart as its lower ends say.

    Where the noise states a distance within which nearer places tell more, some are tried.
    """
    noise, moves = case.mechanism.added_noise(), case.shift.coordinates
    if noise is None or moves is None or len(moves) > 2:
        return
    if noise.near > 0:
        _nearer_places_tell_more(noise, case.mechanism.kind)
    still = (Fraction(0),) * len(moves)
    axes = _axes(noise, [still, moves])
    pair = tuple(_product([noise.masses(axes, place) for place in places]) for places in (moves, still))
    _compare(loss_of(case), [(pair[0], pair[1])], mechanism=case.mechanism.kind, shift=case.shift)


def _nearer_places_tell_more(noise: Noise, kind: str) -> None:
    for far, weight in itertools.product((noise.near, noise.near / 2), (Fraction(1, 2), Fraction(9, 10), Fraction(1))):
        shares = [far * Fraction(part, 4) for part in range(4)]
        axes = _axes(noise, [(Fraction(0),), (far,)])
        hidden = float(weight) * noise.masses(axes, Fraction(0))[1] + noise.masses(axes, far)[1]
        gains = [float(np.maximum(noise.masses(axes, place)[0] - hidden, 0.0).sum()) for place in shares]
        for (place, gain), (farther, more) in itertools.pairwise(zip(shares, gains, strict=True)):
            if more > gain * (1.0 + _ROOM) + 1e-6:
                broken(
                    "a place that is farther from 0 tells more, although both are near",
                    mechanism=kind,
                    near=plain(noise.near),
                    places=f"{plain(place)} and {plain(farther)}",
                    told_from=f"0, {plain(weight)} times, and {plain(far)}",
                    gain_of_the_nearer=gain,
                    gain_of_the_farther=more,
                    remedy="state a smaller 'near', or leave it at 0 where no proof is at hand",
                )


def _compare(loss: PrivacyLoss, pairs: Iterable[tuple[Bounds, Bounds]], **where: object) -> None:
    """Look at pairs until some are as far apart as the loss says, in both directions at every epsilon."""
    open_ends = {
        (direction, point): (side.delta(point).lower, 0.0)
        for direction, side in (("P to Q", loss), ("Q to P", loss.reverse()))
        for point in _EPSILONS
    }
    tried = False
    for first, second in pairs:
        tried = True
        for (direction, point), (stated, found) in open_ends.items():
            ends = (first, second) if direction == "P to Q" else (second, first)
            open_ends[direction, point] = stated, max(found, _delta(*ends, point))
        open_ends = {key: ends for key, ends in open_ends.items() if ends[0] > ends[1] * (1.0 + _ROOM) + 1e-9}
        if not open_ends:
            return
    for (direction, point), (stated, found) in open_ends.items() if tried else ():
        broken(
            "no two datasets are as far apart as the lower end says",
            **{name: str(value) for name, value in where.items()},
            direction=direction,
            at_epsilon=plain(point),
            delta_that_is_stated=stated,
            delta_that_is_found=found,
            remedy="take the lower end from two laws that the release can have, or leave it lower",
        )


def _delta(first: Bounds, second: Bounds, point: Fraction) -> float:
    """What the laws lose on these parts, at most."""
    # e^x is granted 4 of itself, and x rounds once.
    growth = Ball.rounded(math.exp(float(point)), 8.0 + abs(float(point))).lower
    return float(np.maximum(first[1] - growth * second[0], 0.0).sum())


def _pairs(relation: Relation, sampling: Sampling, vectors: Records, noise: Noise) -> Iterator[tuple[Bounds, Bounds]]:
    """The two laws of all small neighbours, the record in question in the first; orders are exchanged where they may be."""
    for size in range(max(1, sampling.least_records), _MOST_RECORDS + 1):
        for others in itertools.combinations_with_replacement(vectors, size - 1):
            for with_it, instead in _neighbours(relation, others, vectors):
                drawn = sampling.draws(len(with_it)), sampling.draws(len(instead))
                if None not in drawn and max(len(draws or ()) for draws in drawn) <= _MOST_DRAWS:
                    yield _laws((drawn[0] or (), drawn[1] or ()), (with_it, instead), noise)


def _neighbours(relation: Relation, others: Records, vectors: Records) -> Iterator[tuple[Records, Records]]:
    """Datasets with these other records of which one has a record more, or another in its place."""
    if relation.moves == ADD_REMOVE.moves:
        yield from (((*others, own), others) for own in vectors if any(own))
    else:
        yield from (((*others, own), (*others, new)) for own, new in itertools.permutations(vectors, 2) if own != new)


def _laws(drawn: tuple[Draws, Draws], both: tuple[Records, Records], noise: Noise) -> tuple[Bounds, Bounds]:
    """The laws of what is seen of samples of two datasets, in the coordinates in which a record of them adds anything."""
    used = [axis for axis in range(len(both[0][-1])) if any(record[axis] for records in both for record in records)]
    seen = [tuple(tuple(record[axis] for axis in used) for record in records) for records in both]
    axes = _axes(noise, [_sum(records, len(used)) for records in (*seen, ())])
    one, other = (_mixed(draws, records, noise, axes, len(used)) for draws, records in zip(drawn, seen, strict=True))
    return one, other


def _sum(records: Records, axes: int) -> tuple[Fraction, ...]:
    return tuple(sum((record[axis] for record in records), Fraction(0)) for axis in range(axes))


def _axes(noise: Noise, places: list[tuple[Fraction, ...]]) -> Floats:
    """Edges of parts that serve every coordinate."""
    values = [float(value) for place in places for value in place]
    reach, ends = noise.reach(-30.0), (min(values, default=0.0), max(values, default=0.0))
    if noise.whole:
        return np.arange(math.floor(ends[0] - reach), math.ceil(ends[1] + reach) + 1.0) + 0.5
    count = {1: 1000, 2: 200}.get(len(places[0]), 48)
    near, far = noise.reach(-6.0), np.linspace(ends[0] - reach, ends[1] + reach, count // 3)
    return np.unique(np.concatenate([far, np.linspace(ends[0] - near, ends[1] + near, count), values]))


def _mixed(draws: Draws, records: Records, noise: Noise, axes: Floats, size: int) -> Bounds:
    """The law of the output, part by part, from both sides."""
    low, high = np.zeros(1), np.zeros(1)
    for chance, chosen in draws:
        answer = _sum(tuple(records[place] for place in chosen), size)
        below, above = _product([noise.masses(axes, value) for value in answer])
        low, high = low + float(chance) * below, high + float(chance) * above
    return low, high


def _product(masses: list[Bounds]) -> Bounds:
    low, high = np.ones(1), np.ones(1)
    for below, above in masses:
        low, high = np.multiply.outer(low, below).ravel(), np.multiply.outer(high, above).ravel()
    return low, high
