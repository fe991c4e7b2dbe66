"""Guesses that doubles leave open, decided exactly: sums of rational multiples of rational powers of e."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from decimal import Context, Decimal
from fractions import Fraction

from attrs import frozen

from accountant_posterior.attacks.cells.noise import CellNoise, Nothing
from accountant_posterior.attacks.parents import ParentPrior

Powers = Mapping[Fraction, Fraction]
"""The sum of coefficient times e^power, each power once."""

_DIGITS = (40, 80, 160, 320, 640)
_MOST_PARENTS = 64


@frozen
class Area:
    """What is seen of one area: its noisy counts, those of its siblings added up, and how many siblings it has.

    `expected` is what an area of its level is expected to hold beforehand.
    """

    noises: Sequence[CellNoise]
    own: Sequence[Fraction]
    beside: Sequence[Fraction] = ()
    siblings: int = 0
    expected: Fraction = Fraction(0)


@frozen
class Chain:
    """The areas that hold a target, the smallest first, and what is believed of a parent; one area has no parents."""

    areas: Sequence[Area]
    above: ParentPrior

    def weight(self, count: int, level: int = 0) -> Powers | None:
        """The weight of all that is seen if the area of a level holds so many; None where it is no finite sum.

        Weights are relative to those of no noise, as everywhere, and so up to a factor that no count changes.
        """
        area = self.areas[level]
        own = _seen(area.noises, [number - count for number in area.own])
        if own is None or not own or level + 1 == len(self.areas):
            return own
        parents = self._parents(count, level)
        if parents is None:
            return None
        found: dict[Fraction, Fraction] = {}
        sums = [noise.summed(area.siblings) for noise in area.noises] if area.siblings else []
        for parent, believed in parents:
            beside = _seen(sums, [number - (parent - count) for number in area.beside[: len(sums)]])
            outer = self.weight(parent, level + 1)
            if beside is None or outer is None:
                return None
            _add(found, _times(beside, outer), believed)
        return _times(own, found)

    def _parents(self, count: int, level: int) -> list[tuple[int, Fraction]] | None:
        """All that the area above may hold, with what is believed of each; None where these are too many."""
        area, above = self.areas[level], self.above
        if not area.siblings:
            held = range(count, count + 1)
        elif above.largest_count is not None:
            held = range(max(count, above.smallest_count), above.largest_count + 1)
        else:
            exact = [number for noise, number in self._outer(level) if isinstance(noise, Nothing)]
            if not exact:
                return None
            held = range(max(count, math.ceil(exact[0])), math.floor(exact[0]) + 1)
        if len(held) > _MOST_PARENTS:
            return None
        possible = [parent for parent in held if _possible(above, parent)]
        if not area.siblings or above.smallest_count == above.largest_count:
            return [(parent, Fraction(1)) for parent in possible]
        believed = [(parent, above.weight(count, parent, area.siblings * area.expected)) for parent in possible]
        return [(parent, weight) for parent, weight in believed if weight is not None]

    def _outer(self, level: int) -> Iterable[tuple[CellNoise, Fraction]]:
        return zip(self.areas[level + 1].noises, self.areas[level + 1].own, strict=True)


def _possible(above: ParentPrior, parent: int) -> bool:
    return above.smallest_count <= parent and (above.largest_count is None or parent <= above.largest_count)


def guess(prior: Fraction, chain: Chain, known: int, chances: Sequence[Fraction]) -> bool | None:
    """Whether presence is the likelier one, strictly, beside so many known others and others who are missed.

    `chances` are those that 0, 1, ... of the missed are counted. None where a weight is no finite sum of powers of e,
    where nothing that is believed explains what is seen, or where 640 digits do not tell.

    Guarantee: exact. Powers of e with different rational exponents are linearly independent over the rational numbers
    (Lindemann and Weierstrass), so that a sum of them vanishes where all coefficients do, and only there.
    """
    gap: dict[Fraction, Fraction] = {}
    for more in range(len(chances) + 1):
        # With the target there, so many are counted where one of the missed fewer is.
        share = (prior * chances[more - 1] if more else Fraction(0)) - (
            (1 - prior) * chances[more] if more < len(chances) else Fraction(0)
        )
        if share:
            found = chain.weight(known + more)
            if found is None:
                return None
            _add(gap, found, share)
    if not gap:
        return None
    gap = {power: factor for power, factor in gap.items() if factor}
    return _positive(gap) if gap else False


def _seen(noises: Iterable[CellNoise], places: Iterable[Fraction]) -> Powers | None:
    """The weight of independent noise at places; nothing where one of them is impossible."""
    power, factor = Fraction(0), Fraction(1)
    for noise, place in zip(noises, places, strict=True):
        term = noise.term(place)
        if term is None:
            return None
        power, factor = power + term[0], factor * term[1]
    return {power: factor} if factor else {}


def _times(left: Powers, right: Powers) -> Powers:
    found: dict[Fraction, Fraction] = {}
    for power, factor in left.items():
        _add(found, {power + other: times for other, times in right.items()}, factor)
    return found


def _add(found: dict[Fraction, Fraction], more: Powers, times: Fraction) -> None:
    for power, factor in more.items():
        found[power] = found.get(power, Fraction(0)) + times * factor


def _positive(terms: Powers) -> bool | None:
    """Whether a sum that is not zero is above it, in as many digits as it takes."""
    top = max(terms)
    for digits in _DIGITS:
        context = Context(prec=digits, Emin=-(10**9), Emax=10**9)
        total, error = Decimal(0), Decimal(0)
        for power, factor in terms.items():
            lower = context.divide(Decimal((power - top).numerator), Decimal((power - top).denominator))
            share = context.divide(Decimal(factor.numerator), Decimal(factor.denominator))
            term = context.multiply(share, context.exp(lower))
            total = context.add(total, term)
            # An exponent that is off by its last digit changes e to it by as much times its size; and a few roundings.
            error = context.add(error, context.multiply(abs(term), abs(lower) + len(terms) + 8))
        if abs(total) > context.scaleb(error, 2 - digits):
            return total > 0
    return None
