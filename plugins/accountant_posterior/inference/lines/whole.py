"""Sums of whole data: the lattice that they lie on."""

from __future__ import annotations

import numpy as np
from attrs import frozen

from accountant.loss import Floats
from accountant_posterior.inference.lines.sums import Flags, Layout


@frozen(eq=False)
class Lattice:
    """All sums that whole data can have: `steps` times whole numbers.

    Definition: a sum of squares is the sum of the values and an even number, since x^2 - x is even; it is the sum of the
    values itself where values are 0 or 1. So there are a step for each sum of values, which takes its square along, one of
    2 for each square that is not fixed by it, and one for each sum of products of two columns.
    """

    steps: Floats
    inverse: Floats
    own: tuple[tuple[int, int], ...]
    """For every column where its sum and its sum of squares stand."""

    @classmethod
    def of(cls, layout: Layout, lower: tuple[float, ...], upper: tuple[float, ...]) -> Lattice:
        """For whole columns with these bounds."""
        places = {pair: place for place, pair in enumerate(layout.pairs)}
        own = tuple((places[0, column], places[column, column]) for column in range(1, layout.columns))
        steps = []
        for (row, column), place in places.items():
            step = np.zeros(len(places))
            step[place] = 2.0 if row == column else 1.0
            if row == column and (lower[row - 1], upper[row - 1]) == (0.0, 1.0):
                continue
            if row == 0:
                step[own[column - 1][1]] = 1.0
            steps.append(step)
        matrix = np.array(steps).T
        return cls(matrix, np.asarray(np.linalg.pinv(matrix), np.float64), own)

    def nearest(self, sums: Floats) -> Floats:
        """Sums on the lattice near others."""
        found: Floats = self.steps @ np.rint(self.inverse @ sums)
        return found

    def fits(self, sums: Floats, count: int) -> Flags:
        """Whether each column varies as whole numbers must: (x - k)(x - k - 1) >= 0 for every x and every whole k."""
        fits: Flags = np.ones(sums.shape[1], dtype=bool)
        for values, squares in self.own:
            below = np.floor(sums[values] / count)
            fits &= sums[squares] - (2.0 * below + 1.0) * sums[values] + below * (below + 1.0) * count >= 0.0
        return fits
