"""Sums of products of bounded columns: their order, how they look on columns between 0 and 1, and which are possible."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
from attrs import frozen

from accountant.loss import Floats

Chosen = np.ndarray[tuple[int, ...], np.dtype[np.intp]]
Flags = np.ndarray[tuple[int, ...], np.dtype[np.bool_]]


@frozen(eq=False)
class Layout:
    """The sums of products of columns 1, x_1, ..., x_q, y, all but the first, which is the number of records.

    Definition: sums stand in the order of the query, row by row of the upper half. Moments are the sums of the columns
    moved to between 0 and 1, over the number of records; sums are count (`matrix` moments + `offset`).
    """

    pairs: tuple[tuple[int, int], ...]
    matrix: Floats
    offset: Floats
    inverse: Floats

    @classmethod
    def of(cls, lower: Sequence[float], upper: Sequence[float]) -> Layout:
        """For the columns after the first with these bounds."""
        size = len(lower) + 1
        pairs = tuple(itertools.combinations_with_replacement(range(size), 2))[1:]
        stretch = np.diag([1.0, *(high - low for low, high in zip(lower, upper, strict=True))])
        stretch[1:, 0] = lower
        one = np.zeros((size, size))
        one[0, 0] = 1.0
        columns = []
        for row, column in pairs:
            unit = np.zeros((size, size))
            unit[row, column] = unit[column, row] = 1.0
            columns.append(_read(stretch @ unit @ stretch.T, pairs))
        matrix = np.array(columns).T
        return cls(pairs, matrix, _read(stretch @ one @ stretch.T, pairs), np.asarray(np.linalg.inv(matrix), np.float64))

    @property
    def columns(self) -> int:
        """How many columns there are, that of ones and the response among them."""
        return self.pairs[-1][0] + 1

    def moments(self, sums: Floats, count: int) -> Floats:
        """The matrices of moments, one for each column of sums."""
        values = self.inverse @ (sums / count - self.offset[:, None])
        return self.filled(values)

    def filled(self, values: Floats) -> Floats:
        """Symmetric matrices with a one in front, from what stands in their upper halves."""
        found = np.empty((self.columns, self.columns, values.shape[1]))
        found[0, 0] = 1.0
        for (row, column), value in zip(self.pairs, values, strict=True):
            found[row, column] = found[column, row] = value
        return found

    def sums(self, moments: Floats, count: int) -> Floats:
        """The sums that matrices of moments come from."""
        values = np.array([moments[row, column] for row, column in self.pairs])
        found: Floats = count * (self.matrix @ values + self.offset[:, None])
        return found


def _read(matrix: Floats, pairs: Sequence[tuple[int, int]]) -> Floats:
    return np.array([matrix[row, column] for row, column in pairs])


def possible(moments: Floats) -> Flags:
    """Whether moments of columns between 0 and 1 satisfy what all such data do, besides being positive semidefinite.

    Guarantee: necessary, since x^2 <= x, x y <= min(x, y) and (1 - x)(1 - y) >= 0 for every record. For one regressor
    these and semidefiniteness are also sufficient for some law on the square to have the moments.
    """
    size = len(moments)
    fits = np.ones(moments.shape[2], dtype=bool)
    for row in range(1, size):
        fits &= moments[row, row] <= moments[0, row]
        for column in range(row + 1, size):
            both = moments[row, column]
            fits &= both <= np.minimum(moments[0, row], moments[0, column])
            fits &= both >= np.maximum(moments[0, row] + moments[0, column] - 1.0, 0.0)
    return fits


def cholesky(matrices: Floats) -> tuple[Floats, Flags]:
    """Lower factors of many small matrices at once, and which of them are positive definite; others have no meaning.

    Numpy's own refuses all if one is not, and works on one after the other.
    """
    size = len(matrices)
    factors = np.empty_like(matrices)
    definite: Flags = np.ones(matrices.shape[2], dtype=bool)
    for column in range(size):
        rest = matrices[column, column].copy()
        for inner in range(column):
            rest -= factors[column, inner] ** 2
        positive = rest > 0.0
        if not positive.all():
            definite &= positive
            rest[~positive] = 1.0
        root = np.sqrt(rest)
        factors[column, column] = root
        for row in range(column + 1, size):
            above = matrices[row, column].copy()
            for inner in range(column):
                above -= factors[row, inner] * factors[column, inner]
            factors[row, column] = above / root
    return factors, definite
