"""Losses on a grid: one measure that dominates and one that is dominated.

Write y = e^-L. A composition's delta is E[(1 - e^epsilon y y')_+], with y' the product over the other releases: for any y'
a convex and decreasing function of y, so its mean over y' is one too. A part's law of y under P may therefore be replaced
by a larger one in the order of the integrals of all convex, decreasing, non-negative functions for an upper end, and by
a smaller one for a lower end, one part after the other:

- upper: the mass of a cell is split between its two edges so that the masses of P and Q are kept. Total and mean
  of y stay and mass moves outward (a spread), so every convex integral grows;
- lower: mass is first merged at the mean y of its cell (Jensen). A unit of one cell that is lifted to the edge shared
  with the next cell needs y to fall by `rise`; mass of that next cell that stays at the same edge lets y rise by `room`.
  As long as need does not exceed offer, the two merge at a mean y not above the edge's (Jensen again), from where
  raising y to the edge lowers every decreasing function. What is not lifted moves to its lower edge, and mass may be
  dropped, because the functions are not negative.

Mass may be added for an upper end and dropped for a lower one, which is how floating-point errors are charged. A loss that
rounding displaced is answered for by `slack`: readings move epsilon by the sum of all slacks. Both measures are off by the
square of the step only, where the law is smooth, and by the step where an atom stands alone between edges.
See docs/explanation/two-sided-composition.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from accountant.errors import GridTooLarge
from accountant.loss.readings.arrays import Floats
from accountant.loss.readings.base import Cells, PrivacyLoss
from accountant.numbers.interval import float_above, float_below
from accountant.numbers.rounding import Ball, Balls, expm1, lowered, raised

_LARGEST_STEP = 256
_ON_EDGE = 2.0**-47
"""Losses that are nearer to an edge than this cannot be told from it."""


@frozen(eq=False)
class Measure:
    """Masses of P on the losses offset + start * step, offset + (start + 1) * step, ...

    `infinite` is mass at +infinity. `slack` bounds how far floating point may have displaced a loss.
    """

    start: int
    masses: Floats
    infinite: float
    slack: float
    offset: Fraction = Fraction(0)


def grid_range(loss: PrivacyLoss, step: Fraction, log_tail: float, offset: Fraction = Fraction(0)) -> tuple[int, int]:
    """The first and last multiple of the step, counted from the offset, that a grid for this loss needs."""
    low, high = loss.window(log_tail)
    if step > _LARGEST_STEP:
        raise GridTooLarge(f"only a step above {_LARGEST_STEP} would fit these losses on a grid, which tells nothing apart")
    size, shift = float(step), float(offset)
    if not max(abs(low), abs(high)) / size < 2.0**52:
        raise GridTooLarge(f"losses from {low:.3g} to {high:.3g} cannot be told apart on a grid with a step of {size:.3g}")
    return math.floor((low - shift) / size) - 1, math.ceil((high - shift) / size) + 1


def dominating_measure(
    loss: PrivacyLoss, step: Fraction, first: int, last: int, offset: Fraction = Fraction(0), known: Cells | None = None
) -> Measure:
    """Masses that are at least those of a pair on the grid that dominates the loss."""
    edges = _edges(step, first, last, offset)
    cells = grid_cells(loss, step, first, last, offset) if known is None else known
    shrink = -expm1(-Ball.of(step))
    p, q = Balls(cells.p[1:-1], cells.p_error[1:-1]), Balls(cells.q[1:-1], cells.q_error[1:-1])
    if cells.gap is None or cells.gap_error is None:
        gap = p - q
    else:
        # Left and right masses are (p - gap/shrink, gap/shrink): p's own error only matters to the left one.
        gap = Balls(cells.gap[1:-1], cells.gap_error[1:-1] + raised(shrink.upper * cells.p_error[1:-1], 2))
    right = gap / shrink
    most = p.middle + cells.p_error[1:-1]
    to_right, error = np.clip(right.middle, 0.0, p.middle), right.radius
    masses = np.zeros(edges.size)
    masses[1:] += np.minimum(to_right + error, most)
    masses[:-1] += np.minimum(p.middle - to_right + error, most)
    masses[0] += cells.p[0] + cells.p_error[0]
    # Above the last edge, as much stays there as Q's mass pays for, and the rest goes to infinity: a cell without end.
    tail = Ball(float(cells.p[-1]), float(cells.p_error[-1])).upper
    kept = min(max(Ball(float(cells.q[-1]), float(cells.q_error[-1])).lower, 0.0), tail)
    masses[-1] += kept
    infinite = (Ball(tail) - kept + cells.infinite.upper).upper
    # No mass is added up of more than eight numbers.
    return Measure(first, raised(masses, 8), min(1.0, infinite), _slack(edges, offset) + cells.slack, offset)


def dominated_measure(
    loss: PrivacyLoss, step: Fraction, first: int, last: int, offset: Fraction = Fraction(0), known: Cells | None = None
) -> Measure:
    """Masses that are at most those of a measure on the grid whose every reading the loss exceeds."""
    edges = _edges(step, first, last, offset)
    cells = grid_cells(loss, step, first, last, offset) if known is None else known
    p = np.maximum(cells.p[1:] - cells.p_error[1:], 0.0)
    fall, doubt = _mean_fall(cells, p)
    slack = _slack(edges, offset) + cells.slack
    # Lifting mass of cell j - 1 to edge j raises y's mean by `rise` per unit; mass of cell j there offers `room`.
    growth = expm1(Ball.of(step))
    rise = -(Balls(fall[:-1]) * (growth + 1.0) - growth).lower
    room = fall[1:]
    # A loss that can hardly be told from its upper edge is lifted there outright, and the slack answers for it.
    on_edge = rise <= 2.0 * doubt[:-1] + _ON_EDGE
    slack += float(np.max(np.where(on_edge & (p[:-1] > 0.0), np.maximum(rise, 0.0), 0.0), initial=0.0))
    lifted = _lifted(p, rise, room, on_edge)
    masses = p.copy()
    masses[:-1] -= lifted
    masses[1:] += lifted
    # Masses are rounded by what is taken, what is added, and their own error.
    return Measure(first, lowered(masses, 4), max(cells.infinite.lower, 0.0), raised(slack, 4), offset)


def mixed(parts: Sequence[tuple[Fraction, Measure]], upper: bool) -> Measure:
    """The measure of a loss that is drawn from several, which all count from the same offset."""
    start = min(measure.start for _, measure in parts)
    masses = np.zeros(max(measure.start + measure.masses.size for _, measure in parts) - start)
    infinite = 0.0
    for chance, measure in parts:
        weight = float_above(chance) if upper else float_below(chance)
        place = measure.start - start
        masses[place : place + measure.masses.size] += weight * measure.masses
        infinite += weight * measure.infinite
    # Each product rounds, and takes part in no more sums than there are parts.
    times, slack, offset = 1.0 + len(parts), max(measure.slack for _, measure in parts), parts[0][1].offset
    if upper:
        return Measure(start, raised(masses, times), min(1.0, raised(infinite, times)), slack, offset)
    return Measure(start, lowered(masses, times), lowered(infinite, times), slack, offset)


def _lifted(p: Floats, rise: Floats, room: Floats, on_edge: NDArray[np.bool_]) -> Floats:
    """How much of each cell is lifted to its upper edge, so that the cell above can pay for it.

    Any proposal is sound once it is clipped to what the cell above keeps: clipping one lift only leaves more to pay for
    the next one below. The proposal itself aims at spending all there is.
    """
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        price = np.where(on_edge, 1e300, np.minimum(room / np.maximum(rise, 1e-300), 1e300))
        offer = np.where(p[:-1] > 0.0, np.minimum(price * p[1:] / p[:-1], 1e300), 0.0)
    share = np.where(on_edge, 1.0, offer / (1.0 + offer))
    proposal = p[:-1] * share
    _balance(proposal, p, price)
    proposal = np.where(on_edge, p[:-1], proposal)
    above = p[1:] - np.concatenate([np.minimum(proposal[1:], p[1:-1]), [0.0]])
    paid = np.where(on_edge, p[:-1], np.minimum(price * above, p[:-1]))
    # A quotient, a difference and a product.
    return lowered(np.minimum(proposal, paid), 4)


def _balance(proposal: Floats, p: Floats, price: Floats) -> None:
    """Improve a proposal where most of the mass is: spend exactly what is there, from both ends towards the mode."""
    heavy = np.flatnonzero(p[:-1] > 1e-7 * float(p.max(initial=0.0)))
    if heavy.size < 2 or heavy.size > 2**15:
        return
    low, high, mode = int(heavy[0]), int(heavy[-1]), int(np.argmax(p[:-1]))
    masses, prices = p[low : high + 2].tolist(), price[low : high + 1].tolist()
    lifts = proposal[low : high + 1].tolist()
    size, mode = len(lifts), mode - low
    # Comparisons instead of min and max: these loops are most of what a grid costs.
    lift = lifts[-1]
    for k in range(size - 2, mode - 1, -1):
        lift = prices[k] * (masses[k + 1] - lift)
        if not lift > 0.0:
            lift = 0.0
        elif lift > masses[k]:
            lift = masses[k]
        lifts[k] = lift
    lift = lifts[0]
    for k in range(1, mode):
        cost = prices[k - 1]
        lift = masses[k] - (lift / cost if cost > 0.0 else 0.0)
        if not lift > 0.0:
            lift = 0.0
        lifts[k] = lift
    proposal[low : high + 1] = lifts


def _mean_fall(cells: Cells, p: Floats) -> tuple[Floats, Floats]:
    """A lower bound on the mean of 1 - e^(left edge - L) in each cell, and how much of it is doubt."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        least = np.maximum(p, 1e-320)
        if cells.gap is None or cells.gap_error is None:
            # Both masses and their quotient are rounded, and then the difference.
            fall = lowered(1.0 - raised((cells.q[1:] + cells.q_error[1:]) / least, 3), 1)
            doubt = (2 * cells.p_error[1:] + 2 * cells.q_error[1:]) / least
        else:
            fall = lowered((cells.gap[1:] - cells.gap_error[1:]) / (p + 2.0 * cells.p_error[1:]), 4)
            doubt = (2 * cells.gap_error[1:] + 2 * cells.p_error[1:] * np.maximum(fall, 0.0)) / least
    fall = np.where(p > 0.0, np.clip(fall, 0.0, 1.0), 0.0)
    return fall, np.minimum(np.where(p > 0.0, doubt, 0.0), 2.0**-30)


def grid_cells(loss: PrivacyLoss, step: Fraction, first: int, last: int, offset: Fraction) -> Cells:
    """The masses of a loss between the edges of a grid: what both of its measures there are made from.

    Masses or errors that are no numbers are refused: a bound made of them would bound nothing.
    """
    if last < first:
        raise GridTooLarge("losses are so small that no edge of a grid lies among them")
    return known_cells(loss, _edges(step, first, last, offset))


def known_cells(loss: PrivacyLoss, edges: Floats) -> Cells:
    """The masses of a loss between any edges, all of which are numbers."""
    cells = loss.cells(edges)
    arrays = (cells.p, cells.q, cells.p_error, cells.q_error, cells.gap, cells.gap_error)
    if not all(array is None or bool(np.all(np.isfinite(array))) for array in arrays) or not math.isfinite(cells.slack):
        raise GridTooLarge("a loss has masses between these edges that doubles cannot hold")
    return cells


def _edges(step: Fraction, first: int, last: int, offset: Fraction) -> Floats:
    edges: Floats = float(offset) + float(step) * np.arange(first, last + 1, dtype=np.float64)
    return edges


def _slack(edges: Floats, offset: Fraction) -> float:
    """Atoms within 16 roundoffs of an edge count as on it; edges themselves are off by three roundings."""
    reach = 1.0 + abs(float(offset)) + max(abs(float(edges[0])), abs(float(edges[-1])))
    return Ball.rounded(0.0, 64.0, reach).radius
