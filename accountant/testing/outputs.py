"""Outputs: what an oracle says of a mechanism, as pairs of output laws that its claimed loss must dominate."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Hashable, Iterable, Mapping
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any

from accountant.numbers.interval import Interval
from accountant.plugin.oracles import MechanismOracle
from accountant.release.release import Mechanism
from accountant.testing.counterexamples import broken
from accountant.testing.moves import answers
from accountant.testing.output_pairs import ONE, Ends, Outcome, OutputPair, ends, floor_of

_SHARES = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 90)
"""Thresholds lie where the tail is about 2 to the minus these."""
_MOST_COMPLEMENT = 40
_CLOSE, _STEPS, _FARTHEST = 1.2, 40, 2**60
_SHARP, _FINE, _HALF = 2**12, 2**6, Fraction(1, 2)
_NEAREST, _FAINT = Fraction(1, 2**12), 2.0**-60
_MOST_OUTCOMES, _MOST_TOGETHER = 5000, 256
_LONG = 2**17
"""So many binary digits of an exact chance are very long: a power with that many takes milliseconds."""
_CERTAIN, _NOTHING = (ONE, ONE), (0, 0)


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
    low, high = (sum(chance[end] for chance in law.values()) for end in (0, 1))
    if not low <= ONE <= high:
        broken(
            f"the chances that the oracle of '{oracle.item}' gives do not sum to 1",
            mechanism=mechanism,
            answer=answer,
            sum=low / ONE,
            look_at="MechanismOracle(law=...)",
        )
    return law


class Tail:
    """The chance that the output is above a threshold, asked once for each."""

    def __init__(self, tail: Callable[[Fraction], Any], floor: int) -> None:
        self._tail, self._floor = tail, floor
        self._asked, self._known = dict[Fraction, Any](), dict[Fraction, Ends]()
        self.long = False
        """Whether some chance was a ratio of very long numbers: those farther out take ever longer."""

    def __call__(self, place: Fraction) -> Ends:
        known = self._known.get(place)
        if known is None:
            low, high = ends(self._chance(place), self._floor)
            known = self._known[place] = max(low, 0), min(high, ONE)
        return known

    def about(self, place: Fraction) -> float:
        """The same in a double, for those who look for a place."""
        return _about(self._chance(place))

    def _chance(self, place: Fraction) -> Any:
        chance = self._asked.get(place)
        if chance is None:
            chance = self._asked[place] = self._tail(place)
            self.long = self.long or _is_long(chance)
        return chance


def _about(chance: Any) -> float:
    return chance.lower if isinstance(chance, Interval) else float(chance)


def _is_long(chance: Any) -> bool:
    return isinstance(chance, Fraction) and chance.denominator.bit_length() > _LONG


@lru_cache(maxsize=64)
def tail_of(oracle: MechanismOracle, mechanism: Mechanism, answer: Fraction) -> Tail:
    """The chance that the output is above a threshold, where the answer is this."""
    assert oracle.tail is not None
    return Tail(partial(oracle.tail, mechanism, answer), _floor(oracle, mechanism))


@lru_cache(maxsize=64)
def _floor(oracle: MechanismOracle, mechanism: Mechanism) -> int:
    """How far tails of 0 or 1 may be off: on the scale of the noise a tail tells by which arithmetic it was found."""
    assert oracle.tail is not None
    answer = next(iter(answers(oracle, mechanism) or ()), Fraction(0))
    seen, step = [], _NEAREST * Fraction(10007, 10009)
    while step < _FARTHEST:
        seen += [oracle.tail(mechanism, answer, answer + way * step) for way in (-1, 1)]
        if _is_long(seen[-1]) or _about(seen[-1]) < _FAINT:
            break
        step *= 4
    return floor_of(seen)


@lru_cache(maxsize=64)
def thresholds(oracle: MechanismOracle, mechanism: Mechanism, answer: Fraction) -> tuple[Fraction, ...]:
    """Places in order at which the tail is near powers of two, and their complements; found by bisection.

    Where exact chances become very long, rarer ones are left out.
    """
    tail = tail_of(oracle, mechanism, answer)
    found = set()
    up = down = _NEAREST
    for power in _SHARES:
        if tail.long and power > _SHARES[1]:
            break
        place = _place(tail, answer, 2.0**-power, up)
        if place is not None:
            found.add(place)
            up = max(up, place - answer)
        if power <= _MOST_COMPLEMENT:
            place = _place(tail, answer, 1.0 - 2.0**-power, down)
            if place is not None:
                found.add(place)
                down = max(down, answer - place)
    return tuple(sorted(found))


def _place(tail: Tail, start: Fraction, target: float, step: Fraction = _NEAREST) -> Fraction | None:
    """A place where the tail is about as large as the target, None where there is none within reach.

    It is looked for from the start, a first step away and then twice as far each time: an exact tail costs the more, the
    farther out it is asked for, so that nobody goes much farther than there.
    """
    above, below = start, start
    while tail.about(above) > target:
        above, below, step = start + step, above, step * 2
        if step > _FARTHEST:
            return None
    while tail.about(below) <= target:
        above, below, step = below, start - step, step * 2
        if step > _FARTHEST:
            return None
    for turn in range(_STEPS):
        # A tail that falls in steps is never near: where the step is, is known well enough.
        if (above - below) * _SHARP < max(above - start, start - below):
            break
        middle = below + (above - below) * _share(tail.about(below), tail.about(above), target, turn)
        chance = tail.about(middle)
        if chance and _near(chance, target):
            return middle
        above, below = (middle, below) if chance <= target else (above, middle)
    return above


def _share(more: float, less: float, target: float, turn: int) -> Fraction:
    """Where between two places to look next: as if the tail fell like e^-x, and every other time in the middle."""
    if target > 0.5:
        more, less, target = 1.0 - less, 1.0 - more, 1.0 - target
        return 1 - _share(more, less, target, turn)
    if turn % 2 or not less or not target < more:
        return _HALF
    share = math.log(more / target) / math.log(more / less)
    return Fraction(min(max(round(share * _FINE), 1), _FINE - 1), _FINE)


def _near(chance: float, target: float) -> bool:
    """Within a fifth of the smaller of a chance and its complement."""
    if target > 0.5:
        chance, target = 1.0 - chance, 1.0 - target
    return target / _CLOSE <= chance <= target * _CLOSE


def _between(oracle: MechanismOracle, mechanism: Mechanism, answer: Fraction, edges: list[Fraction]) -> list[Ends]:
    """The chances that the output lies between thresholds."""
    tail = tail_of(oracle, mechanism, answer)
    above = [_CERTAIN, *(tail(edge) for edge in edges), _NOTHING]
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
    return max(one[0] - other[1], 0), max(one[1] - other[0], 0)


def spread(oracle: MechanismOracle, mechanism: Mechanism, answer: Fraction) -> Fraction:
    """About how far above its middle the output is in one case out of eight; 1 where outputs are no numbers."""
    if oracle.tail is None:
        return Fraction(1)
    tail = tail_of(oracle, mechanism, answer)
    places = [_place(tail, answer, share) for share in (1 / 2, 1 / 8)]
    middle, far = places
    return far - middle if middle is not None and far is not None and far > middle else Fraction(1)


def product_pair(pairs: Iterable[OutputPair], most: int) -> OutputPair:
    """Several coordinates or releases together, each merged into few outcomes, and so are many of them together."""
    product: OutputPair | None = None
    for pair in pairs:
        few = pair.merged(most)
        product = few if product is None else product.times(few).merged(_MOST_TOGETHER)
    assert product is not None
    return product
