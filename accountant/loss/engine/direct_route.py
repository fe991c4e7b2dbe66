"""Readings from laws that are added up mass by mass, on a lattice that is laid where the reading is decided.

Where to lay it is found by reading coarse lattices first. Any lattice gives valid ends, only wider ones.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import reduce

import numpy as np
from attrs import define, field, frozen

from accountant.errors import GridTooLarge
from accountant.loss.engine.direct_sum import FineLaw, Frame, Law, MergedLaw, SpreadLaw, times
from accountant.loss.engine.grid import dominating_measure, grid_cells
from accountant.loss.readings.arrays import Floats
from accountant.loss.readings.base import ROUNDOFF, TINY, Cells, PrivacyLoss
from accountant.loss.readings.inversion import crossing
from accountant.loss.readings.precision import narrower
from accountant.numbers.interval import Interval

Sides = Sequence[tuple[PrivacyLoss, int]]

_FEW_POINTS, _MOST_POINTS = 512, 8192
_LARGEST_COUNT, _MOST_PARTS = 2**14, 8
_LOG_TAIL = -30.0
_FARTHEST = 300.0
_ROUNDS = 24
_FINE = 2.0**-6
_NEGLIGIBLE = 1e-8


def spread_law(loss: PrivacyLoss, frame: Frame, offset: Fraction) -> SpreadLaw:
    """The law of one loss on a lattice, spread between its points."""
    first, last = _range(loss, frame, offset)
    cells = grid_cells(loss, frame.step, first, last, offset)
    measure = dominating_measure(loss, frame.step, first, last, offset, cells)
    slack = _slack(cells, frame, offset, first, last)
    return SpreadLaw(frame, offset, measure.start, measure.masses, measure.infinite, slack)


def merged_law(loss: PrivacyLoss, frame: Frame, offset: Fraction) -> MergedLaw:
    """What is seen of one loss through the number of the nearest point of a lattice."""
    first, last, left, edges, cells = _numbered(loss, frame, offset)
    factor = 1.0 - 16 * ROUNDOFF
    p = np.maximum(cells.p - cells.p_error, 0.0)[1:] * factor
    # Masses of Q come in units of the left end of their cell; more of them is a move down.
    q = (cells.q + cells.q_error)[1:] * np.exp(-edges) * (1.0 + 16 * ROUNDOFF)
    above = (float(p[-1]) + max(cells.infinite.lower, 0.0)) * factor
    return MergedLaw(frame, offset, first, p[:-1], q[:-1], (above, float(q[-1])), _slack(cells, frame, left, first, last + 1))


def fine_law(loss: PrivacyLoss, frame: Frame, offset: Fraction) -> FineLaw:
    """The same by what Q's masses lack to P's."""
    first, last, left, edges, cells = _numbered(loss, frame, offset)
    p, p_error, factor = cells.p[1:], cells.p_error[1:], 1.0 - 16 * ROUNDOFF
    gap, gap_error = _gap(cells)
    # Gaps are counted from the left end of each cell: from 0 they are more by what that end is worth.
    unit, rise = np.exp(-edges), -np.expm1(-edges)
    seen = rise * p + unit * gap
    error = np.abs(rise) * p_error + unit * gap_error + 16 * ROUNDOFF * (np.abs(rise) * p + unit * np.abs(gap))
    masses = np.maximum(p - p_error, 0.0) * factor
    # Less mass in the same proportion, then a gap that is not too large.
    seen = seen * np.where(p > 0.0, masses / np.maximum(p, TINY), 0.0) - 2.0 * error
    seen -= 16 * ROUNDOFF * np.abs(seen)
    infinite = max(cells.infinite.lower, 0.0) * factor
    top = float(seen[-1]) + infinite
    above = ((float(masses[-1]) + infinite) * factor, top - 32 * ROUNDOFF * (abs(top) + infinite))
    return FineLaw(frame, offset, first, masses[:-1], seen[:-1], above, _slack(cells, frame, left, first, last + 1))


def _numbered(loss: PrivacyLoss, frame: Frame, offset: Fraction) -> tuple[int, int, Fraction, Floats, Cells]:
    """The numbers that are told apart, and the cells around these points with their left ends."""
    first, last = _range(loss, frame, offset)
    left = offset - frame.step / 2
    edges: Floats = float(left) + frame.size * np.arange(first, last + 2, dtype=np.float64)
    return first, last, left, edges, grid_cells(loss, frame.step, first, last + 1, left)


def _gap(cells: Cells) -> tuple[Floats, Floats]:
    """What Q's masses lack to P's from the left end of each cell on, as the family knows it or by subtraction."""
    if cells.gap is not None and cells.gap_error is not None:
        return cells.gap[1:], cells.gap_error[1:]
    p, q = cells.p[1:], cells.q[1:]
    return p - q, cells.p_error[1:] + cells.q_error[1:] + 4 * ROUNDOFF * (p + q)


def _range(loss: PrivacyLoss, frame: Frame, offset: Fraction) -> tuple[int, int]:
    low, _ = loss.window(-60.0)
    last = frame.last(offset)
    first = max(frame.first(offset), min(math.floor((low - float(offset)) / frame.size) - 1, last - 1))
    return first, last


def _slack(cells: Cells, frame: Frame, offset: Fraction, first: int, last: int) -> float:
    """How far rounding may have displaced a loss; edges themselves are off by three roundings."""
    reach = abs(float(offset)) + frame.size * max(abs(first), abs(last))
    return cells.slack + ROUNDOFF * (8.0 * reach if cells.counted else 64.0 * (1.0 + reach))


def bulk_offset(loss: PrivacyLoss, step: Fraction) -> Fraction:
    """Where a lattice counts from, so that one of its points is the mean of what lies within half a step of it.

    Any value is sound. A bulk narrower than a step is then held by one point, and lower ends lose nothing to it.
    """
    half = 0.5 * float(step)
    low, high = loss.window(-1.0)
    place = loss.anchor() if high - low > half else 0.5 * (low + high)
    for _ in range(8):
        cells = loss.cells(np.array([place - half, place + half]))
        mass = float(cells.p[1])
        if not mass > 0.5:
            break
        gap = mass - float(cells.q[1]) if cells.gap is None else float(cells.gap[1])
        shift = -math.log1p(-gap / mass) - half if gap < mass else 0.0
        place += shift
        if abs(shift) <= 1e-14 * abs(place):
            break
    return Fraction(place)


@frozen(eq=False)
class Direct:
    """The parts of a composed loss as they are added up mass by mass, those of upper and those of lower ends."""

    above: Sides
    below: Sides

    @classmethod
    def of(cls, above: Sides, below: Sides) -> Direct | None:
        """The sum of these parts, if they are few enough, each alone on its cells, and not too far apart for doubles."""
        for sides in (above, below):
            losses = [loss for loss, _ in sides]
            if not losses or len(losses) > _MOST_PARTS or sum(count for _, count in sides) > _LARGEST_COUNT:
                return None
            if any(len(loss.drawn_from()) > 1 or loss.taken_apart() != ((loss, 1),) for loss in losses):
                return None
            if any(max(map(abs, loss.window(_LOG_TAIL))) > _FARTHEST for loss in losses):
                return None
        return cls(above, below)

    def delta(self, epsilon: float) -> Search:
        """Delta at an epsilon."""

        def read(upper: SpreadLaw, lower: MergedLaw | FineLaw, point: float) -> Interval:
            most = upper.delta(point)
            return Interval(min(most, lower.delta(point)), most)

        return Search(self, read, lambda law: epsilon, 2.0 * max(self.reach, abs(epsilon)))

    def epsilon(self, target: Fraction) -> Search:
        """The smallest epsilon at a delta."""
        most = float(target)

        def read(upper: SpreadLaw, lower: MergedLaw | FineLaw, guess: float) -> Interval:
            return crossing(upper.delta, lower.delta, target, max(guess, 1e-300), 2.0**-28)

        return Search(self, read, lambda law: _solved(law, most), 2.0 * self.reach)

    @property
    def reach(self) -> float:
        """How far the sum may go: a single loss, or the spread of many."""
        ends = [(max(map(abs, loss.window(_LOG_TAIL))), count) for loss, count in self.above]
        return min(math.sqrt(sum(count * end**2 for end, count in ends)), _FARTHEST)

    def upper(self, frame: Frame) -> SpreadLaw:
        """The law of all losses together that upper ends are read from."""
        return _whole(spread_law, self.above, frame)

    def lower(self, frame: Frame) -> MergedLaw | FineLaw:
        """The law of all losses together that lower ends are read from."""
        if max(-frame.bottom, frame.top) < _FINE:
            return _whole(fine_law, self.below, frame)
        return _whole(merged_law, self.below, frame)


Read = Callable[[SpreadLaw, MergedLaw | FineLaw, float], Interval]
"""A reading from two laws, near an epsilon."""


@define(eq=False)
class Search:
    """A reading on lattices that close in on where it is decided, and then get finer until it is precise enough."""

    direct: Direct
    read: Read
    place: Callable[[SpreadLaw], float]
    """About the epsilon at which a law is read."""
    top: float
    bottom: float = field(init=False)
    points: int = field(default=_FEW_POINTS, init=False)
    best: Interval | None = field(default=None, init=False)
    over: bool = field(default=False, init=False)

    def __attrs_post_init__(self) -> None:
        self.bottom = -self.top

    def to(self, precise: Callable[[Interval], float]) -> Interval | None:
        """The reading, refined until its excess over a precision is at most 1, or until more would not help."""
        while not self.over and (self.best is None or precise(self.best) > 1.0):
            try:
                self._refine(precise)
            except GridTooLarge:
                self.over = True
        return self.best

    def _refine(self, precise: Callable[[Interval], float]) -> None:
        """One more lattice, on the frame that coarser ones say is right."""
        upper, point = self._settled()
        found = self.read(upper, self.direct.lower(upper.frame), point)
        before = math.inf if self.best is None else precise(self.best)
        self.best = found if self.best is None else narrower(self.best, found)
        self.points *= 4
        now = precise(self.best)
        # Four times as many points make a reading about sixteen times as sharp, or it is not for lattices like this.
        hopeless = self.points > 4 * _FEW_POINTS and now > 100.0
        self.over = self.points > _MOST_POINTS or hopeless or now > 0.7 * before

    def _settled(self) -> tuple[SpreadLaw, float]:
        """The upper law on a frame that need not be much smaller, and the epsilon at which it is read."""
        for _ in range(_ROUNDS):
            upper = self.direct.upper(Frame(_short((self.top - self.bottom) / self.points), self.bottom, self.top))
            point = self.place(upper)
            bottom, top = _decisive(upper, point)
            if point >= upper.losses[-1] and self.top < _FARTHEST:
                self.top, self.bottom = 4.0 * self.top, 4.0 * self.bottom
                continue
            small = top - bottom < 0.7 * (self.top - self.bottom)
            self.bottom, self.top = max(bottom, self.bottom), min(top, self.top)
            if not small:
                return upper, point
        return upper, point


def _whole(of: Callable[[PrivacyLoss, Frame, Fraction], Law], sides: Sides, frame: Frame) -> Law:
    """The law of all losses together."""
    laws = [times(of(loss, frame, bulk_offset(loss, frame.step)), count) for loss, count in sides]
    return reduce(lambda left, right: left.plus(right), laws)


def _short(step: float) -> Fraction:
    """A step of four bits, at most as long."""
    scale = math.floor(math.log2(step)) - 3
    return math.floor(step / 2.0**scale) * Fraction(2) ** scale


def _decisive(law: SpreadLaw, epsilon: float) -> tuple[float, float]:
    """About between which losses sums have to be told apart for delta at an epsilon.

    What is below the bottom hardly ever comes back to epsilon, and neither does what is above the top.
    """
    losses, deltas, size = law.losses, law.deltas(), law.frame.size
    below = np.cumsum(law.masses)
    here, before = np.interp([epsilon, epsilon - 8.0 * size], losses, deltas).tolist()
    # Beyond the top, delta falls at least half as fast as it does at epsilon, or as it may.
    slope = 0.5 * math.log(before / here) / (8.0 * size) if before > here > 0.0 else 0.0
    back = np.interp(epsilon - losses, losses, deltas, left=1.0)
    back = np.where(epsilon - losses > losses[-1], np.maximum(here * np.exp(slope * np.minimum(losses, 0.0)), back), back)
    back, here = back * below, here * _NEGLIGIBLE
    down = np.interp(epsilon - losses, losses, below) * deltas
    low = losses[(losses < epsilon) & (back < here)]
    high = losses[(losses > epsilon) & (down < here)]
    bottom = float(low[-1]) if low.size else float(losses[0])
    top = float(high[0]) if high.size else float(losses[-1])
    return min(bottom, epsilon, 0.0) - 4.0 * size, max(top, 1.02 * epsilon) + 4.0 * size


def _solved(law: SpreadLaw, most: float) -> float:
    """About where an upper end meets a target: 0, or between two points of the lattice."""
    if law.delta(0.0) <= most:
        return 0.0
    size, deltas = law.frame.size, law.deltas()
    place = int(np.searchsorted(-deltas, -most))
    losses = law.losses
    if place == 0:
        return max(float(losses[0]), 0.0)
    if place == losses.size:
        return float(losses[-1])
    high, low = float(deltas[place - 1]), float(deltas[place])
    share = (high - most) / (high - low) if high > low else 0.0
    return max(float(losses[place - 1]) + share * size + law.slack, 0.0)
