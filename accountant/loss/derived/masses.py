"""The masses in cells, as balls."""

from __future__ import annotations

import numpy as np
from attrs import frozen

from accountant.loss.readings.arrays import Floats
from accountant.loss.readings.base import Cells
from accountant.numbers.interval import Interval
from accountant.numbers.rounding import TINY, Balls


def scaled(values: Balls, factors: Floats | float) -> Balls:
    """Values times exponentials, or numbers that were rounded once.

    An exponential is off by 8 roundoffs, and the product by one. What that does to the radius is paid for by its margin.
    """
    return Balls.rounded(values.middle * factors, 9.0).widened(values.radius * factors + lost(values))


def mixed(one: Balls, rest: float, other: Balls, rate: float) -> Balls:
    """Two rows with chances that are rounded once, as are products and a sum: three roundings."""
    middle = rest * one.middle + rate * other.middle
    return Balls.rounded(middle, 3.0).widened(rest * one.radius + rate * other.radius + lost(one, other))


def lost(*rows: Balls) -> Floats:
    """More than products lose to underflow, but nothing where there is nothing: masses there would mislead a tilt."""
    some = np.zeros(rows[0].middle.shape, dtype=np.bool_)
    for row in rows:
        some |= (row.middle != 0.0) | (row.radius > 0.0)
    return np.where(some, TINY, 0.0)


@frozen(eq=False)
class Masses:
    """Masses of P in cells, those of Q times e^(left edge), and what the second lack to the first."""

    p: Balls
    q: Balls
    gap: Balls

    @classmethod
    def of(cls, cells: Cells) -> Masses:
        """The masses of cells; the gap is what the family knows of it, or by subtraction."""
        p, q = Balls(cells.p, cells.p_error), Balls(cells.q, cells.q_error)
        if cells.gap is None or cells.gap_error is None:
            return cls(p, q, p - q)
        return cls(p, q, Balls(cells.gap, cells.gap_error))

    def part(self, first: int, last: int | None = None) -> Masses:
        """Those of some cells in a row."""
        return Masses(self.p[first:last], self.q[first:last], self.gap[first:last])

    def cells(self, infinite: Interval, slack: float, *, counted: bool = False) -> Cells:
        """The same as cells; the first one has no left edge, so that nothing is said of Q in it."""
        p, q, gap = self.p, self.q.replaced(0, 0.0), self.gap
        return Cells(p.middle, q.middle, p.radii, q.radii, infinite, gap.middle, gap.radii, slack, counted=counted)
