"""Readings from laws that are added up mass by mass, on a lattice that is laid where the reading is decided.

Where to lay it is found by reading coarse lattices first. Any lattice gives valid ends, only wider ones.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cached_property, lru_cache, partial, reduce

import numpy as np
from attrs import define, evolve, field, frozen

from accountant.errors import GridTooLarge
from accountant.loss.engine.direct_laws import (
    bulk_offset,
    fine_law,
    graded_fine,
    graded_merged,
    graded_spread,
    merged_law,
    spread_law,
)
from accountant.loss.engine.direct_sum import FineLaw, Frame, Law, MergedLaw, SpreadLaw, times
from accountant.loss.engine.graded_sum import BASE, GradedLaw, grade, graded_times
from accountant.loss.engine.grid_choice import common_step
from accountant.loss.readings.base import PrivacyLoss
from accountant.loss.readings.inversion import crossing
from accountant.loss.readings.precision import Excess, narrower
from accountant.numbers.interval import Interval

Sides = Sequence[tuple[PrivacyLoss, int]]

_FEW_POINTS, _MOST_POINTS = 512, 8192
_LARGEST_COUNT, _MOST_PARTS = 2**18, 8
_MANY, _MOST_OF_MANY = 2048, 3072
_LOG_TAIL, _LOG_COMMON = -30.0, -3.0
_FARTHEST = 300.0
_ROUNDS = 24
_FINE = 2.0**-6
_NEGLIGIBLE = 1e-8
_HOPELESS, _NEARLY, _BESIDE = 300.0, 3.0, 64.0
_NEAREST, _NARROWEST = 2.0**-60, 2.0**-120
_STEPS, _KEPT = 32.0, 16
_HELD_BITS, _HELD, _HELD_MORE = 36, 2.0**-12, 3.0
"""So many bits leave doubles that hold all multiples of a step, and atoms so much of a step away from one; for which there
may be so many times as many points."""


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

    def within(self, other: Window) -> Window:
        """The window, a little larger so that its ends are round numbers, but not larger than another one.

        Readings close to one another then have the same windows, and share laws.
        """
        width = self.top - self.bottom
        if not _NARROWEST < width < math.inf:
            return self
        step = 2.0 ** math.floor(math.log2(width / _STEPS))
        bottom = min(self.bottom, step * math.floor(self.bottom / step))
        top = max(self.top, step * math.ceil(self.top / step))
        return evolve(self, bottom=max(bottom, other.bottom), top=min(top, other.top))


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
        single = max(max(map(abs, loss.window(_LOG_TAIL))) for loss, _ in self.above)
        spread = math.sqrt(sum(count * max(map(abs, loss.window(_LOG_COMMON))) ** 2 for loss, count in self.above))
        reach = min(2.0 * max(single, spread, epsilon), _FARTHEST / 2.0)
        return Window(-reach, reach).within(Window(-_FARTHEST, _FARTHEST))

    @cached_property
    def largest(self) -> float:
        """The largest loss that is possible."""
        return math.fsum(count * loss.supremum().upper for loss, count in self.above)

    @cached_property
    def summit(self) -> float:
        """The same of losses that are bounded, and about what the others lose beside them."""
        return math.fsum(
            count * (top if (top := loss.supremum().upper) < math.inf else sum(loss.window(_LOG_COMMON)) / 2.0)
            for loss, count in self.above
        )

    @property
    def many(self) -> bool:
        """Whether some part has very many copies."""
        return any(_graded(loss, count) for loss, count in self.above)

    @cached_property
    def upper(self) -> Callable[[Window], SpreadLaw]:
        """The law of all losses together that upper ends are read from, in a window."""
        return lru_cache(maxsize=_KEPT)(partial(_whole, spread_law, graded_spread, self.above))

    @cached_property
    def lower(self) -> Callable[[Window], MergedLaw | FineLaw]:
        """The law of all losses together that lower ends are read from, in a window."""

        def law(window: Window) -> MergedLaw | FineLaw:
            if max(-window.bottom, window.top) < _FINE:
                return _whole(fine_law, graded_fine, self.below, window)
            return _whole(merged_law, graded_merged, self.below, window)

        return lru_cache(maxsize=_KEPT)(law)


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

    def to(self, excess: Excess, precision: float, *, brief: bool = False) -> Interval | None:
        """The reading, refined until it is precise enough or more would not help; None where there is none.

        A brief one ends with what few points say, unless that is nearly precise enough.
        """
        while not self.over and (self.best is None or (now := excess(self.best, precision)) > 1.0):
            dear = self.window.graded or self.window.points > 4 * _FEW_POINTS
            if brief and dear and (self.best is None or now > _NEARLY):
                break
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
        # Next to the largest loss of all, every release loses nearly as much as it can; and all that are bounded, where
        # the others hardly count.
        least, largest = self.least(self.best), self.direct.largest
        plain, above = not window.from_largest and not window.graded, least - float(upper.offset)
        if plain and 0.0 < 2.0 * (largest - least) < above:
            self.over = False
            self.window = Window(least, 2.0 * largest - least, from_largest=True)
        elif plain and now > 1.0 and _BESIDE * (apart := abs(self.direct.summit - least) + self.best.width) < above:
            self.over = False
            self.window = Window(least - 2.0 * apart, self.best.upper + 2.0 * apart, from_largest=True)
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
            self.window = evolve(window, bottom=bottom, top=top).within(window)
            if self.window.top - self.window.bottom >= 0.7 * (window.top - window.bottom):
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
    step = _short((top - bottom) / points / unit) * unit if window.graded else _held(sides, top - bottom, points)
    offsets = _offsets(sides, many, window, step)
    centre = sum((count * offset for (_, count), offset in zip(sides, offsets, strict=True)), Fraction(0))
    if not bottom <= centre <= top and not window.from_largest:
        # Where most of the sum is depends a little on the step, and has to be seen.
        width = max(top, float(centre)) - min(bottom, float(centre))
        step = _short(width / points / unit) * unit if window.graded else _held(sides, width, points)
    frame = _frame(sides, many, window, step, centre)
    laws = [
        graded_times(partial(graded, loss, frame, offset), count) if grades else times(of(loss, frame, offset), count)
        for (loss, count), offset, grades in zip(sides, offsets, many, strict=True)
    ]
    return reduce(lambda left, right: left.plus(right), laws)


def _offsets(sides: Sides, many: Sequence[int], window: Window, step: Fraction) -> list[Fraction]:
    """Where the lattice of each loss starts: at its largest loss, or where most of it is."""
    if window.from_largest:
        tops = [loss.supremum().upper for loss, _ in sides]
        return [
            Fraction(top) if top < math.inf else bulk_offset(loss, step) for (loss, _), top in zip(sides, tops, strict=True)
        ]
    return [
        _offset(loss, step, step / BASE**grades, (window.top - window.bottom) / (8.0 * count))
        for (loss, count), grades in zip(sides, many, strict=True)
    ]


def _frame(sides: Sides, many: Sequence[int], window: Window, step: Fraction, centre: Fraction) -> Frame:
    """The points of a lattice around a centre that a window asks for; refused where they would be many more."""
    finest = (points := window.points) * float(step)
    if any(grades and _reach(loss) > 4 * finest / BASE**grades for (loss, _), grades in zip(sides, many, strict=True)):
        raise GridTooLarge("the finest lattice of these losses would have more points than that of all together")
    first, last = (Fraction(end) - centre for end in (window.bottom, window.top))
    frame = Frame(step, min(math.floor(first / step), -2), max(math.ceil(last / step), 2))
    if (frame.last - frame.first) > 4 * points or (frame.last - frame.first) * frame.size > 2.0 * _FARTHEST:
        raise GridTooLarge("most of these losses lies far from where they would be told apart")
    return frame


def _graded(loss: PrivacyLoss, count: int) -> bool:
    """Whether lattices shall get coarser with sums of so many copies: below its bulk, a loss is then on the finest only."""
    (low, high), lowest = loss.window(-3.0), loss.window(_LOG_TAIL)[0]
    return count >= _MANY and low - lowest <= high - low


def _reach(loss: PrivacyLoss) -> float:
    """How far a loss goes from its bulk down: what stands on the finest lattice of a graded sum, whatever that costs."""
    return loss.window(-3.0)[1] - loss.window(_LOG_TAIL)[0]


def _short(step: float, bits: int = 4) -> Fraction:
    """A step of few bits, at most as long."""
    scale = math.floor(math.log2(step)) + 1 - bits
    return math.floor(step / 2.0**scale) * Fraction(2) ** scale


def _held(sides: Sides, width: float, points: int) -> Fraction:
    """A step for about so many points that holds atoms but for rounding: of all losses, or of those with most copies.

    Where points are few, there may be some times as many for it. Atoms that are closer together are left out.
    """
    step, more = width / points, min(_HELD_MORE, _MOST_POINTS / points)
    known = ((count, own) for loss, count in sides if (own := loss.step()) is not None)
    lattices = sorted(((count, own) for count, own in known if more * own >= step), reverse=True)
    for held in (lattices, lattices[:1]):
        shared = common_step([own for _, own in held])
        if shared is not None and more * shared >= step:
            return _short(float(shared / max(1, round(shared / Fraction(step)))), _HELD_BITS)
    return _short(step)


def _offset(loss: PrivacyLoss, step: Fraction, finest: Fraction, most: float) -> Fraction:
    """Where a lattice counts from: about where most of a law is, and on its atoms where that is near enough."""
    bulk, own = bulk_offset(loss, finest), loss.step()
    if own is None or own < step or abs(own / step - round(own / step)) > _HELD:
        return bulk
    near = round(bulk / step) * step
    return near if abs(near - bulk) <= most else bulk


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
