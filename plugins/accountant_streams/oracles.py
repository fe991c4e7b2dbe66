"""Oracles: what a stream shows of the steps at which neighbours differ, in the direction in which it shows most.

All published numbers together, weighted by how far each of them moves, are a normal variable: its chances between
thresholds are those of an event that everybody can look at.
"""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Iterable, Iterator, Mapping
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

from accountant.plugin import ConformanceCase, MechanismOracle, Shift
from accountant_streams.cases import DIGITS, normal_tail
from accountant_streams.matrix import Matrix
from accountant_streams.stream import Stream
from accountant_streams.tree import Tree

Steps = tuple[int, ...]
Answer = tuple[Steps, bool]
"""Steps at which the answers of neighbours differ, and whether they have moved."""
Law = Mapping[Hashable, Fraction]
_CELLS = 12


def oracles() -> Iterable[ConformanceCase]:
    """Of every kind, for streams of a few steps."""
    yield MechanismOracle(Tree.kind, law=_in_blocks, moves=_moves, instances=_trees)
    yield MechanismOracle(Matrix.kind, law=_in_rows, moves=_moves, instances=_tables)


def _in_blocks(tree: Tree, answer: Answer) -> Law:
    return _law(tree, _blocks(tree, answer[0]), answer)


def _in_rows(matrix: Matrix, answer: Answer) -> Law:
    return _law(matrix, _rows(matrix, answer[0]), answer)


def _blocks(tree: Tree, steps: Steps) -> list[Fraction]:
    """How far the sum over every block moves where the answers at some steps move by one."""
    found, size = [], 1
    while size <= tree.leaves:
        for start in range(0, tree.leaves - size + 1, size):
            found.append(Fraction(sum(start <= step < start + size for step in steps)))
        size *= 2
    return found


def _rows(matrix: Matrix, steps: Steps) -> list[Fraction]:
    """How far every combination moves where the answers at some steps move by one."""
    return [sum((row[step] for step in steps), Fraction(0)) for row in matrix.strategy]


def _law(stream: Stream, moved: list[Fraction], answer: Answer) -> Law:
    """The chances of the weighted sum between thresholds, around 0 or around what it moves by."""
    with localcontext() as context:
        context.prec = DIGITS
        square = sum((move * move for move in moved), Fraction(0)) / stream.sigma**2
        far = (Decimal(square.numerator) / Decimal(square.denominator)).sqrt()
        places = [far / 2 + (far + 4) * (Decimal(2 * k) / _CELLS - 1) / 2 for k in range(_CELLS + 1)]
        tails = [normal_tail(place - (far if answer[1] else 0)) for place in places]
    above = [Fraction(1), *map(Fraction, tails), Fraction(0)]
    return {cell: one - other for cell, (one, other) in enumerate(itertools.pairwise(above))}


def _moves(stream: Any) -> Iterator[tuple[Answer, Answer, Shift]]:
    """Patterns of as many steps as neighbours may differ in, as close to each other as they may be, and fewer."""
    length = stream.leaves if isinstance(stream, Tree) else len(stream.strategy[0])
    for count in range(1, stream.participations + 1):
        for start in range(3):
            steps = tuple(start + place * stream.separation for place in range(count))
            if steps[-1] < length:
                yield (steps, False), (steps, True), Shift.along([1])


def _trees() -> Any:
    from hypothesis import strategies as st

    sigmas, few = st.sampled_from(("1", "2", "5")), st.integers(1, 3)
    return st.builds(
        lambda sigma, leaves, count, apart: Tree(sigma, leaves, participations=count, separation=apart),
        sigmas,
        st.integers(1, 9),
        few,
        few,
    )


def _tables() -> Any:
    from hypothesis import strategies as st

    tables: list[Any] = [[[1, 0], [1, 1]], [[1, "1/2"]], [[1, 0, 0], [1, 1, 0], [1, 1, 1]], [[2, 0, 1], ["1/2", 1, 0]]]
    return st.builds(
        lambda sigma, table, count, apart: Matrix(sigma, table, participations=count, separation=apart),
        st.sampled_from(("1", "2", "5")),
        st.sampled_from(tables),
        st.integers(1, 2),
        st.integers(1, 2),
    )
