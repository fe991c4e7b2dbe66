"""The masses of a base on either side of no loss, cut finely enough to integrate convex functions over them.

Losses l > 0 of a law stand for x = e^-l, what the other law has for each unit of it. Of a cell between two losses its
masses under both laws are known, and so the mean of x in it. What is integrated over the cell is convex in x: it is largest
with all mass at the ends of the cell, and smallest with all mass at the mean. Halving a cell quarters the difference.
"""

from __future__ import annotations

import math

import numpy as np
from attrs import frozen

from accountant.loss.derived.masses import Masses
from accountant.loss.families.atomic import AtomicLoss
from accountant.loss.families.linear_bounds import CutLoss
from accountant.loss.families.response import ResponseLoss
from accountant.loss.readings.arrays import Floats
from accountant.loss.readings.base import PrivacyLoss
from accountant.numbers.interval import Interval
from accountant.numbers.rounding import Ball, Balls, expm1, joined, log1p

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
        masses = Masses.of(cells).part(1)
        most, least = masses.p.upper.copy(), np.maximum(masses.p.lower, 0.0)
        if cells.infinite.upper > infinite.upper:
            most[-1] = (Ball(float(most[-1])) + cells.infinite.upper - infinite.upper).upper
        # Losses may be displaced, within what rounding does to 40 roundoffs. Where all lie higher 1 - x grows by no more
        # than that, and where all lie lower the logarithm of the mean of x does.
        ends = np.append(edges[1:], edges[-1])
        moved = Balls.rounded(ends, 40.0, 1.0 + ends).widened(cells.slack).radii
        shrink = joined([-expm1(Balls(edges[:-1]) - edges[1:]), np.ones(1)])
        farthest = np.maximum(masses.gap.widened(moved * most).upper, 0.0)
        to_right = np.minimum((Balls(farthest) / shrink).upper, most)
        falls = np.clip((Balls(masses.gap.lower) / most).lower, 0.0, shrink.lower)
        bounded = float(edges[-1]) >= loss.supremum().upper
        if bounded:
            # Above the largest loss there is only what rounding put there.
            to_right[-1], least[-1] = 0.0, 0.0
        falls[-1] = 0.0
        means = np.maximum((Balls(edges) - log1p(Balls(-falls))).widened(moved).lower, 0.0)
        return cls(
            edges=edges,
            points=np.append(Balls(edges, moved).upper, math.inf),
            means=means,
            at_left=(Balls(most) - to_right).upper,
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
