"""Conformance cases: reports on few answers, with their exact probabilities from tables of the mechanisms themselves."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache

from accountant.loss import FiniteLoss
from accountant.plugin import ConformanceCase, MechanismCase, Shift
from accountant_response.k_randomised_response import KRandomisedResponse
from accountant_response.randomised_response import RandomisedResponse
from accountant_response.shuffle import Shuffle
from accountant_response.subset_selection import SubsetSelection
from accountant_response.unary_encoding import OptimisedUnaryEncoding, UnaryEncoding

Law = Mapping[Hashable, Fraction]
_ONE = Shift.along([1])


@cache
def cases() -> tuple[ConformanceCase, ...]:
    """Every kind, at a small and a large epsilon.

    Every plugin's laws ask for the cases of all: they are worked out once.
    """
    return tuple(_cases())


def _cases() -> Iterable[ConformanceCase]:
    yield from _responses()
    yield from _shuffles()
    for categories, epsilon in ((4, "1"), (30, "5")):
        pairs = _pairs(_categories(categories, _odds(epsilon))[:3])
        name = f"k-randomised-response {epsilon} of {categories}"
        yield MechanismCase(name, KRandomisedResponse(categories, epsilon), _ONE, pairs)
    for categories, size, epsilon in ((4, 2, "1"), (5, 3, "3")):
        pairs = _pairs(_subsets(categories, size, _odds(epsilon)))
        name = f"subset-selection {epsilon} of {size} of {categories}"
        yield MechanismCase(name, SubsetSelection(categories, size, epsilon), _ONE, pairs)
    for epsilon in ("0.5", "3"):
        half, whole = _odds(Fraction(epsilon) / 2), _odds(epsilon)
        pairs = _pairs(_bits(3, half / (half + 1), 1 / (half + 1)))
        yield MechanismCase(f"unary-encoding {epsilon}", UnaryEncoding(epsilon), _ONE, pairs)
        pairs = _pairs(_bits(3, Fraction(1, 2), 1 / (whole + 1)))
        yield MechanismCase(f"optimised-unary-encoding {epsilon}", OptimisedUnaryEncoding(epsilon), _ONE, pairs)


def _responses() -> Iterable[ConformanceCase]:
    both = _pair(*_categories(2, _odds("1"))).times(_pair(*_categories(2, _odds("1"))))
    yield MechanismCase("randomised-response 1 on two", RandomisedResponse("1"), Shift.along([1, -1]), (both,))
    for epsilon in ("0.1", "5", "1"):
        pair = _pair(*_categories(2, _odds(epsilon)))
        yield MechanismCase(f"randomised-response {epsilon}", RandomisedResponse(epsilon), _ONE, (pair,))


def _shuffles() -> Iterable[ConformanceCase]:
    odds = _odds("2")
    two, three = _categories(2, odds), _categories(3, odds)
    pairs = _shuffled(two, two[0]), _shuffled(three, three[2])
    yield MechanismCase("shuffle 1 at 2", Shuffle("2", 1), _ONE, (_shuffled(two),))
    yield MechanismCase("shuffle 2 at 2", Shuffle("2", 2), _ONE, pairs)


def _odds(epsilon: str | Fraction) -> Fraction:
    """e^epsilon, to 60 digits."""
    number = Fraction(epsilon)
    with localcontext() as context:
        context.prec = 60
        return Fraction((Decimal(number.numerator) / Decimal(number.denominator)).exp())


def _categories(count: int, odds: Fraction) -> list[Law]:
    """Reports of each of so many categories that is kept with such odds against any other."""
    return [{seen: (odds if seen == true else 1) / (odds + count - 1) for seen in range(count)} for true in range(count)]


def _subsets(count: int, size: int, odds: Fraction) -> list[Law]:
    """Reports of subsets: all that have the true category are equally likely, and so are all others."""
    chosen = list(itertools.combinations(range(count), size))
    rows = [[odds if true in subset else Fraction(1) for subset in chosen] for true in range(count)]
    return [{subset: weight / sum(row) for subset, weight in zip(chosen, row, strict=True)} for row in rows]


def _bits(count: int, true_set: Fraction, false_set: Fraction) -> list[Law]:
    """Reports of a bit for each category, set with one chance for the true one and with another for all others."""
    rows: list[Law] = []
    for true in range(count):
        law: dict[Hashable, Fraction] = {}
        for bits in itertools.product((0, 1), repeat=count):
            chance = Fraction(1)
            for place, bit in enumerate(bits):
                rate = true_set if place == true else false_set
                chance *= rate if bit else 1 - rate
            law[bits] = chance
        rows.append(law)
    return rows


def _shuffled(rows: Sequence[Law], *others: Law) -> FiniteLoss:
    """How many reports say what, where one answer is of the first or the second category and others are as they are."""
    return _pair(*(_histogram([row, *others]) for row in rows[:2]))


def _histogram(laws: Iterable[Law]) -> Law:
    """How many reports say what."""
    seen: Law = {(): Fraction(1)}
    for law in laws:
        longer: defaultdict[Hashable, Fraction] = defaultdict(Fraction)
        for reports, chance in seen.items():
            for report, more in law.items():
                longer[tuple(sorted((*reports, report)))] += chance * more  # type: ignore[misc]
        seen = longer
    return seen


def _pairs(rows: Sequence[Law]) -> tuple[FiniteLoss, ...]:
    """Every ordered pair of rows that is not a repetition of one before."""
    found = dict.fromkeys(_pair(left, right) for left, right in itertools.permutations(rows, 2))
    return tuple(found)


def _pair(left: Law, right: Law) -> FiniteLoss:
    return FiniteLoss((left.get(seen, Fraction(0)), right.get(seen, Fraction(0))) for seen in {**left, **right})
