"""Masses of a mirrored loss between edges, from those of its base above 0.

A cell (a, b] of the base with masses p of P and q of Q becomes one from -b to -a with masses q and p. What the second law
lacks there, q - e^-b p, is e^-b times (e^(b - a) - 1) e^a q less p - e^a q. In a narrow cell the first is about twice the
second, so that hardly a digit is lost.
"""

from __future__ import annotations

import math

import numpy as np
from attrs import frozen

from accountant.loss.readings.arrays import Floats
from accountant.loss.readings.base import ROUNDOFF, Cells, PrivacyLoss
from accountant.numbers.interval import Interval


@frozen(eq=False)
class _Row:
    """Cells in rising order: masses of P, those of Q times e^(left edge), their difference, and bounds on the errors."""

    p: Floats
    q: Floats
    gap: Floats
    p_error: Floats
    q_error: Floats
    gap_error: Floats

    @classmethod
    def above(cls, cells: Cells) -> _Row:
        """All cells but the first, which has no left edge."""
        gap, gap_error = cells.gap, cells.gap_error
        if gap is None or gap_error is None:
            gap = cells.p - cells.q
            gap_error = cells.p_error + cells.q_error + 2 * ROUNDOFF * (cells.p + cells.q)
        return cls(*(array[1:] for array in (cells.p, cells.q, gap, cells.p_error, cells.q_error, gap_error)))

    def mirrored(self, edges: Floats) -> _Row:
        """The mirror image, where these cells begin at the given edges; the last one, without end, becomes the first."""
        width, fall = np.diff(edges), np.exp(-edges)
        p, p_error = self.q * fall, self.q_error * fall
        p_error = p_error + 4 * ROUNDOFF * p
        right, growth = fall[1:], np.expm1(width)
        q, q_error = self.p[:-1] * right, self.p_error[:-1] * right
        gap = right * (self.q[:-1] * growth - self.gap[:-1])
        gap_error = right * (self.q_error[:-1] * growth + self.gap_error[:-1])
        gap_error += 8 * ROUNDOFF * right * (self.q[:-1] * growth + np.abs(self.gap[:-1]))
        q = np.append(q, 0.0)[::-1]
        q_error = np.append(q_error + 4 * ROUNDOFF * self.p[:-1] * right, 0.0)[::-1]
        gap, gap_error = np.append(gap, p[-1])[::-1], np.append(gap_error, p_error[-1])[::-1]
        return _Row(p[::-1], q, gap, p_error[::-1], q_error, gap_error)

    def part(self, first: int, last: int | None = None) -> _Row:
        """Some of the cells."""
        arrays = (self.p, self.q, self.gap, self.p_error, self.q_error, self.gap_error)
        return _Row(*(array[first:last] for array in arrays))

    def moved(self, left: float) -> _Row:
        """Cells that begin at 0 as parts of one that begins at `left`, not above it."""
        scale, lack = math.exp(max(left, -800.0)), -math.expm1(left)
        q, q_error = self.q * scale, self.q_error * scale + 4 * ROUNDOFF * self.q * scale
        gap = self.gap + lack * self.q
        gap_error = self.gap_error + lack * self.q_error + 8 * ROUNDOFF * (np.abs(self.gap) + lack * self.q)
        return _Row(self.p, q, gap, self.p_error, q_error, gap_error)

    def together(self) -> _Row:
        """All of these as one cell; they begin at the same edge."""
        adding = 2 * ROUNDOFF * self.p.size
        sums = [np.array([float(array.sum())]) for array in (self.p, self.q, self.gap)]
        errors = [
            np.array([float(error.sum()) * (1.0 + adding)]) + adding * np.abs(total)
            for error, total in zip((self.p_error, self.q_error, self.gap_error), sums, strict=True)
        ]
        return _Row(*sums, *errors)


def _joined(rows: list[_Row]) -> _Row:
    names = ("p", "q", "gap", "p_error", "q_error", "gap_error")
    return _Row(*(np.concatenate([getattr(row, name) for row in rows]) for name in names))


def _left(base: PrivacyLoss) -> _Row:
    """What both laws have at 0: all that losses above 0 and their images leave."""
    cells = base.cells(np.zeros(1))
    infinite = cells.infinite
    mass = 1.0 - float(cells.p[1]) - float(cells.q[1]) - 0.5 * (infinite.lower + infinite.upper)
    doubt = float(cells.p_error[1] + cells.q_error[1]) + 0.5 * (infinite.upper - infinite.lower) + 4 * ROUNDOFF
    one, error = np.array([max(mass, 0.0)]), np.array([doubt])
    return _Row(one, one, np.zeros(1), error, error, np.zeros(1))


def mirrored_cells(base: PrivacyLoss, edges: Floats) -> Cells:
    """The cells of the mirrored loss."""
    above, below = (np.concatenate([[0.0], some]) for some in (edges[edges > 0.0], -edges[edges < 0.0][::-1]))
    forward, backward = base.cells(above), base.cells(below)
    ahead, behind = _Row.above(forward), _Row.above(backward).mirrored(below)
    # The cell below 0 or around it begins at the last edge below 0, if there is one.
    left = -float(below[1]) if below.size > 1 else -math.inf
    middle = [behind.part(-1), _left(base).moved(left)]
    if not np.any(edges == 0.0):
        middle.append(ahead.part(0, 1).moved(left))
        ahead = ahead.part(1)
    row = _joined([behind.part(0, -1), _joined(middle).together(), ahead])
    row.q[0] = row.q_error[0] = 0.0
    slack = max(forward.slack, backward.slack)
    infinite = Interval(forward.infinite.lower, forward.infinite.upper)
    return Cells(row.p, row.q, row.p_error, row.q_error, infinite, row.gap, row.gap_error, slack)
