"""Outputs: what an oracle says of a mechanism, as pairs of output laws that its claimed loss must dominate."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable, Iterable, Mapping
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any

from accountant.plugin.oracles import MechanismOracle
from accountant.release.release import Mechanism
from accountant.testing.counterexamples import broken
from accountant.testing.output_pairs import Ends, Outcome, OutputPair, ends, floor_of

_SHARES = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 90)
"""Thresholds lie where the tail is about 2 to the minus these."""
_MOST_COMPLEMENT = 40
_CLOSE, _STEPS, _FARTHEST = Fraction(6, 5), 40, 2**60
_SHARP = 2**12
_NEAREST, _FAINT = Fraction(1, 2**12), Fraction(1, 2**60)
_MOST_OUTCOMES = 5000
_NOTHING = (Fraction(0), Fraction(0))

Tail = Callable[[Fraction], Ends]


@lru_cache(maxsize=256)
def output_pair(oracle: MechanismOracle, mechanism: Mechanism, before: Fraction, after: Fraction) -> OutputPair:
    """The two laws of the output where one answer is this or that: complete by `law`, between thresholds by `tail`."""
    if oracle.law is not None:
        laws = [law_of(oracle, mechanism, answer) for answer in (before, after)]
        outcomes = dict.fromkeys((*laws[0], *laws[1]))
        return OutputPair.of(Outcome(laws[0].get(key, _NOTHING), laws[1].get(key, _NOTHING)) for key in outcomes)
    places = thresholds(oracle, mechanism, before)
    both = {*places, *(place + after - before for place in places), before, after, (before + after) / 2}
    edges = sorted(both)
    return OutputPair.of(
        Outcome(first, second)
        for first, second in zip(*(_between(oracle, mechanism, answer, edges) for answer in (before, after)), strict=True)
    )


def law_of(oracle: MechanismOracle, mechanism: Mechanism, answer: Fraction) -> dict[Hashable, Ends]:
    """The chances of all outputs, which must sum to 1."""
    assert oracle.law is not None
    found: Mapping[Hashable, Any] = oracle.law(mechanism, answer)
    if len(found) > _MOST_OUTCOMES:
        broken(
            f"the oracle of '{oracle.item}' lists too many outputs",
            mechanism=mechanism,
            remedy=f"list at most {_MOST_OUTCOMES:,}, by 'instances' that are small; or give 'tail' instead of 'law'",
        )
    floor = floor_of(found.values())
    law = {output: ends(chance, floor) for output, chance in found.items()}
    low, high = (sum((chance[end] for chance in law.values()), Fraction(0)) for end in (0, 1))
    if not low <= 1 <= high:
        broken(
            f"the chances that the oracle of '{oracle.item}' gives do not sum to 1",
            mechanism=mechanism,
            answer=answer,
            sum=float(low),
            look_at="MechanismOracle(law=...)",
        )
    return law


@lru_cache(maxsize=64)
def tail_of(oracle: MechanismOracle, mechanism: Mechanism, answer: Fraction) -> Tail:
    """The chance that the output is above a threshold, asked once for each."""
    assert oracle.tail is not None
    asked: dict[Fraction, Ends] = {}
    tail, floor = oracle.tail, _floor(partial(oracle.tail, mechanism, answer), answer)

    def above(place: Fraction) -> Ends:
        if place not in asked:
            low, high = ends(tail(mechanism, answer, place), floor)
            asked[place] = max(low, Fraction(0)), min(high, Fraction(1))
        return asked[place]

    return above


def _floor(tail: Callable[[Fraction], Any], answer: Fraction) -> Fraction:
    """How far tails of 0 or 1 may be off: on the scale of the noise a tail tells by which arithmetic it was found."""
    seen, step = [], _NEAREST * Fraction(10007, 10009)
    while step < _FARTHEST:
        seen += [tail(answer - step), tail(answer + step)]
        if ends(seen[-1])[0] < _FAINT:
            break
        step *= 4
    return floor_of(seen)


@lru_cache(maxsize=64)
def thresholds(oracle: MechanismOracle, mechanism: Mechanism, answer: Fraction) -> tuple[Fraction, ...]:
    """Places in order at which the tail is near powers of two, and their complements; found by bisection."""
    tail = tail_of(oracle, mechanism, answer)
    found = set()
    up = down = _NEAREST
    for power in _SHARES:
        share = Fraction(1, 2**power)
        place = _place(tail, answer, _at_most(share), share, up)
        if place is not None:
            found.add(place)
            up = max(up, place - answer)
        if power <= _MOST_COMPLEMENT:
            place = _place(tail, answer, _at_most(1 - share), 1 - share, down)
            if place is not None:
                found.add(place)
                down = max(down, answer - place)
    return tuple(sorted(found))


def _at_most(share: Fraction) -> Callable[[Fraction], bool]:
    return share.__ge__


def _place(
    tail: Tail, start: Fraction, low_enough: Callable[[Fraction], bool], target: Fraction, step: Fraction = _NEAREST
) -> Fraction | None:
    """A place where the tail is about as large as the target, None where there is none within reach.

    It is looked for from the start, a first step away and then twice as far each time: an exact tail costs the more, the
    farther out it is asked for, so that nobody goes much farther than there.
    """
    above, below = start, start
    while not low_enough(tail(above)[0]):
        above, below, step = start + step, above, step * 2
        if step > _FARTHEST:
            return None
    while low_enough(tail(below)[0]):
        above, below, step = below, start - step, step * 2
        if step > _FARTHEST:
            return None
    for _ in range(_STEPS):
        # A tail that falls in steps is never near: where the step is, is known well enough.
        if (above - below) * _SHARP < max(above - start, start - below):
            break
        middle = (above + below) / 2
        chance = tail(middle)[0]
        if chance and _near(chance, target):
            return middle
        above, below = (middle, below) if low_enough(chance) else (above, middle)
    return above


def _near(chance: Fraction, target: Fraction) -> bool:
    """Within a fifth of the smaller of a chance and its complement."""
    if target > Fraction(1, 2):
        chance, target = 1 - chance, 1 - target
    return target / _CLOSE <= chance <= target * _CLOSE


def _between(oracle: MechanismOracle, mechanism: Mechanism, answer: Fraction, edges: list[Fraction]) -> list[Ends]:
    """The chances that the output lies between thresholds."""
    tail = tail_of(oracle, mechanism, answer)
    above = [(Fraction(1), Fraction(1)), *(tail(edge) for edge in edges), _NOTHING]
    for place, (one, other) in zip(edges, itertools.pairwise(above[1:-1]), strict=False):
        if other[0] > one[1]:
            broken(
                f"the tail that the oracle of '{oracle.item}' gives rises",
                mechanism=mechanism,
                answer=answer,
                beyond=place,
                look_at="MechanismOracle(tail=...)",
            )
    return [_less(one, other) for one, other in itertools.pairwise(above)]


def _less(one: Ends, other: Ends) -> Ends:
    return max(one[0] - other[1], Fraction(0)), max(one[1] - other[0], Fraction(0))


def spread(oracle: MechanismOracle, mechanism: Mechanism, answer: Fraction) -> Fraction:
    """About how far above its middle the output is in one case out of eight; 1 where outputs are no numbers."""
    if oracle.tail is None:
        return Fraction(1)
    tail = tail_of(oracle, mechanism, answer)
    places = [_place(tail, answer, _at_most(share), share) for share in (Fraction(1, 2), Fraction(1, 8))]
    middle, far = places
    return far - middle if middle is not None and far is not None and far > middle else Fraction(1)


def product_pair(pairs: Iterable[OutputPair], most: int) -> OutputPair:
    """Several coordinates or releases together, each merged into few outcomes."""
    product: OutputPair | None = None
    for pair in pairs:
        few = pair.merged(most)
        product = few if product is None else product.times(few)
    assert product is not None
    return product
