"""Masses of a mirrored loss between edges, from those of its base above 0.

A cell (a, b] of the base with masses p of P and q of Q becomes one from -b to -a with masses q and p. What the second law
lacks there, q - e^-b p, is e^-b times (e^(b - a) - 1) e^a q less p - e^a q. In a narrow cell the first is about twice the
second, so that hardly a digit is lost.
"""

from __future__ import annotations

import math

import numpy as np

from accountant.loss.derived.masses import Masses
from accountant.loss.readings.arrays import Floats
from accountant.loss.readings.base import Cells, PrivacyLoss
from accountant.numbers.interval import Interval
from accountant.numbers.rounding import Ball, Balls, exp, expm1, joined, total


def mirrored_cells(base: PrivacyLoss, edges: Floats) -> Cells:
    """The cells of the mirrored loss."""
    above, below = (np.concatenate([[0.0], some]) for some in (edges[edges > 0.0], -edges[edges < 0.0][::-1]))
    forward, backward = base.cells(above), base.cells(below)
    # The first cell of either has no left edge, and lies below 0.
    ahead, behind = Masses.of(forward).part(1), _mirrored(Masses.of(backward).part(1), below)
    # The cell below 0 or around it begins at the last edge below 0, if there is one.
    left = -float(below[1]) if below.size > 1 else -math.inf
    middle = [behind.part(-1), _moved(_left(base), left)]
    if not np.any(edges == 0.0):
        middle.append(_moved(ahead.part(0, 1), left))
        ahead = ahead.part(1)
    masses = _joined([behind.part(0, -1), _together(middle), ahead])
    infinite = Interval(forward.infinite.lower, forward.infinite.upper)
    return masses.cells(infinite, max(forward.slack, backward.slack))


def _mirrored(masses: Masses, edges: Floats) -> Masses:
    """The mirror image, where the cells begin at the given edges; the last one, without end, becomes the first."""
    fall, growth = exp(Balls(-edges)), expm1(Balls(edges[1:]) - edges[:-1])
    p, right = masses.q * fall, fall[1:]
    inner = masses.part(0, -1)
    q, gap = inner.p * right, (inner.q * growth - inner.gap) * right
    return Masses(p[::-1], joined([Ball(0.0), q[::-1]]), joined([p[-1:], gap[::-1]]))


def _moved(masses: Masses, left: float) -> Masses:
    """Cells that begin at 0 as parts of one that begins at `left`, not above it."""
    place = Ball(max(left, -800.0))
    return Masses(masses.p, masses.q * exp(place), masses.gap + masses.q * -expm1(place))


def _joined(rows: list[Masses]) -> Masses:
    return Masses(*(joined([getattr(row, name) for row in rows]) for name in ("p", "q", "gap")))


def _together(rows: list[Masses]) -> Masses:
    """All of these as one cell; they begin at the same edge."""
    whole = _joined(rows)
    return Masses(*(Balls.of([total(part)]) for part in (whole.p, whole.q, whole.gap)))


def _left(base: PrivacyLoss) -> Masses:
    """What both laws have at 0: all that losses above 0 and their images leave."""
    cells = base.cells(np.zeros(1))
    masses = Masses.of(cells)
    left = (1.0 - masses.p.entry(1) - masses.q.entry(1) - Ball.of(cells.infinite)).at_least(0.0)
    one = Balls.of([left])
    return Masses(one, one, Balls(np.zeros(1)))
