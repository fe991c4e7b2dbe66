"""How far apart shifted Gaussian noise of a covariance is, in exact numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, permutations
from typing import Any

from attrs import Attribute

from accountant import InvalidValue, ShiftError
from accountant.plugin import Shift

Rows = tuple[tuple[Fraction, ...], ...]

_LARGEST = 64
_MOST_PLACEMENTS = 20_000


def positive_definite(instance: object, attribute: Attribute[Any] | None, rows: Rows | None) -> None:
    """Refuse a table that is no covariance, with the place of the fault."""
    if rows is None:
        return
    size = len(rows)
    if not 0 < size <= _LARGEST:
        raise InvalidValue(
            f"a covariance needs from 1 to {_LARGEST} rows, one for each coordinate of the answer, got {size}"
        )
    for index, row in enumerate(rows, start=1):
        if len(row) != size:
            raise InvalidValue(f"row {index} has {len(row)} entries, but a covariance of {size} rows needs {size} in each")
    for i, j in combinations(range(size), 2):
        if rows[i][j] != rows[j][i]:
            raise InvalidValue(
                f"row {i + 1}, entry {j + 1} is {rows[i][j]}, but row {j + 1}, entry {i + 1} is {rows[j][i]}; "
                "a covariance is symmetric"
            )
    good = _definite_rows(rows)
    if good < size:
        raise InvalidValue(
            f"the first {good + 1} rows are not positive definite: some sum of those coordinates would have no noise, or "
            "less than none"
        )


def _whole(rows: Rows) -> tuple[list[list[int]], int]:
    """The same table in whole numbers, and what it was multiplied by."""
    scale = math.lcm(*(value.denominator for row in rows for value in row))
    return [[int(value * scale) for value in row] for row in rows], scale


def _definite_rows(rows: Rows) -> int:
    """How many of the first rows are positive definite: the leading minors are positive (Sylvester).

    Bareiss' elimination, which stays in whole numbers, has the leading minors as its pivots.
    """
    table, _ = _whole(rows)
    before = 1
    for done in range(len(rows)):
        pivot, *lead = table[0]
        if pivot <= 0:
            return done
        table = [[(pivot * a - row[0] * b) // before for a, b in zip(row[1:], lead, strict=True)] for row in table[1:]]
        before = pivot
    return len(rows)


@lru_cache(maxsize=32)
def inverse(rows: Rows) -> Rows:
    """The inverse of a covariance, by the same elimination upwards and downwards."""
    size = len(rows)
    whole, scale = _whole(rows)
    table = [[*row, *(int(i == j) for j in range(size))] for i, row in enumerate(whole)]
    before = 1
    for step in range(size):
        pivot, lead = table[step][step], table[step]
        for index, row in enumerate(table):
            if index != step:
                factor = row[step]
                table[index] = [(pivot * a - factor * b) // before for a, b in zip(row, lead, strict=True)]
        before = pivot
    return tuple(tuple(Fraction(scale * value, before) for value in row[size:]) for row in table)


def widest(rows: Rows) -> tuple[Fraction, Fraction]:
    """The largest standard deviation of a coordinate, from below and from above, to sixty bits."""
    variance = max(row[cell] for cell, row in enumerate(rows))
    # A square root of whole numbers keeps as many bits however small or large the variance is.
    shift = max(0, 120 + 2 * variance.denominator.bit_length() - 2 * variance.numerator.bit_length())
    scaled = variance * 4**shift
    below = math.isqrt(math.floor(scaled))
    return Fraction(below, 2**shift), Fraction(below + (below * below != scaled), 2**shift)


def _distance(inverted: Rows, move: Sequence[Fraction], cells: Sequence[int]) -> Fraction:
    """move' covariance^-1 move, where the coordinates of the move are those of some cells."""
    pairs = [(value, inverted[cell]) for value, cell in zip(move, cells, strict=True) if value]
    return sum((a * b * row[j] for a, row in pairs for b, j in zip(move, cells, strict=True) if b), Fraction(0))


def squared_distances(kind: str, rows: Rows, shift: Shift) -> tuple[Fraction, Fraction]:
    """The largest move' covariance^-1 move over all that a shift can be, from below and from above.

    Guarantee: no move exceeds the upper one, and some move that the shift stands for reaches the lower one.
    """
    if shift.unit is not None and shift.placed is None:
        # What units move together is an average of what one of them moves, so many times; the form is convex, and all units
        # may move alike.
        least, most = squared_distances(kind, rows, shift.unit)
        return least * shift.units**2, most * shift.units**2
    size, moved = len(rows), shift.coordinates if shift.placed is None else shift.placed
    if moved is not None and (len(moved) > size or (shift.placed is not None and len(moved) < size)):
        raise ShiftError(
            f"'{kind}' has a covariance of {size} coordinates, but the query moves {len(moved)}; give one row for each "
            "coordinate of the answer, and a 'vector' shift as many numbers, 0 where nothing moves"
        )
    inverted = inverse(rows)
    if moved is not None:
        if shift.placed is not None:
            known = _distance(inverted, moved, range(size))
            return known, known
        if math.perm(size, len(moved)) <= _MOST_PLACEMENTS:
            known = max(_distance(inverted, moved, cells) for cells in permutations(range(size), len(moved)))
            return known, known
        # One placement that the query allows: the largest moves where there is least noise.
        quiet = sorted(range(size), key=lambda cell: -inverted[cell][cell])
        least = _distance(inverted, moved, quiet[: len(moved)])
    else:
        least = shift.linf**2 / max(rows[cell][cell] for cell in range(size))
    diagonal = [inverted[cell][cell] for cell in range(size)]
    most = shift.l2_squared * _largest_eigenvalue(rows, sum(diagonal, Fraction(0)))
    if shift.in_l1 is not None:
        most = min(most, shift.in_l1**2 * max(diagonal))
    return min(least, most), most


def _largest_eigenvalue(rows: Rows, trace: Fraction) -> Fraction:
    """A bound on the largest eigenvalue of the inverse: sharp where doubles tell it, proved by elimination.

    It is 1/c for any c such that the covariance less c on its diagonal is positive definite, and at most the trace.
    """
    import numpy as np

    unit = max(row[cell] for cell, row in enumerate(rows))
    scaled = np.array([[float(value / unit) for value in row] for row in rows])
    lowest, exponent = math.frexp(float(np.linalg.eigvalsh(scaled)[0]))
    # Few bits keep the elimination short.
    least = unit * Fraction(math.floor(lowest * 2**20) - 1, 2**20) * Fraction(2) ** exponent
    if least * trace <= 1:
        return trace
    less = tuple(tuple(value - least * (i == j) for j, value in enumerate(row)) for i, row in enumerate(rows))
    return 1 / least if _definite_rows(less) == len(rows) else trace
