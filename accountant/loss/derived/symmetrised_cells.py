"""Masses of a mirrored loss between edges, from those of its base above 0.

A cell (a, b] of the base with masses p of P and q of Q becomes one from -b to -a with masses q and p. What the second law
lacks there, q - e^-b p, is e^-b times (e^(b - a) - 1) e^a q less p - e^a q. In a narrow cell the first is about twice the
second, so that hardly a digit is lost.
"""

from __future__ import annotations

import numpy as np

from accountant.loss.derived.masses import Masses, scaled
from accountant.loss.readings.arrays import Floats
from accountant.loss.readings.base import Cells, PrivacyLoss
from accountant.numbers.interval import Interval
from accountant.numbers.rounding import Ball, Balls, exp, expm1, joined

_LOWEST = 800.0
"""How far below 0 doubles see nothing of an exponential."""


def mirrored_cells(base: PrivacyLoss, edges: Floats) -> Cells:
    """The cells of the mirrored loss."""
    above, below = (np.concatenate([[0.0], some]) for some in (edges[edges > 0.0], -edges[edges < 0.0][::-1]))
    forward, backward = base.cells(above), base.cells(below)
    # The first cell of either has no left edge, and lies below 0.
    ahead, behind = Masses.of(forward).part(1), _mirrored(Masses.of(backward).part(1), below)
    # The cell below 0 or around it begins at the last edge below 0, if there is one.
    place = Ball(max(-float(below[1]), -_LOWEST) if below.size > 1 else -_LOWEST)
    unit, lack = exp(place), -expm1(place)
    left = _left(base)
    p, q, gap = left + behind.p.entry(-1), left * unit + behind.q.entry(-1), left * lack + behind.gap.entry(-1)
    if not np.any(edges == 0.0):
        first = ahead.q.entry(0)
        p, q, gap = p + ahead.p.entry(0), q + first * unit, gap + first * lack + ahead.gap.entry(0)
        ahead = ahead.part(1)
    masses = Masses(
        joined([behind.p[:-1], p, ahead.p]),
        joined([behind.q[:-1], q, ahead.q]),
        joined([behind.gap[:-1], gap, ahead.gap]),
    )
    infinite = Interval(forward.infinite.lower, forward.infinite.upper)
    return masses.cells(infinite, max(forward.slack, backward.slack))


def _mirrored(masses: Masses, edges: Floats) -> Masses:
    """The mirror image, where the cells begin at the given edges; the last one, without end, becomes the first."""
    fall, growth = np.exp(-edges), expm1(Balls(edges[1:]) - edges[:-1])
    p, inner, right = scaled(masses.q, fall), masses.part(0, -1), fall[1:]
    q, gap = scaled(inner.p, right), scaled(inner.q * growth - inner.gap, right)
    return Masses(p[::-1], joined([Ball(0.0), q[::-1]]), joined([p[-1:], gap[::-1]]))


def _left(base: PrivacyLoss) -> Ball:
    """What both laws have at 0: all that losses above 0 and their images leave."""
    cells = base.cells(np.zeros(1))
    masses = Masses.of(cells)
    return (1.0 - masses.p.entry(1) - masses.q.entry(1) - Ball.of(cells.infinite)).at_least(0.0)
