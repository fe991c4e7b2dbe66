"""A replaced record of a histogram on a sample of a fixed size, where another record stands in for one that is not taken.

The record is in one cell or in another, and what is taken in its place in a third: with C, A and B the laws of the noise
where that record, the first or the second is counted, the pair is (1 - rate) C + rate A against (1 - rate) C + rate B. Each
cell has noise of its own, so the likelihood ratios depend on the losses of three cells, and of these on two differences.
See docs/explanation/sampling.md.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from typing import ClassVar

import numpy as np
from attrs import frozen

from accountant.loss.derived.masses import Masses
from accountant.loss.derived.merged import MergedLoss, Outcomes
from accountant.loss.families.atomic import AtomicLoss, Atoms
from accountant.loss.families.two_sided import BracketLoss
from accountant.loss.readings.arrays import Floats
from accountant.loss.readings.base import Cells, PrivacyLoss
from accountant.numbers.interval import Interval
from accountant.numbers.rounding import Ball, Balls, binned, exp, expm1, joined, log1p, lowered, raised, total

_PARTS = 96
"""Into how many parts the losses of a cell are cut on each side of 0, at most."""
_ATOMS = 1024
_FEW = 256
_LOG_TAIL = -46.0
_RAREST = Fraction(1, 10**6)
"""At lower rates the losses are too small to be told apart by doubles that are off by rounding."""


@lru_cache(maxsize=64)
def replaced_beside(cell: PrivacyLoss, rate: Fraction) -> PrivacyLoss | None:
    """The loss, from both sides, where three cells have noise that loses `cell` by a record. None where it is not known."""
    known = cell.dominating() is cell and cell.dominated() is cell and cell.reverse() is cell
    if not known or not _RAREST <= rate < 1 or cell.infinite().upper > 0.0:
        return None
    parts = _Parts.of(cell)
    return None if parts is None else BracketLoss(_Beside(parts, rate), MergedLoss(_Told(parts, rate), _FEW))


@frozen(eq=False)
class _Parts:
    """The losses of a cell between edges in equal steps, as far as nearly all of both laws is."""

    edges: Floats
    cells: Cells
    bounded: bool

    @classmethod
    def of(cls, cell: PrivacyLoss) -> _Parts | None:
        last = cell.supremum().upper
        top = last if math.isfinite(last) else cell.window(_LOG_TAIL)[1]
        if not 1e-6 < top < 200.0:
            return None
        # Edges are on the last loss and on all atoms, where these are on a lattice that is not too fine.
        atoms = 1 if cell.step() is None else round(top / float(cell.step() or 1))
        count = atoms if cell.lattice() is not None else atoms * (_PARTS // max(atoms, 1))
        count = count if 0 < count <= _PARTS else _PARTS
        edges = (top / count) * np.arange(-count - 1, count + 1, dtype=np.float64)
        return cls(edges, cell.cells(edges), bounded=math.isfinite(last))

    @property
    def left_out(self) -> float:
        """More than what either law has beyond the edges: they are each other's mirror image."""
        if self.bounded:
            return 0.0
        ends = [0, -1]
        return total(Balls(self.cells.p[ends], self.cells.p_error[ends])).upper

    @property
    def displaced(self) -> float:
        """By how much rounding may have moved any loss."""
        return Ball.rounded(0.0, 64.0, 1.0 + float(np.max(np.abs(self.edges)))).widened(self.cells.slack).radius

    def spread(self) -> Floats:
        """Bounds on masses of the first law on the edges, to which those between are spread: that never loses less."""
        masses = Masses.of(self.cells).part(1, -1)
        width = -expm1(Balls(-np.diff(self.edges)))
        right = Balls(np.maximum(masses.gap.upper, 0.0)) / width
        left = (Balls(masses.p.upper) - Balls(np.maximum(masses.gap.lower, 0.0)) / width).at_least(0.0)
        return (joined([left, np.zeros(1)]) + joined([np.zeros(1), right])).upper

    def merged(self) -> tuple[Balls, Balls]:
        """The masses of both laws between the edges, those of the second as far as losses may be displaced."""
        masses = Masses.of(self.cells).part(1, -1)
        return masses.p, masses.q * exp(Balls(-self.edges[:-1], self.displaced))


def _over(rows: Floats, others: Floats, weights: Floats) -> Floats:
    """sum over k of weights[k] rows[k + i] others[k + j], for all differences i and j of two places."""
    first, second = (_moved(row) for row in (rows, others))
    found: Floats = (first * weights[:, None]).T @ second
    return found


def _moved(row: Floats) -> Floats:
    """In each line the row from one place earlier on, with nothing around it."""
    rest = np.zeros(row.size - 1)
    return np.lib.stride_tricks.sliding_window_view(np.concatenate([rest, row, rest]), 2 * row.size - 1)


@frozen
class _Told(Outcomes):
    """The two laws where it is told in which part the loss of each cell lies, up to a common step."""

    parts: _Parts
    rate: Fraction
    symmetric = True

    def masses(self) -> tuple[Floats, Floats]:
        present, absent = self.parts.merged()
        rate, rest = Ball.of(self.rate), Ball.of(1 - self.rate)
        # Every mass is a sum of so many products of positive numbers, and some products more.
        rounded = present.middle.size + 16.0
        p, q = np.maximum(present.lower, 0.0), np.maximum(absent.lower, 0.0)
        first = rest.lower * _over(q, q, p) + rate.lower * _over(p, q, q)
        p, q = present.upper, absent.upper
        second = rest.upper * _over(q, q, p) + rate.upper * _over(q, p, q)
        return lowered(first, rounded).ravel(), raised(second, rounded).ravel()

    def exchanged(self) -> Outcomes:
        return self


@frozen
class _Beside(AtomicLoss):
    """A loss that dominates: cells with more to tell, and their losses spread to fewer."""

    symmetric: ClassVar[bool] = True
    parts: _Parts
    rate: Fraction

    def find_atoms(self) -> Atoms:
        parts, rate = self.parts, Ball.of(self.rate)
        present = parts.spread()
        absent = (Balls(present) * exp(Balls.rounded(-parts.edges, 2.0))).upper
        step, places = parts.edges[-1] - parts.edges[-2], np.arange(1 - present.size, present.size, dtype=np.float64)
        # How much more likely the answer is where the record is taken, by the difference of two losses.
        lifted = log1p(expm1(Balls.rounded(step * places, 4.0)) * rate)
        logs = lifted.middle
        # Masses may be too large, losses are what they are: adding mass never loses less.
        sums = Balls.rounded(_over(absent, absent, present), present.size + 16.0)
        masses = (sums * exp(Balls(logs[:, None]))).upper
        # Losses are raised by more than all that they are off by.
        off = 4.0 * parts.displaced + 2.0 * float(np.max(lifted.radii))
        off = Ball.rounded(0.0, 256.0, 1.0 + float(np.max(np.abs(logs)))).widened(off).radius
        losses = logs[:, None] - logs[None, :]
        edges, spread = _spread(losses.ravel(), masses.ravel())
        lost = (Ball(parts.left_out) * 3.0).upper
        told = Interval(lost, lost)
        kept = spread > 0.0
        return Atoms((Balls(edges[kept]) + off).upper, spread[kept], np.zeros(int(kept.sum())), told, told, grain=0.0)


def _spread(losses: Floats, masses: Floats) -> tuple[Floats, Floats]:
    """Edges, closer to each other near 0, and bounds on the masses after all are spread to them."""
    top = float(np.max(np.abs(losses)))
    usual = math.sqrt(float(np.sum(masses * np.square(losses)) / np.sum(masses))) / 4.0
    turns = math.asinh(top / usual)
    edges = usual * np.sinh(np.linspace(-turns, turns, 2 * _ATOMS + 1))
    places = np.arcsinh(losses / usual)
    places += turns
    places *= _ATOMS / turns
    index = np.clip(places.astype(np.int64), 0, 2 * _ATOMS - 1)
    left, widths = edges[index], np.diff(edges)[index]
    shares = np.clip(np.expm1(np.minimum(left - losses, 0.0)) / np.expm1(-widths), 0.0, 1.0)
    moved, stays = Balls(masses) * shares, (1.0 - Balls(shares)) * masses
    sums = joined([binned(index, stays, 2 * _ATOMS), np.zeros(1)]) + joined([np.zeros(1), binned(index, moved, 2 * _ATOMS)])
    return edges, sums.upper
