"""A composed loss on finitely many values: from above, and from below.

What is done to a release as a whole, such as showing it a sample, needs both laws of its pair, where a composition is known
by its curve only. A law on a grid takes its place. See docs/explanation/sampling.md.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from attrs import frozen

from accountant.loss.derived.masses import Masses
from accountant.loss.derived.merged import under
from accountant.loss.engine.composition import ComposedLoss
from accountant.loss.engine.convolution import infinite_mass
from accountant.loss.engine.grid import grid_range
from accountant.loss.engine.grid_choice import aligned
from accountant.loss.families.atomic import AtomicLoss, Atoms, ReversedAtoms
from accountant.loss.families.linear_bounds import CutLoss
from accountant.loss.readings.arrays import Floats
from accountant.loss.readings.base import PrivacyLoss
from accountant.numbers.rounding import TINY, Ball, Balls, down, exp

_POINTS = 1024
_LOG_TAIL = -100.0
_MOST_COPIES = 64
"""Of more copies than these the law comes from a transform, and is only absolutely accurate."""


def flat_above(loss: PrivacyLoss) -> CutLoss:
    """A symmetric pair on finitely many values that dominates a loss in both orders.

    Between points of a grid delta of a law on it is linear in e^epsilon, so cuts at these points lose nothing.
    """
    sides = list(dict.fromkeys((loss, loss.reverse())))
    curves = [_Sum.of(_composed(side)) for side in sides]
    points = np.unique(np.concatenate([[0.0], *(curve.losses[curve.losses > 0.0] for curve in curves)]))
    top = max(side.supremum().upper for side in sides)
    points = points[points < top] if top > 0.0 else points
    deltas = np.maximum.reduce([curve.delta_above(points) for curve in curves])
    if 0.0 < top < math.inf:
        # From the largest loss on, only what is infinite tells: what a grid leaves beyond its end is not there.
        points, deltas = np.append(points, top), np.append(deltas, max(side.infinite().upper for side in sides))
    return CutLoss.through(points, deltas)


def flat_below(loss: PrivacyLoss) -> PrivacyLoss:
    """A loss on finitely many values that a loss dominates; of very many parts, one alone."""
    whole = _composed(loss)
    return whole.parts[0][0].dominated() if whole.copies > _MOST_COPIES else FlatLoss(whole)


def _composed(loss: PrivacyLoss) -> ComposedLoss:
    return loss if isinstance(loss, ComposedLoss) else ComposedLoss.of([(loss, 1)])


@frozen
class FlatLoss(AtomicLoss):
    """The loss of a composition after its outcomes are merged: those of each part by cells, those of the sum by its cell.

    Guarantee: every reading is at most that of the composition. Masses are rounded down and losses too.
    """

    source: ComposedLoss

    def reverse(self) -> PrivacyLoss:
        back = self.source.reverse()
        return FlatLoss(back) if back is not self.source and isinstance(back, ComposedLoss) else self

    def exchanged(self) -> PrivacyLoss:
        return ReversedAtoms(self)

    def find_atoms(self) -> Atoms:
        grid, step = self.source._grid, _step(self.source)
        p, q, kept, terms = np.ones(1), np.ones(1), Ball(1.0), 0.0
        for side, count in grid._sides(False):
            merged = _merged(side, step)
            for _ in range(count):
                # A sum of so many products, none negative.
                terms += 1.0 + min(p.size, merged[0].size)
                p, q = np.convolve(p, merged[0]), np.convolve(q, merged[1])
                kept = kept * (1.0 - Ball(merged[2]))
        # Products that underflow lose far less than this.
        present = (p > TINY) & (q > TINY)
        return under(Balls.rounded(p[present], terms), Balls.rounded(q[present], terms), max(0.0, (1.0 - kept).lower))


def _merged(loss: PrivacyLoss, step: Fraction) -> tuple[Floats, Floats, float]:
    """Masses in cells of a grid: lower bounds on those of P, upper ones on those of Q, and a lower one at infinity."""
    offset = aligned(loss, step)
    first, last = grid_range(loss, step, _LOG_TAIL, offset)
    edges = float(offset) + float(step) * np.arange(first, last + 1, dtype=np.float64)
    cells = loss.cells(edges)
    masses = Masses.of(cells)
    p = np.maximum(masses.p.lower, 0.0)
    # Masses of Q come in units of their left edge, which rounding may have displaced.
    left = np.concatenate([edges[:1], edges])
    places = Balls.rounded(left, 64.0, 1.0 + np.abs(left)).widened(4.0 * cells.slack)
    # Below the first edge Q has what all else leaves; P's own mass there counts for nothing.
    p[0] = 0.0
    return p, (masses.q * exp(-places)).upper, max(cells.infinite.lower, 0.0)


@frozen(eq=False)
class _Sum:
    """A law on a grid that dominates a sum: masses are rounded up, and `slack` bounds how far a loss may be displaced."""

    losses: Floats
    masses: Floats
    infinite: float
    slack: float

    @classmethod
    def of(cls, loss: ComposedLoss) -> _Sum:
        grid = loss._grid
        if loss.copies > _MOST_COPIES:
            law = grid.law(grid.first_step() / 4, 0.0, _LOG_TAIL, True)
            losses = law.base + law.step * np.arange(law.size, dtype=np.float64)
            most = np.maximum(law.masses, 0.0)
            scaled = Balls(most, law.spread * most).widened(law.error) * exp(Ball(law.log_scale, law.log_doubt))
            beyond = Ball(law.infinite_upper) + law.beyond + law.stray
            return cls(losses, scaled.upper, min(beyond.upper, 1.0), law.slack)
        # Added up term by term, so that small masses keep their digits.
        step = _step(loss)
        parts = grid._measures(step, _LOG_TAIL, True)
        start, offset, masses, terms = 0, 0.0, np.ones(1), 0.0
        for measure, count in parts:
            for _ in range(count):
                # A sum of so many products, none negative.
                terms += 1.0 + min(masses.size, measure.masses.size)
                masses = np.convolve(masses, measure.masses)
                start, offset = start + measure.start, offset + float(measure.offset)
        losses = offset + float(step) * (start + np.arange(masses.size, dtype=np.float64))
        # Every offset rounds once and is added once; the step rounds, is multiplied and added.
        moved = Ball.rounded(0.0, 8.0 * (loss.copies + 1), 1.0 + float(np.max(np.abs(losses))))
        slack = sum((Ball(measure.slack) * count for measure, count in parts), moved).most
        return cls(losses, Balls.evaluated(masses, terms).upper, infinite_mass(parts)[1], slack)

    def delta_above(self, points: Floats) -> Floats:
        """Upper bounds on delta at epsilons, which rise.

        Delta at one of them is made of that at the next one, h above it, of all mass beyond the next one, and of the mass
        between the two, since 1 - e^(e - l) = e^-h (1 - e^(e + h - l)) + (1 - e^-h). No term is negative. A difference is
        rounded once, an exponential and what it lacks to 1 by 8 roundoffs, and so are products and sums; what h rounds by
        is felt by as much as h in all.
        """
        ends = down(points - self.slack)
        steps = np.diff(ends)
        before = np.searchsorted(ends, self.losses, side="left") - 1
        seen = before >= 0
        place, masses, losses = before[seen], self.masses[seen], self.losses[seen]
        between = np.bincount(place, masses * -np.expm1(ends[place] - losses), ends.size)
        beyond = np.cumsum(np.bincount(place, masses, ends.size)[:0:-1])[::-1]
        kept, gained = np.exp(-steps).tolist(), (-np.expm1(-steps) * beyond).tolist()
        sums = between.tolist()
        for k in range(ends.size - 2, -1, -1):
            sums[k] += kept[k] * sums[k + 1] + gained[k]
        terms = 12.0 * ends.size + self.losses.size + float(np.sum(steps)) + 20.0
        found = Balls.evaluated(np.array(sums), terms) + self.infinite
        most: Floats = np.minimum(found.upper, 1.0)
        return most


def _step(loss: ComposedLoss) -> Fraction:
    """A step that holds a lattice where there is one, and otherwise cuts the law into many cells.

    A whole part of a step holds the atoms that the step holds.
    """
    grid = loss._grid
    step = grid.first_step()
    if grid.exact:
        return step
    low, high = loss.window(_LOG_TAIL)
    return step / max(1, math.ceil(float(step) * _POINTS / max(high - low, 1e-300)))
