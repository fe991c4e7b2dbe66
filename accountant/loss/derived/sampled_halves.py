"""The masses of a base on either side of no loss, cut finely enough to integrate convex functions over them.

Losses l > 0 of a law stand for x = e^-l, what the other law has for each unit of it. Of a cell between two losses its
masses under both laws are known, and so the mean of x in it. What is integrated over the cell is convex in x: it is largest
with all mass at the ends of the cell, and smallest with all mass at the mean. Halving a cell quarters the difference.
"""

from __future__ import annotations

import math

import numpy as np
from attrs import frozen

from accountant.loss.families.atomic import AtomicLoss
from accountant.loss.families.linear_bounds import CutLoss
from accountant.loss.families.response import ResponseLoss
from accountant.loss.readings.arrays import Floats
from accountant.loss.readings.base import ROUNDOFF, TINY, PrivacyLoss
from accountant.numbers.interval import Interval

ATOMIC = (AtomicLoss, CutLoss, ResponseLoss)
"""Bases with finitely many values, whose samples have finitely many too."""
_LOG_TAIL = -690.0
_MOST_ATOMS = 2**14
_CELLS = 1280
_ENDS = 192
_LEAST = 1e-9
"""Losses below this share of the largest are taken together at first, and so are losses that lack no more to it."""


@frozen(eq=False)
class Half:
    """One law at losses above 0, in cells: what each may hold at its ends at most, and at which mean at least.

    Guarantee: for every function of losses l > 0 that is convex in e^-l and does not fall in l, the integral over the law
    is at most that of `at_left` and `at_right` over the cells' `points`, and at least that of `least` at the `means`. There
    is one more point than edges, at infinity, for what lies above the last edge.
    """

    edges: Floats
    points: Floats
    means: Floats
    at_left: Floats
    at_right: Floats
    least: Floats
    at_zero: float
    """Losses up to this may count as none."""
    bounded: bool
    """Whether nothing lies above the last edge."""
    infinite: Interval

    @classmethod
    def of(cls, loss: PrivacyLoss, edges: Floats) -> Half:
        """The half of a loss that edges cut, the first of which is 0."""
        cells, infinite = loss.cells(edges), loss.infinite()
        gap, doubt = cells.gap, cells.gap_error
        if gap is None or doubt is None:
            gap, doubt = cells.p - cells.q, cells.p_error + cells.q_error + 2 * ROUNDOFF * (cells.p + cells.q)
        most, least = (cells.p + cells.p_error)[1:], np.maximum(cells.p - cells.p_error, 0.0)[1:]
        most[-1] += max(0.0, cells.infinite.upper - infinite.upper)
        # Losses may be displaced, within what rounding does to 40 roundoffs, and with them the mean of x.
        ends = np.append(edges[1:], edges[-1])
        moved = 40 * ROUNDOFF * (1.0 + ends) + cells.slack
        shrink = np.append(-np.expm1(-np.diff(edges)), 1.0)
        unsure = doubt[1:] + moved * most
        to_right = np.minimum(np.maximum(gap[1:] + unsure, 0.0) / shrink * (1.0 + 8 * ROUNDOFF), most)
        falls = np.clip((gap[1:] - unsure) / np.maximum(most, TINY) * (1.0 - 8 * ROUNDOFF), 0.0, shrink)
        bounded = float(edges[-1]) >= loss.supremum().upper
        if bounded:
            # Above the largest loss there is only what rounding put there.
            to_right[-1], least[-1] = 0.0, 0.0
        with np.errstate(divide="ignore"):
            means = np.maximum(edges - np.log1p(-falls) * (1.0 - 8 * ROUNDOFF) - moved, 0.0)
        means[-1] = max(0.0, float(edges[-1] - moved[-1]))
        return cls(
            edges=edges,
            points=np.append(edges + moved, math.inf),
            means=means,
            at_left=(most - to_right) * (1.0 + 4 * ROUNDOFF),
            at_right=to_right,
            least=least,
            at_zero=float(moved[0]),
            bounded=bounded,
            infinite=infinite,
        )


def first_edges(loss: PrivacyLoss) -> Floats:
    """Where to cut at first: at all values of a loss that has few of them, and otherwise everywhere, finer at both ends."""
    supremum = loss.supremum().upper
    top = supremum if supremum < math.inf else max(loss.window(_LOG_TAIL)[1], 0.0)
    if not 0.0 < top < 1e300:
        return np.array([0.0, 1.0])
    places = _values(loss, top)
    if places is None:
        near = top * np.geomspace(_LEAST, 1.0, _ENDS)
        places = np.concatenate([near, (top - near)[::-1], np.linspace(0.0, top, _CELLS)])
    places = places[(places > 0.0) & (places < top)]
    return np.unique(np.concatenate([[0.0], places, [top]]))


def _values(loss: PrivacyLoss, top: float) -> Floats | None:
    """All values above 0, where they are few."""
    if isinstance(loss, ATOMIC):
        losses = np.asarray(loss.atoms.losses)
        return losses if losses.size <= _MOST_ATOMS else None
    step = loss.lattice()
    if step is None or not top < _MOST_ATOMS * step:
        return None
    width = float(step)
    start = math.fmod(loss.anchor(), width)
    return start + width * np.arange(-1.0, math.ceil(top / width) + 2.0)
