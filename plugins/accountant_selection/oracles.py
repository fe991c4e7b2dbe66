"""Oracles: how likely every selection is, for all scores together, from the words that describe the mechanisms."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Any

from accountant.plugin import ConformanceCase, MechanismOracle, Shift
from accountant_selection.cases import answers, outrun, permuted, raced, softmax
from accountant_selection.exponential import Exponential
from accountant_selection.permute_and_flip import PermuteAndFlip
from accountant_selection.report_noisy_max import ReportNoisyMax
from accountant_selection.sparse_vector import SparseVector

Scores = tuple[Fraction, ...]
Law = Mapping[Hashable, Fraction]
_SCORES: tuple[Scores, ...] = tuple(
    tuple(map(Fraction, scores)) for scores in ((0, 1, -2), (-1, 2, -8), (0, 0, 0), (3, 0, 1))
)
_APART, _ONE_WAY = (1, -1, 1), (1, 0, 1)


def oracles() -> Iterable[ConformanceCase]:
    """Of every kind, on three scores or queries."""
    yield MechanismOracle(Exponential.kind, law=_proportional, moves=_by_epsilon)
    yield MechanismOracle(PermuteAndFlip.kind, law=_flipped, moves=_by_epsilon)
    yield MechanismOracle(ReportNoisyMax.kind, law=_largest, moves=_by_moves, instances=_noisy)
    yield MechanismOracle(SparseVector.kind, law=_above, moves=_by_moves, instances=_sparse)


def _proportional(noise: Exponential, scores: Scores) -> Law:
    return _numbered(softmax([noise.epsilon / 2 * score for score in scores]))


def _flipped(noise: PermuteAndFlip, scores: Scores) -> Law:
    return _numbered(permuted([noise.epsilon / 2 * score for score in scores]))


def _largest(noise: ReportNoisyMax, scores: Scores) -> Law:
    laws = {"gumbel": softmax, "exponential": raced, "laplace": outrun}
    return _numbered(laws[noise.noise]([score / noise.scale for score in scores]))


def _above(noise: SparseVector, queries: Scores) -> Law:
    return _named(answers(noise, queries).items())


def _numbered(chances: Iterable[Fraction]) -> Law:
    return _named(enumerate(chances))


def _named(chances: Iterable[tuple[Hashable, Fraction]]) -> Law:
    return dict(chances)


def _by_epsilon(noise: Any) -> Iterator[tuple[Scores, Scores, Shift]]:
    """Each score moves by one, which is what epsilon is for; then each by two."""
    for size in (1, 2) if noise.epsilon <= 3 else (1,):
        for scores in _SCORES:
            yield scores, _moved(scores, _APART, size), Shift.along([size])


def _by_moves(noise: Any) -> Iterator[tuple[Scores, Scores, Shift]]:
    """Scores that move apart, or all one way where that is said of them."""
    moves = _ONE_WAY if noise.monotone else _APART
    for size in (1, 2):
        for scores in _SCORES[:3]:
            yield scores, _moved(scores, moves, size), Shift.along([size * move for move in moves])


def _moved(scores: Scores, moves: Iterable[int], size: int) -> Scores:
    return tuple(score + size * move for score, move in zip(scores, moves, strict=True))


def _noisy() -> Any:
    """Noise about as wide as scores are apart."""
    from hypothesis import strategies as st

    noises, scales = st.sampled_from(("gumbel", "exponential", "laplace")), st.sampled_from(("1/2", "1", "2", "5"))
    return st.builds(ReportNoisyMax, noises, scales, st.booleans())


def _sparse() -> Any:
    """Few answers above, and noise about as wide as queries are apart."""
    from hypothesis import strategies as st

    scales = st.sampled_from(("1/2", "1", "3"))
    return st.builds(SparseVector, scales, scales, st.integers(1, 3), st.booleans())
