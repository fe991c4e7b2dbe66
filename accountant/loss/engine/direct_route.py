"""Readings from laws that are added up mass by mass, on a lattice that is laid where the reading is decided.

Where to lay it is found by reading coarse lattices first. Any lattice gives valid ends, only wider ones.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cached_property, partial, reduce

import numpy as np
from attrs import define, evolve, field, frozen

from accountant.errors import GridTooLarge
from accountant.loss.engine.direct_sum import FineLaw, Frame, Law, MergedLaw, SpreadLaw, times
from accountant.loss.engine.graded_sum import BASE, GradedLaw, grade, graded_times
from accountant.loss.engine.grid import dominating_measure, grid_cells, known_cells
from accountant.loss.readings.arrays import Floats
from accountant.loss.readings.base import Cells, PrivacyLoss
from accountant.loss.readings.inversion import crossing
from accountant.loss.readings.precision import Excess, narrower
from accountant.numbers.interval import Interval
from accountant.numbers.rounding import TINY, Ball, Balls, linear, lowered, raised

Sides = Sequence[tuple[PrivacyLoss, int]]

_FEW_POINTS, _MOST_POINTS = 512, 8192
_LARGEST_COUNT, _MOST_PARTS = 2**18, 8
_MANY, _MOST_OF_MANY = 2048, 3072
_LOG_TAIL = -30.0
_FARTHEST = 300.0
_ROUNDS = 24
_FINE = 2.0**-6
_NEGLIGIBLE = 1e-8
_HOPELESS = 300.0
_NEAREST, _NARROWEST = 2.0**-60, 2.0**-120


def spread_law(loss: PrivacyLoss, frame: Frame, offset: Fraction) -> SpreadLaw:
    """The law of one loss on a lattice, spread between its points."""
    first, last = _range(loss, frame, offset)
    cells = grid_cells(loss, frame.step, first, last, offset)
    measure = dominating_measure(loss, frame.step, first, last, offset, cells)
    slack = _slack(cells, frame, offset, first, last)
    return SpreadLaw(frame, offset, measure.start, measure.masses, float(measure.infinite), slack)


def merged_law(loss: PrivacyLoss, frame: Frame, offset: Fraction) -> MergedLaw:
    """What is seen of one loss through the number of the nearest point of a lattice."""
    first, last, left, edges, cells = _numbered(loss, frame, offset)
    p, q, above = _merged(cells, edges)
    return MergedLaw(frame, offset, first, p, q, above, _slack(cells, frame, left, first, last + 1))


def _merged(cells: Cells, edges: Floats) -> tuple[Floats, Floats, tuple[float, float]]:
    """Masses of P that are not too large and of Q that are not too small from each edge on, and those above the last."""
    p = lowered(np.maximum(cells.p - cells.p_error, 0.0)[1:], 1)
    # Masses of Q come in units of the left end of their cell; more of them is a move down. A sum, a product, and a function
    # that is granted 8 roundings.
    q = raised((cells.q + cells.q_error)[1:] * np.exp(-edges), 10)
    above = lowered(float(p[-1]) + max(cells.infinite.lower, 0.0), 1)
    return p[:-1], q[:-1], (above, float(q[-1]))


def fine_law(loss: PrivacyLoss, frame: Frame, offset: Fraction) -> FineLaw:
    """The same by what Q's masses lack to P's."""
    first, last, left, edges, cells = _numbered(loss, frame, offset)
    p, gaps, above = _gapped(cells, edges)
    return FineLaw(frame, offset, first, p, gaps, above, _slack(cells, frame, left, first, last + 1))


def _gapped(cells: Cells, edges: Floats) -> tuple[Floats, Floats, tuple[float, float]]:
    """Masses of P and gaps that are not too large from each edge on, and those above the last."""
    p = Balls(cells.p[1:], cells.p_error[1:])
    # Gaps are counted from the left end of each cell: from 0 they are more by what that end is worth. Functions are granted
    # 8 roundings.
    unit, rise = Balls.rounded(np.exp(-edges), 8.0), Balls.rounded(-np.expm1(-edges), 8.0)
    seen = linear((rise, p), (unit, _gap(cells)))
    masses = lowered(np.maximum(p.middle - p.radius, 0.0), 1)
    # Less mass in the same proportion, which is rounded, then a gap that is not too large.
    share = np.where(p.middle > 0.0, masses / np.maximum(p.middle, TINY), 0.0)
    gaps = Balls.rounded(seen.middle * share, 2.0).widened(seen.radius).lower
    infinite = max(cells.infinite.lower, 0.0)
    above = (lowered(float(masses[-1]) + infinite, 1), (Ball(float(gaps[-1])) + infinite).lower)
    return masses[:-1], gaps[:-1], above


def _numbered(loss: PrivacyLoss, frame: Frame, offset: Fraction) -> tuple[int, int, Fraction, Floats, Cells]:
    """The numbers that are told apart, and the cells around these points with their left ends."""
    first, last = _range(loss, frame, offset)
    left = offset - frame.step / 2
    edges: Floats = float(left) + frame.size * np.arange(first, last + 2, dtype=np.float64)
    return first, last, left, edges, grid_cells(loss, frame.step, first, last + 1, left)


def _gap(cells: Cells) -> Balls:
    """What Q's masses lack to P's from the left end of each cell on, as the family knows it or by subtraction."""
    if cells.gap is not None and cells.gap_error is not None:
        return Balls(cells.gap[1:], cells.gap_error[1:])
    return Balls(cells.p[1:], cells.p_error[1:]) - Balls(cells.q[1:], cells.q_error[1:])


def _range(loss: PrivacyLoss, frame: Frame, offset: Fraction) -> tuple[int, int]:
    """The numbers of the first and last point for one loss: no farther down than it goes."""
    low, _ = loss.window(-60.0)
    return max(frame.first, min(math.floor((low - float(offset)) / frame.size) - 1, frame.last - 1)), frame.last


def graded_spread(loss: PrivacyLoss, frame: Frame, offset: Fraction, exponent: int) -> GradedLaw[SpreadLaw]:
    """`spread_law` on lattices that are finer the closer to the offset."""
    scales = _scales(loss, frame, offset, exponent)
    # Each lattice goes on from where the one before it ends.
    places = [np.arange(first + (k > 0), last + 1) for k, (_, first, last) in enumerate(scales)]
    edges = np.concatenate([float(offset) + one.size * at for (one, _, _), at in zip(scales, places, strict=True)])
    cells = known_cells(loss, edges)
    slack, laws, begin = _slack(cells, frame, offset, min(scales[0][1], 0), frame.last), [], 0
    for (one, first, last), at in zip(scales, places, strict=True):
        end = begin + at.size
        measure = dominating_measure(loss, one.step, first, last, offset, _between(cells, begin, end))
        laws.append(SpreadLaw(one, offset, measure.start, measure.masses, float(measure.infinite), slack))
        begin = end
    return GradedLaw(tuple(reversed(laws)))


def graded_merged(loss: PrivacyLoss, frame: Frame, offset: Fraction, exponent: int) -> GradedLaw[MergedLaw]:
    """`merged_law` on lattices that are finer the closer to the offset."""
    scales, edges, cells, slack = _graded_numbers(loss, frame, offset, exponent)
    p, q, above = _merged(cells, edges)
    return GradedLaw(
        tuple(
            MergedLaw(one, offset, first, p[part], q[part], above if one is frame else (0.0, 0.0), slack)
            for one, first, part in reversed(scales)
        )
    )


def graded_fine(loss: PrivacyLoss, frame: Frame, offset: Fraction, exponent: int) -> GradedLaw[FineLaw]:
    """`fine_law` on lattices that are finer the closer to the offset."""
    scales, edges, cells, slack = _graded_numbers(loss, frame, offset, exponent)
    p, gaps, above = _gapped(cells, edges)
    return GradedLaw(
        tuple(
            FineLaw(one, offset, first, p[part], gaps[part], above if one is frame else (0.0, 0.0), slack)
            for one, first, part in reversed(scales)
        )
    )


def _scales(loss: PrivacyLoss, frame: Frame, offset: Fraction, exponent: int) -> list[tuple[Frame, int, int]]:
    """The finest lattice first, each one `BASE` times as coarse as the one before, with its first and last number in use.

    Each is long enough for sums of two, the last one is the frame.
    """
    joint = max(1, frame.last // BASE)
    found: list[tuple[Frame, int, int]] = []
    for power in range(exponent, 0, -1):
        one = Frame(frame.step / BASE**power, BASE * frame.first, 2 * max(frame.last, BASE * joint))
        found.append((one, joint if found else _range(loss, one, offset)[0], BASE * joint))
    return [*found, (frame, joint, frame.last)]


def _graded_numbers(
    loss: PrivacyLoss, frame: Frame, offset: Fraction, exponent: int
) -> tuple[list[tuple[Frame, int, slice]], Floats, Cells, float]:
    """The lattices of `_scales` with their first number and which cells are theirs, left ends, cells, and a slack."""
    edges, scales, begin = [], [], 0
    for one, first, last in _scales(loss, frame, offset, exponent):
        # The first cell of the next lattice begins within the last cell but one of this one.
        at = np.arange(first, last + 2 if one is frame else last - BASE // 2)
        edges.append(float(offset - one.step / 2) + one.size * at)
        scales.append((one, first, slice(begin, begin + at.size - (one is frame))))
        begin += at.size
    lefts = np.concatenate(edges)
    cells = known_cells(loss, lefts)
    return scales, lefts, cells, _slack(cells, frame, offset, min(scales[0][1], 0), frame.last + 1)


def _between(cells: Cells, begin: int, end: int) -> Cells:
    """Cells between some edges, from the last one before them on: what is outside is left out, but at both ends of all."""
    whole = cells.p.size
    finite = end == whole - 1

    def cut(array: Floats) -> Floats:
        inside = array[begin:whole] if finite else np.append(array[begin:end], 0.0)
        return inside if begin == 0 else np.insert(inside, 0, 0.0)

    gap, gap_error = (None if array is None else cut(array) for array in (cells.gap, cells.gap_error))
    p, q, p_error, q_error = (cut(array) for array in (cells.p, cells.q, cells.p_error, cells.q_error))
    infinite = cells.infinite if finite else Interval.of(0)
    return Cells(p, q, p_error, q_error, infinite, gap, gap_error, cells.slack, cells.counted)


def _slack(cells: Cells, frame: Frame, offset: Fraction, first: int, last: int) -> float:
    """How far rounding may have displaced a loss; edges themselves are off by three roundings."""
    reach = abs(float(offset)) + frame.size * max(abs(first), abs(last))
    return Ball.rounded(cells.slack, *((8.0, reach) if cells.counted else (64.0, 1.0 + reach))).upper


def bulk_offset(loss: PrivacyLoss, step: Fraction) -> Fraction:
    """Where a lattice counts from: the mean of most of the law, or of what lies within half a step of it if that is more.

    Any value is sound. A bulk narrower than a step is then held by one point, and lower ends lose nothing to it.
    """
    low, high = loss.window(-3.0)
    wide = high - low > float(step)
    half = 0.501 * (high - low) if wide else 0.5 * float(step)
    place = 0.5 * (low + high)
    for _ in range(1 if wide else 8):
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


@frozen
class Window:
    """Losses between which sums are told apart, by about how many points, and whether laws count from the largest one.

    Where it is graded, lattices get coarser with sums of many copies.
    """

    bottom: float
    top: float
    points: int = _FEW_POINTS
    from_largest: bool = False
    graded: bool = False


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
            if not all(_NEAREST < max(map(abs, loss.window(_LOG_TAIL))) <= _FARTHEST for loss in losses):
                return None
        return cls(above, below)

    def delta(self, epsilon: float) -> Search:
        """Delta at an epsilon."""

        def read(upper: SpreadLaw, lower: MergedLaw | FineLaw, point: float) -> Interval:
            most = upper.delta(point)
            return Interval(min(most, lower.delta(point)), most)

        return Search(
            self, read, lambda law: (epsilon, law.delta(epsilon)), lambda found: epsilon, self._around(abs(epsilon))
        )

    def epsilon(self, target: Fraction) -> Search:
        """The smallest epsilon at a delta."""
        most = float(target)

        def read(upper: SpreadLaw, lower: MergedLaw | FineLaw, guess: float) -> Interval:
            return crossing(upper.delta, lower.delta, target, max(guess, 1e-300), 2.0**-28)

        return Search(self, read, lambda law: (_solved(law, most), most), lambda found: found.lower, self._around(0.0))

    def _around(self, epsilon: float) -> Window:
        """Where to begin: as far as a single loss goes, the spread of many, or an epsilon."""
        ends = [(max(map(abs, loss.window(_LOG_TAIL))), count) for loss, count in self.above]
        reach = min(2.0 * max(math.sqrt(sum(count * end**2 for end, count in ends)), epsilon), _FARTHEST)
        return Window(-reach, reach)

    @cached_property
    def largest(self) -> float:
        """The largest loss that is possible."""
        return math.fsum(count * loss.supremum().upper for loss, count in self.above)

    @property
    def many(self) -> bool:
        """Whether some part has very many copies."""
        return any(_graded(loss, count) for loss, count in self.above)

    def upper(self, window: Window) -> SpreadLaw:
        """The law of all losses together that upper ends are read from."""
        return _whole(spread_law, graded_spread, self.above, window)

    def lower(self, window: Window) -> MergedLaw | FineLaw:
        """The law of all losses together that lower ends are read from."""
        if max(-window.bottom, window.top) < _FINE:
            return _whole(fine_law, graded_fine, self.below, window)
        return _whole(merged_law, graded_merged, self.below, window)


Read = Callable[[SpreadLaw, MergedLaw | FineLaw, float], Interval]
"""A reading from two laws, near an epsilon."""


@define(eq=False)
class Search:
    """A reading on lattices that close in on where it is decided, and then get finer until it is precise enough."""

    direct: Direct
    read: Read
    place: Callable[[SpreadLaw], tuple[float, float]]
    """About the epsilon at which a law is read, and delta there."""
    least: Callable[[Interval], float]
    """An epsilon that is not above the one at which it is read, from what is known."""
    window: Window
    _start: Window = field(init=False)
    best: Interval | None = field(default=None, init=False)
    _seen: Interval | None = field(default=None, init=False)
    over: bool = field(default=False, init=False)

    def __attrs_post_init__(self) -> None:
        self._start = self.window

    def to(self, excess: Excess, precision: float) -> Interval | None:
        """The reading, refined until it is precise enough or more would not help; None where there is none."""
        while not self.over and (self.best is None or excess(self.best, precision) > 1.0):
            try:
                self._refine(excess, precision)
            except GridTooLarge:
                self.over = True
            if self.over and not self.window.graded and self.direct.many:
                # What one lattice for all sums did not tell may be told by several.
                self.over, self.window, self._seen = False, evolve(self._start, graded=True), None
        return self.best

    def _refine(self, excess: Excess, precision: float) -> None:
        """One more lattice, in the window that coarser ones say is right."""
        upper, point, window = self._settled()
        found = self.read(upper, self.direct.lower(window), point)
        if not math.isfinite(found.upper):
            raise GridTooLarge("a reading lies beyond where losses are told apart")
        before = math.inf if self._seen is None else excess(self._seen, precision)
        self.best, self._seen = narrower(self.best, found), narrower(self._seen, found)
        now = excess(self._seen, precision)
        # Four times as many points make a reading about sixteen times as sharp, or it is not for lattices like this.
        points, most = 4 * window.points, _MOST_OF_MANY if window.graded else _MOST_POINTS
        # Of very many copies every point costs more, and the last lattice is one that is just affordable.
        points = most if window.points < most < min(points, _MOST_POINTS) else points
        self.over = points > most or (points > 4 * _FEW_POINTS and now > _HOPELESS) or now > 0.7 * before
        # Next to the largest loss of all, every release loses nearly as much as it can.
        least, largest = self.least(self.best), self.direct.largest
        if not window.from_largest and not window.graded and 0.0 < 2.0 * (largest - least) < least - float(upper.offset):
            self.over = False
            self.window = Window(least, 2.0 * largest - least, from_largest=True)
        else:
            self.window = evolve(self.window, points=points)

    def _settled(self) -> tuple[SpreadLaw, float, Window]:
        """The upper law in a window that need not be much smaller, the epsilon at which it is read, and that window."""
        for _ in range(_ROUNDS):
            window = self.window
            upper = self.direct.upper(window)
            point, level = self.place(upper)
            if point >= upper.losses[-1] and window.top < _FARTHEST:
                self.window = evolve(
                    window, bottom=max(4.0 * window.bottom, -_FARTHEST), top=min(4.0 * window.top, _FARTHEST)
                )
                continue
            bottom, top = _decisive(upper, point, level)
            if self.best is not None:
                # A coarse law is read higher up than it is decided.
                bottom = min(bottom, self.least(self.best))
            bottom, top = max(bottom, window.bottom), min(top, window.top)
            self.window = evolve(window, bottom=bottom, top=top)
            if top - bottom >= 0.7 * (window.top - window.bottom):
                break
        return upper, point, window


def _whole(
    of: Callable[[PrivacyLoss, Frame, Fraction], Law],
    graded: Callable[[PrivacyLoss, Frame, Fraction, int], GradedLaw[Law]],
    sides: Sides,
    window: Window,
) -> Law:
    """The law of all losses together, told apart in a window: of many copies, the more closely the fewer there are."""
    bottom, top, points = window.bottom, window.top, window.points
    if not top - bottom > _NARROWEST:
        raise GridTooLarge("these losses are told apart nowhere that doubles reach")
    many = [grade(1, count) if window.graded and _graded(loss, count) else 0 for loss, count in sides]
    unit = BASE ** max(many)
    step = _short((top - bottom) / points / unit) * unit
    if window.from_largest:
        offsets = [Fraction(loss.supremum().upper) for loss, _ in sides]
    else:
        offsets = [bulk_offset(loss, step / BASE**grades) for (loss, _), grades in zip(sides, many, strict=True)]
    centre = sum((count * offset for (_, count), offset in zip(sides, offsets, strict=True)), Fraction(0))
    if not bottom <= centre <= top and not window.from_largest:
        # Where most of the sum is depends a little on the step, and has to be seen.
        step = _short((max(top, float(centre)) - min(bottom, float(centre))) / points / unit) * unit
    first, last = math.floor((Fraction(bottom) - centre) / step), math.ceil((Fraction(top) - centre) / step)
    frame = Frame(step, min(first, -2), max(last, 2))
    if (frame.last - frame.first) > 4 * points or (frame.last - frame.first) * frame.size > 2.0 * _FARTHEST:
        raise GridTooLarge("most of these losses lies far from where they would be told apart")
    laws = [
        graded_times(partial(graded, loss, frame, offset), count) if grades else times(of(loss, frame, offset), count)
        for (loss, count), offset, grades in zip(sides, offsets, many, strict=True)
    ]
    return reduce(lambda left, right: left.plus(right), laws)


def _graded(loss: PrivacyLoss, count: int) -> bool:
    """Whether lattices shall get coarser with sums of so many copies: below its bulk, a loss is then on the finest only."""
    (low, high), lowest = loss.window(-3.0), loss.window(_LOG_TAIL)[0]
    return count >= _MANY and low - lowest <= high - low


def _short(step: float) -> Fraction:
    """A step of four bits, at most as long."""
    scale = math.floor(math.log2(step)) - 3
    return math.floor(step / 2.0**scale) * Fraction(2) ** scale


def _decisive(law: SpreadLaw, epsilon: float, level: float) -> tuple[float, float]:
    """About between which losses sums have to be told apart for delta at an epsilon, where it is about a level.

    What is below the bottom hardly ever comes back to epsilon, and neither does what is above the top.
    """
    losses, deltas, size = law.losses, law.deltas(), law.frame.size
    below = np.cumsum(law.masses)
    here, before = np.interp([epsilon, epsilon - 8.0 * size], losses, deltas).tolist()
    # Beyond the top, delta falls at least half as fast as it does at epsilon, or as it may.
    slope = 0.5 * (math.log(before) - math.log(here)) / (8.0 * size) if before > here > 0.0 else 0.0
    # Sums of some releases are counted from the offset: those of the others have to make up for what they lack to it.
    gain = epsilon + float(law.offset) - losses
    back = np.interp(gain, losses, deltas, left=1.0)
    back = np.where(gain > losses[-1], np.maximum(here * np.exp(slope * np.minimum(epsilon - gain, 0.0)), back), back)
    back, here = back * below, max(level, 1e-290) * _NEGLIGIBLE
    down = np.interp(gain, losses, below) * deltas
    low = losses[(losses < epsilon) & (back < here)]
    high = losses[(losses > epsilon) & (down < here)]
    bottom = float(low[-1]) if low.size else float(losses[0])
    top = float(high[0]) if high.size else float(losses[-1])
    centre = float(law.offset)
    return min(bottom, centre) - 4.0 * size, max(top, centre) + 4.0 * size


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
