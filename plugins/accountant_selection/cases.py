"""Conformance cases: selections from a few candidates, with their chances by enumeration or integration."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from decimal import localcontext
from fractions import Fraction
from functools import cache

from accountant.loss import FiniteLoss
from accountant.plugin import ConformanceCase, Mechanism, MechanismCase, Shift
from accountant_selection.decimals import DIGITS, decimal
from accountant_selection.exponential import Exponential
from accountant_selection.laplace_products import above, below, density, integral
from accountant_selection.permute_and_flip import PermuteAndFlip
from accountant_selection.report_noisy_max import ReportNoisyMax
from accountant_selection.sparse_vector import SparseVector

Scores = Sequence[Fraction]
Law = Callable[[Scores], list[Fraction]]
_ONE = Shift.along([1])
_APART = (Fraction(1), Fraction(-1), Fraction(1))
_ONE_WAY = (Fraction(1), Fraction(0), Fraction(1))


@cache
def cases() -> tuple[ConformanceCase, ...]:
    """Every kind on neighbours whose scores move apart, and some on scores that all move one way.

    Every plugin's laws ask for the cases of all: they are worked out once.
    """
    return tuple(_cases())


def _cases() -> Iterable[ConformanceCase]:
    # The chances are proportional to e^score, and two scores move apart by 2.
    yield _case("exponential 2", Exponential("2"), softmax, shift=_ONE)
    half = Fraction(1, 2)
    monotone = ReportNoisyMax("gumbel", half, monotone=True)
    yield _case("noisy max, gumbel 1/2, monotone", monotone, _scaled(softmax, half), _ONE_WAY)
    several = SparseVector("1", "3", 2)
    yield _case("sparse vector, cutoff 2", several, _answered(several))
    yield _case("permute-and-flip 1", PermuteAndFlip("1"), _scaled(permuted, Fraction(2)), shift=_ONE)


def _case(name: str, mechanism: Mechanism, law: Law, moves: Scores = _APART, shift: Shift | None = None) -> MechanismCase:
    """A mechanism with two pairs of datasets whose scores move so, which is its shift unless epsilon is for these moves."""
    pairs = []
    for scores in ((Fraction(0), Fraction(1), Fraction(-2)), (Fraction(-1), Fraction(2), Fraction(-8))):
        moved = [score + move for score, move in zip(scores, moves, strict=True)]
        pairs.append(FiniteLoss(zip(_completed(law(moved)), _completed(law(scores)), strict=True)))
    return MechanismCase(name, mechanism, shift or Shift.along(moves), tuple(pairs))


def _answered(mechanism: SparseVector) -> Law:
    return lambda queries: list(answers(mechanism, queries).values())


def _completed(chances: list[Fraction]) -> list[Fraction]:
    """Chances with the last one such that they sum to exactly 1."""
    return [*chances[:-1], 1 - sum(chances[:-1], Fraction(0))]


def _scaled(law: Law, scale: Fraction) -> Law:
    return lambda scores: law([score / scale for score in scores])


def softmax(scores: Scores) -> list[Fraction]:
    """Chances proportional to e^score."""
    with localcontext() as context:
        context.prec = DIGITS
        weights = [Fraction(decimal(score).exp()) for score in scores]
    return [weight / sum(weights) for weight in weights]


def permuted(scores: Scores) -> list[Fraction]:
    """Permute-and-flip over all orders of the candidates."""
    with localcontext() as context:
        context.prec = DIGITS
        accepted = [Fraction(decimal(score - max(scores)).exp()) for score in scores]
    chances = [Fraction(0)] * len(scores)
    for order in itertools.permutations(range(len(scores))):
        left = Fraction(1, math.factorial(len(scores)))
        for candidate in order:
            chances[candidate] += left * accepted[candidate]
            left *= 1 - accepted[candidate]
    return chances


def raced(scores: Scores) -> list[Fraction]:
    """The largest score after exponential noise: the smallest of uniform numbers between 0 and e^-score."""
    with localcontext() as context:
        context.prec = DIGITS
        heights = [Fraction(decimal(-score).exp()) for score in scores]
    chances = []
    for candidate, height in enumerate(heights):
        # The chance that all others are larger, as a polynomial up to the smallest height.
        others = [Fraction(1)]
        for rival in heights[:candidate] + heights[candidate + 1 :]:
            others = [low - high / rival for low, high in zip([*others, Fraction(0)], [Fraction(0), *others], strict=True)]
        chances.append(sum(c * min(heights) ** (k + 1) / (k + 1) for k, c in enumerate(others)) / height)
    return chances


def outrun(scores: Scores) -> list[Fraction]:
    """The largest score after Laplace noise of scale 1."""
    one = Fraction(1)
    chances = []
    for candidate, score in enumerate(scores):
        rivals = [below(rival, one) for k, rival in enumerate(scores) if k != candidate]
        chances.append(integral([density(score, one), *rivals], scores))
    return chances


def answers(mechanism: SparseVector, queries: Scores) -> dict[tuple[bool, ...], Fraction]:
    """The chances of all answers of the sparse vector technique with a threshold of 0."""
    first, scale = Fraction(0), mechanism.query_scale
    chances: dict[tuple[bool, ...], Fraction] = {}
    for answer in itertools.product((False, True), repeat=len(queries)):
        shown = answer[: _end(answer, mechanism.cutoff)]
        if shown not in chances:
            factors = [(above if said else below)(query, scale) for said, query in zip(shown, queries, strict=False)]
            chances[shown] = integral([density(first, mechanism.threshold_scale), *factors], [first, *queries])
    return chances


def _end(answer: tuple[bool, ...], cutoff: int) -> int:
    """How many answers are given until so many are above."""
    places = [place for place, said in enumerate(answer, start=1) if said]
    return places[cutoff - 1] if len(places) >= cutoff else len(answer)
