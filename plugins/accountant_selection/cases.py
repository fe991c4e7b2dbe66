"""Conformance cases: selections from a few candidates, with their chances by enumeration or integration."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from decimal import localcontext
from fractions import Fraction

from accountant import ConformanceCase, MechanismCase, Shift
from accountant.loss import FiniteLoss
from accountant_selection.decimals import DIGITS, decimal
from accountant_selection.exponential import Exponential
from accountant_selection.laplace_products import above, below, density, integral
from accountant_selection.permute_and_flip import PermuteAndFlip
from accountant_selection.report_noisy_max import ReportNoisyMax
from accountant_selection.sparse_vector import SparseVector

Scores = Sequence[Fraction]
Law = Callable[[Scores], list[Fraction]]
_ONE = Shift.along([1])


def cases() -> Iterable[ConformanceCase]:
    """Every kind on neighbours whose scores move apart, and on some that all move one way."""
    for epsilon in ("1/10", "1", "5"):
        # The chances are proportional to e^(c score), and two scores move apart by 2.
        pairs = _pairs(lambda scores, c=Fraction(epsilon) / 2: softmax([c * score for score in scores]))  # type: ignore[misc]
        yield MechanismCase(f"exponential {epsilon}", Exponential(epsilon), _ONE, pairs)
    for epsilon in ("1/2", "3"):
        pairs = _pairs(lambda scores, c=Fraction(epsilon) / 2: permuted([c * score for score in scores]))  # type: ignore[misc]
        yield MechanismCase(f"permute-and-flip {epsilon}", PermuteAndFlip(epsilon), _ONE, pairs)
    yield MechanismCase("noisy max, gumbel 2", ReportNoisyMax("gumbel", "2"), _ONE, _pairs(_scaled(softmax, 2)))
    yield MechanismCase("noisy max, exponential 2", ReportNoisyMax("exponential", "2"), _ONE, _pairs(_scaled(raced, 2)))
    pairs = _pairs(_scaled(raced, 1), monotone=True)
    yield MechanismCase("noisy max, monotone", ReportNoisyMax("exponential", "1", monotone=True), _ONE, pairs)
    yield MechanismCase("noisy max, laplace 2", ReportNoisyMax("laplace", "2"), _ONE, _pairs(_scaled(outrun, 2)))
    for name, mechanism in (
        ("cutoff 1", SparseVector("2", "4", 1)),
        ("cutoff 2", SparseVector("1", "3", 2)),
        ("monotone", SparseVector("2", "1", 1, monotone=True)),
    ):
        pairs = _pairs(lambda queries, m=mechanism: list(answers(m, queries).values()), mechanism.monotone)  # type: ignore[misc]
        yield MechanismCase(f"sparse vector, {name}", mechanism, _ONE, pairs)


def _pairs(law: Law, monotone: bool = False) -> tuple[FiniteLoss, ...]:
    """Two datasets each: the scores move by at most 1, all one way if they are monotone."""
    moves = (Fraction(1), Fraction(0), Fraction(1)) if monotone else (Fraction(1), Fraction(-1), Fraction(1))
    found = []
    for scores in ((Fraction(0), Fraction(1), Fraction(-2)), (Fraction(-1), Fraction(2), Fraction(-8))):
        moved = [score + move for score, move in zip(scores, moves, strict=True)]
        found.append(FiniteLoss(zip(_completed(law(moved)), _completed(law(scores)), strict=True)))
    return tuple(found)


def _completed(chances: list[Fraction]) -> list[Fraction]:
    """Chances with the last one such that they sum to exactly 1."""
    return [*chances[:-1], 1 - sum(chances[:-1], Fraction(0))]


def _scaled(law: Law, scale: int) -> Law:
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


