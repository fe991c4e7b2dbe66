"""Oracles: how likely every report is, for each true answer, from the words that describe the mechanisms."""

from __future__ import annotations

import itertools
import math
from collections.abc import Hashable, Iterable, Iterator, Mapping
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

from accountant.plugin import ConformanceCase, MechanismOracle, Shift
from accountant_response.k_randomised_response import KRandomisedResponse
from accountant_response.randomised_response import RandomisedResponse
from accountant_response.shuffle import Shuffle
from accountant_response.subset_selection import SubsetSelection
from accountant_response.unary_encoding import OptimisedUnaryEncoding, UnaryEncoding

Law = Mapping[Hashable, Fraction]
_NAMED = 6


def oracles() -> Iterable[ConformanceCase]:
    """One line of mathematics for every kind whose reports are few."""
    yield MechanismOracle(RandomisedResponse.kind, law=_response, answers=lambda _: (0, 1))
    yield MechanismOracle(KRandomisedResponse.kind, law=_category, answers=lambda noise: range(noise.categories))
    yield MechanismOracle(SubsetSelection.kind, law=_subset, answers=lambda noise: range(min(noise.categories, _NAMED)))
    yield MechanismOracle(UnaryEncoding.kind, law=_unary, answers=lambda _: (0, 1))
    yield MechanismOracle(OptimisedUnaryEncoding.kind, law=_optimised, answers=lambda _: (0, 1))
    yield MechanismOracle(Shuffle.kind, law=_tallied, moves=_one_report, instances=_few_reports)


def _odds(epsilon: Fraction) -> Fraction:
    """e^epsilon, to 60 digits."""
    with localcontext() as context:
        context.prec = 60
        return Fraction((Decimal(epsilon.numerator) / Decimal(epsilon.denominator)).exp())


def _response(noise: RandomisedResponse, answer: Fraction) -> Law:
    return _kept(2, _odds(noise.epsilon), int(answer))


def _category(noise: KRandomisedResponse, answer: Fraction) -> Law:
    return _kept(noise.categories, _odds(noise.epsilon), int(answer))


def _kept(categories: int, odds: Fraction, true: int) -> Law:
    """A category that is kept with such odds against any other."""
    return {seen: (odds if seen == true else 1) / (odds + categories - 1) for seen in range(categories)}


def _subset(noise: SubsetSelection, answer: Fraction) -> Law:
    """Subsets that have the true category are equally likely, and so are all others.

    Of the categories that are not named only how many are in the subset matters.
    """
    odds, named = _odds(noise.epsilon), min(noise.categories, _NAMED)
    rest = noise.categories - named
    weights: dict[Hashable, Fraction] = {}
    for bits in itertools.product((0, 1), repeat=named):
        left = noise.size - sum(bits)
        if 0 <= left <= rest:
            weights[bits] = math.comb(rest, left) * (odds if bits[int(answer)] else Fraction(1))
    total = sum(weights.values(), Fraction(0))
    return {bits: weight / total for bits, weight in weights.items()}


def _tallied(noise: Shuffle, answers: tuple[int, tuple[int, ...]]) -> Law:
    """How often every category is reported, where each answer is kept with the odds that one report may have."""
    categories, true = answers
    tallies: dict[tuple[int, ...], Fraction] = {(0,) * categories: Fraction(1)}
    for answer in true:
        reported = _kept(categories, _odds(noise.epsilon), answer)
        more: dict[tuple[int, ...], Fraction] = {}
        for tally, chance in tallies.items():
            for category in range(categories):
                new = tuple(count + (place == category) for place, count in enumerate(tally))
                more[new] = more.get(new, Fraction(0)) + chance * reported[category]
        tallies = more
    return _named(tallies.items())


def _named(chances: Iterable[tuple[Hashable, Fraction]]) -> Law:
    return dict(chances)


def _one_report(noise: Shuffle) -> Iterator[tuple[Any, Any, Shift]]:
    """One answer changes, whatever the others are: all alike, or of every category."""
    for categories in (2, 3):
        for others in ([0] * (noise.reports - 1), [place % categories for place in range(noise.reports - 1)]):
            yield (categories, (0, *others)), (categories, (1, *others)), Shift.along([1])


def _few_reports() -> Any:
    from hypothesis import strategies as st

    return st.builds(Shuffle, st.sampled_from(("1/10", "1/2", "1", "3", "8")), st.integers(1, 7))


def _unary(noise: UnaryEncoding, answer: Fraction) -> Law:
    odds = _odds(noise.epsilon / 2)
    return _bits(int(answer), odds / (odds + 1), 1 / (odds + 1))


def _optimised(noise: OptimisedUnaryEncoding, answer: Fraction) -> Law:
    return _bits(int(answer), Fraction(1, 2), 1 / (_odds(noise.epsilon) + 1))


def _bits(true: int, true_set: Fraction, false_set: Fraction) -> Law:
    """The bits of two categories; all others have one law whatever the answer."""
    law: dict[Hashable, Fraction] = {}
    for bits in itertools.product((0, 1), repeat=2):
        chance = Fraction(1)
        for place, bit in enumerate(bits):
            rate = true_set if place == true else false_set
            chance *= rate if bit else 1 - rate
        law[bits] = chance
    return law
