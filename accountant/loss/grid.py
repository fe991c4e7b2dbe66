"""Losses on a grid: one measure that dominates and one that is dominated.

Write y = e^-L. Every reading of a composition is an increasing function of integrals of convex, decreasing functions of y
under P, so a measure may be replaced by a larger one in that order for an upper end and by a smaller one for a lower end:

- upper: the mass of a cell is split between its two edges so that the masses of P and Q are kept (a spread);
- lower: mass is first merged at the mean y of its cell (a contraction), and merged again at the edge between two
  cells as far as their means balance around it; what is left over moves to the lower edge.

Both are off by the square of the step only. See docs/explanation/two-sided-composition.md.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from attrs import frozen

from accountant.loss.base import ROUNDOFF, Cells, Floats, PrivacyLoss


@frozen(eq=False)
class Measure:
    """Masses of P on the losses start * step, (start + 1) * step, ...; the rest as said by the side it serves.

    `infinite` is mass at +infinity. `slack` bounds how far floating point may have displaced a loss.
    """

    start: int
    masses: Floats
    infinite: float
    slack: float


def grid_range(loss: PrivacyLoss, step: Fraction, log_tail: float) -> tuple[int, int]:
    """The first and last multiple of the step that a grid for this loss needs."""
    low, high = loss.window(log_tail)
    size = float(step)
    return math.floor(low / size) - 1, math.ceil(high / size) + 1


def dominating_measure(loss: PrivacyLoss, step: Fraction, first: int, last: int) -> Measure:
    """Masses that are at least those of a pair on the grid that dominates the loss."""
    edges = _edges(step, first, last)
    cells = loss.cells(edges)
    shrink = -math.expm1(-float(step))
    p, q = cells.p[1:-1], cells.q[1:-1]
    error = cells.p_error[1:-1] + cells.q_error[1:-1] + 4 * ROUNDOFF * (p + q)
    most = p + cells.p_error[1:-1]
    to_right = np.clip((p - q) / shrink, 0.0, p)
    error = error / shrink + 8 * ROUNDOFF * p
    masses = np.zeros(edges.size)
    masses[1:] += np.minimum(to_right + error, most)
    masses[:-1] += np.minimum(p - to_right + error, most)
    masses[0] += cells.p[0] + cells.p_error[0]
    tail = cells.p[-1] + cells.p_error[-1]
    kept = min(max(cells.q[-1] - cells.q_error[-1], 0.0), tail)
    masses[-1] += kept
    infinite = (tail - kept) + cells.infinite.upper
    return Measure(first, masses * (1.0 + 16 * ROUNDOFF), infinite * (1.0 + 16 * ROUNDOFF), _slack(edges))


def dominated_measure(loss: PrivacyLoss, step: Fraction, first: int, last: int) -> Measure:
    """Masses that are at most those of a measure on the grid whose every reading the loss exceeds."""
    edges = _edges(step, first, last)
    cells = loss.cells(edges)
    p = np.maximum(cells.p[1:] - cells.p_error[1:], 0.0)
    mean, doubt = _mean_ratio(cells, p)
    slack = _slack(edges)
    # Lifting mass of cell j - 1 to edge j raises y's mean by `rise` per unit; mass of cell j there offers `room`.
    rise = mean[:-1] * math.exp(float(step)) - 1.0 + 16 * ROUNDOFF
    room = np.maximum(1.0 - mean[1:], 0.0)
    on_edge = rise <= 2.0 * doubt[:-1] + 64 * ROUNDOFF
    slack += float(np.max(np.where(on_edge & (p[:-1] > 0.0), np.maximum(rise, 0.0), 0.0), initial=0.0))
    with np.errstate(divide="ignore", invalid="ignore"):
        offer = np.where(p[:-1] > 0.0, p[1:] * room / (p[:-1] * np.maximum(rise, 1e-300)), 0.0)
    share = np.where(on_edge, 1.0, offer / (1.0 + offer))
    spare = 1.0 - np.concatenate([share[1:], [0.0]])
    lifted = p[:-1] * np.where(on_edge, 1.0, np.minimum(share, offer * spare)) * (1.0 - 16 * ROUNDOFF)
    lifted = np.minimum(lifted, p[:-1])
    masses = p.copy()
    masses[:-1] -= lifted
    masses[1:] += lifted
    return Measure(first, masses * (1.0 - 16 * ROUNDOFF), max(cells.infinite.lower, 0.0), slack)


def _mean_ratio(cells: Cells, p: Floats) -> tuple[Floats, Floats]:
    """An upper bound on the mean of e^(left edge - L) in each cell, and how much of it is doubt."""
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = np.where(p > 0.0, (cells.q[1:] + cells.q_error[1:]) / np.maximum(p, 1e-320), 1.0)
        doubt = np.where(p > 0.0, (2 * cells.p_error[1:] + 2 * cells.q_error[1:]) / np.maximum(p, 1e-320), 0.0)
    return np.minimum(mean * (1.0 + 8 * ROUNDOFF), 1.0), np.minimum(doubt, 2.0**-30)


def _edges(step: Fraction, first: int, last: int) -> Floats:
    edges: Floats = float(step) * np.arange(first, last + 1, dtype=np.float64)
    return edges


def _slack(edges: Floats) -> float:
    return 64 * ROUNDOFF * (1.0 + max(abs(float(edges[0])), abs(float(edges[-1]))))
