"""A composed loss on a grid of adaptive step: the route that serves every loss."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import cached_property

from attrs import field, frozen

from accountant.errors import GridTooLarge
from accountant.loss.engine.convolution import LARGEST_GRID, Parts, collected, convolve
from accountant.loss.engine.grid import Measure, dominated_measure, dominating_measure, grid_cells, grid_range, mixed
from accountant.loss.engine.grid_choice import aligned, first_step, found_tilt, shared_step, solved
from accountant.loss.engine.grid_law import GridLaw
from accountant.loss.engine.zoom_route import Zoom
from accountant.loss.families.finite import NO_LOSS
from accountant.loss.readings.base import Cells, PrivacyLoss
from accountant.loss.readings.inversion import crossing, type_two_error
from accountant.loss.readings.precision import Refinement
from accountant.numbers.interval import Interval
from accountant.progress import nearer

_LOG_TAIL = -20.0
_NEARLY = 10.0
"""Delta changes much faster than epsilon: what is known of it so many times less precisely than was asked for will do."""
_LARGEST_COUNT = 2**44
# Grids are kept for further readings as long as they have this many points together, or are few.
_KEPT_POINTS, _KEPT_GRIDS = 2**20, 4


@frozen(eq=False)
class BothSides:
    """The cells of losses that both measures on a grid are made from: computed for one side, kept for the other.

    Kept by what the loss is, not by what it equals, and only until the other side has asked.
    """

    _kept: dict[tuple[int, Fraction, int, int, Fraction], tuple[PrivacyLoss, Cells]] = field(factory=dict, init=False)

    def cells(self, loss: PrivacyLoss, step: Fraction, first: int, last: int, offset: Fraction) -> Cells:
        """The cells of a loss between the edges of a grid."""
        key = (id(loss), step, first, last, offset)
        if key in self._kept:
            return self._kept.pop(key)[1]
        cells = grid_cells(loss, step, first, last, offset)
        if sum(kept.p.size for _, kept in self._kept.values()) + cells.p.size > _KEPT_POINTS:
            self._kept.clear()
        self._kept[key] = (loss, cells)
        return cells


@frozen(eq=False)
class Gridded:
    """The parts of a composed loss, with the grids and laws that readings share."""

    parts: tuple[tuple[PrivacyLoss, int], ...]
    _laws: dict[tuple[Fraction, float, float, bool], GridLaw] = field(factory=dict, init=False)
    _zooms: dict[tuple[Fraction, float, float, bool], GridLaw | Zoom] = field(factory=dict, init=False)
    _grids: dict[tuple[Fraction, float, bool], Parts] = field(factory=dict, init=False)
    _cells: BothSides = field(factory=BothSides, init=False)

    # Readings ----------------------------------------------------------------------------------------------------------

    def delta(self, epsilon: float) -> Refinement:
        """Delta at an epsilon."""

        def read(step: Fraction) -> tuple[Interval, int]:
            tilt, log_delta = self._tilt(step, _LOG_TAIL, lambda value, slope, tilt: slope < epsilon, epsilon)
            # Readings near each other share a tilt and a grid: any will do, so both are taken from a coarse scale.
            log_tail = 16.0 * math.floor(self._log_tail(log_delta) / 16.0)
            if log_tail < _LOG_TAIL:
                tilt, _ = self._tilt(step, log_tail, lambda value, slope, tilt: slope < epsilon, epsilon)
            tilt = 2.0 ** (round(4.0 * math.log2(tilt)) / 4.0) if tilt > 0.0 else tilt
            above, below = (self._zoom(step, tilt, log_tail, side, log_tail) for side in (True, False))
            upper = above.delta_above(epsilon)
            return Interval(min(upper, below.delta_below(epsilon)), upper), self._points(step, log_tail, above)

        def excess(value: Interval, precision: float) -> float:
            return value.width / (precision * value.upper) if value.upper > 1e-290 else 0.0

        return Refinement(read, excess, self.first_step, len(self.parts), _NEARLY)

    def epsilon(self, target: Fraction, least: float) -> Refinement:
        """The smallest epsilon at a delta; precise only where it is above `least`."""
        log_target = math.log(target.numerator) - math.log(target.denominator)
        log_tail = self._log_tail(log_target)
        guess = [1.0]

        def read(step: Fraction) -> tuple[Interval, int]:
            tilt, _ = self._tilt(step, log_tail, lambda value, slope, tilt: value - tilt * slope > log_target, 0.0)
            above, below = (self._zoom(step, tilt, log_tail, side, log_target) for side in (True, False))
            guess[0] = solved(above, log_target, guess[0])
            value = crossing(above.delta_above, below.delta_below, target, guess[0], 2.0**-34)
            return value, self._points(step, log_tail, above)

        def excess(value: Interval, precision: float) -> float:
            if value.upper <= least or value.lower == math.inf:
                return 0.0
            # How far below `least` it may lie nobody asks.
            width = value.upper - max(value.lower, least)
            return width / (precision * value.upper) if value.upper < math.inf else math.inf

        return Refinement(read, excess, self.first_step, len(self.parts))

    def tradeoff(self, level: Fraction, infinite: Interval) -> Refinement:
        """The smallest type II error at a level."""
        log_tail = self._log_tail(_LOG_TAIL)

        def read(step: Fraction) -> tuple[Interval, int]:
            above, below = self.law(step, 0.0, log_tail, True), self.law(step, 0.0, log_tail, False)

            def curve(epsilon: float) -> Interval:
                upper = above.delta_above(epsilon)
                return Interval(upper, upper)

            # Any point bounds the error from below; from above it takes a function known to be convex.
            upper = type_two_error(below.band_below, level, infinite).upper
            lower = type_two_error(curve, level, infinite).lower
            return Interval(min(upper, lower), upper), self._points(step, log_tail, above)

        def excess(value: Interval, precision: float) -> float:
            goal = precision * max(0.0, min(value.upper, 1.0 - value.lower))
            return max(0.0, value.width - 1e-3 * precision) / goal if goal > 0.0 else 0.0

        return Refinement(read, excess, self.first_step, len(self.parts), _NEARLY)

    # Grids and laws ----------------------------------------------------------------------------------------------------

    def _sides(self, upper: bool) -> list[tuple[PrivacyLoss, int]]:
        """The losses that one end is taken from, composed ones taken apart."""
        sides: list[tuple[PrivacyLoss, int]] = []
        for loss, count in self.parts:
            side = loss.dominating() if upper else loss.dominated()
            for part, times in side.taken_apart():
                if count and part != NO_LOSS:
                    sides.append((part, count * times))
        return sides

    @cached_property
    def exact(self) -> bool:
        """Whether one step holds the values of all parts."""
        return not any(map(_has_no_step, self.parts)) and shared_step(self._sides(True)) is not None

    def first_step(self) -> Fraction:
        """The step that readings begin with."""
        return first_step(self._sides(True))

    def _log_tail(self, log_delta: float) -> float:
        """How little mass a part's grid may leave out, so that all of it together stays far below a delta."""
        copies = sum(count for _, count in self.parts)
        return min(_LOG_TAIL, max(log_delta, -690.0) - 14.0 - math.log(max(copies, 1)))

    def _points(self, step: Fraction, log_tail: float, law: GridLaw | Zoom) -> int:
        """How much a reading handled: the parts' own grids count more, since the search for a tilt runs over them."""
        return law.size + 2 * sum(measure.masses.size for measure, _ in self._measures(step, log_tail, True))

    def _zoom(self, step: Fraction, tilt: float, log_tail: float, upper: bool, log_delta: float) -> GridLaw | Zoom:
        """What readings near a delta are taken from: the frequencies that matter, or the whole law."""
        key = (step, tilt, log_tail, upper)
        if key not in self._zooms:
            if len(self._zooms) >= 64:
                self._zooms.clear()
            found = Zoom.of(self._measures(step, log_tail, upper), step, tilt, log_delta)
            self._zooms[key] = self.law(step, tilt, log_tail, upper) if found is None else found
        return self._zooms[key]

    def law(self, step: Fraction, tilt: float, log_tail: float, upper: bool) -> GridLaw:
        key = (step, tilt, log_tail, upper)
        if key not in self._laws:
            law = convolve(self._measures(step, log_tail, upper), step, tilt)
            if len(self._laws) >= 8:
                self._laws.clear()
            self._laws[key] = law
        return self._laws[key]

    def _measures(self, step: Fraction, log_tail: float, upper: bool) -> Parts:
        key = (step, log_tail, upper)
        if key not in self._grids:
            if any(count > _LARGEST_COUNT for _, count in self._sides(upper)):
                raise GridTooLarge(f"a loss taken more than {_LARGEST_COUNT:,} times is beyond what rounding allows here")
            measures = []
            for side, count in (sides := self._sides(upper)):
                measures.append((self._measure(side, step, log_tail, upper), count))
                nearer(0.25 / len(sides))
            if len(self._grids) >= _KEPT_GRIDS and self._points_kept() > _KEPT_POINTS:
                self._grids.clear()
            self._grids[key] = measures
        return self._grids[key]

    def _points_kept(self) -> int:
        return sum(measure.masses.size for measures in self._grids.values() for measure, _ in measures)

    def _measure(self, side: PrivacyLoss, step: Fraction, log_tail: float, upper: bool) -> Measure:
        return _on_grid(side, step, log_tail, upper, aligned(side, step), self._cells)

    def _tilt(
        self, step: Fraction, log_tail: float, more: Callable[[float, float, float], bool], epsilon: float
    ) -> tuple[float, float]:
        return found_tilt(self._measures(step, log_tail, True), float(step), more, epsilon)


def _has_no_step(part: tuple[PrivacyLoss, int]) -> bool:
    """Whether a part alone rules out a grid that holds everything: asked of each before all sides are gathered."""
    loss, count = part
    if not count or loss == NO_LOSS or loss.lattice() is not None:
        return False
    return loss.dominating() is loss and loss.taken_apart() == ((loss, 1),)


def _on_grid(side: PrivacyLoss, step: Fraction, log_tail: float, upper: bool, offset: Fraction, both: BothSides) -> Measure:
    """The masses of one loss on a grid. What is drawn from several is put there piece by piece: sums of measures that
    dominate, or are dominated, do so too."""
    drawn = side.drawn_from()
    if len(drawn) > 1:
        shared = Fraction(0) if any(part.taken_apart() != ((part, 1),) for _, part in drawn) else offset
        return mixed([(chance, _on_grid(part, step, log_tail, upper, shared, both)) for chance, part in drawn], upper)
    if side.taken_apart() != ((side, 1),):
        sides = Gridded(side.taken_apart())._sides(upper)
        least = log_tail - math.log(sum(count for _, count in sides) or 1)
        measures = [(_on_grid(part, step, least, upper, Fraction(0), both), count) for part, count in sides]
        return collected(measures, step, upper)
    first, last = grid_range(side, step, log_tail, offset)
    if last - first > LARGEST_GRID:
        raise GridTooLarge(
            f"a loss that spans {(last - first) * float(step):.3g} needs a grid of {last - first:,} points at a "
            f"step of {float(step):.3g} (at most {LARGEST_GRID:,}); ask for less precision"
        )
    build = dominating_measure if upper else dominated_measure
    return build(side, step, first, last, offset, both.cells(side, step, first, last, offset))
