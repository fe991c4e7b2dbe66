"""Composition: losses add, laws convolve."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterable
from fractions import Fraction

from attrs import field, frozen

from accountant.errors import GridTooLarge, InvalidValue
from accountant.interval import Interval
from accountant.loss.base import ROUNDOFF, TINY, Cells, Floats, PrivacyLoss
from accountant.loss.concentration import certified_supremum
from accountant.loss.contour import Contour
from accountant.loss.convolution import LARGEST_GRID, Parts, convolve
from accountant.loss.finite import NO_LOSS, TOTAL_LOSS, FiniteLoss
from accountant.loss.gaussian import GaussianLoss
from accountant.loss.grid import Measure, dominated_measure, dominating_measure, grid_range
from accountant.loss.law import Law
from accountant.loss.tilting import aligned, first_step, found_tilt, refined, solved
from accountant.loss.zoom import Zoom

_LARGEST_PRODUCT = 256
_LONGEST_SUM = 8192
"""Bits of a denominator at which an exact sum of Gaussian parts is continued in a further part."""
_PRECISION = 1e-4
_LOG_TAIL = -20.0
_LARGEST_COUNT = 2**44


def compose(parts: Iterable[tuple[PrivacyLoss, int]]) -> PrivacyLoss:
    """The loss of all parts together, each taken `count` times; adaptive choice within the fixed pairs is allowed.

    Families that are closed under composition stay exact: Gaussian, and finite losses while they are small.
    """
    return ComposedLoss.of(_gathered(parts)).simplest()


def _gathered(parts: Iterable[tuple[PrivacyLoss, int]]) -> list[tuple[PrivacyLoss, int]]:
    """Equal losses counted together, parts of composed losses taken apart, Gaussians added, order forgotten."""
    counts: dict[PrivacyLoss, int] = {}
    gaussians = [Fraction(0)]
    pending = deque(parts)
    while pending:
        loss, count = pending.popleft()
        if isinstance(count, bool) or not isinstance(count, int) or count < 0:
            raise InvalidValue(f"a loss is taken a whole number of times, not {count!r}")
        if count == 0 or loss == NO_LOSS:
            continue
        if isinstance(loss, ComposedLoss):
            pending.extendleft((part, count * times) for part, times in reversed(loss.parts))
        elif isinstance(loss, GaussianLoss):
            if gaussians[-1].denominator.bit_length() > _LONGEST_SUM:
                gaussians.append(Fraction(0))
            gaussians[-1] += count * loss.mu_squared
        else:
            counts[loss] = counts.get(loss, 0) + count
    # Readings shall not depend on the order of releases, not even by rounding.
    gathered = sorted(counts.items(), key=lambda item: (type(item[0]).__name__, repr(item[0])))
    return [*((GaussianLoss(mu_squared), 1) for mu_squared in gaussians if mu_squared), *gathered]


def _tuple(parts: Iterable[tuple[PrivacyLoss, int]]) -> tuple[tuple[PrivacyLoss, int], ...]:
    return tuple(parts)


@frozen
class ComposedLoss(PrivacyLoss):
    """The loss of several releases together, read from a grid of adaptive step."""

    parts: tuple[tuple[PrivacyLoss, int], ...] = field(converter=_tuple)
    _contours: list[Contour | None] = field(factory=list, init=False, eq=False, repr=False)
    _laws: dict[tuple[Fraction, float, float, bool], Law] = field(factory=dict, init=False, eq=False, repr=False)
    _zooms: dict[tuple[Fraction, float, float, bool], Law | Zoom] = field(factory=dict, init=False, eq=False, repr=False)
    _grids: dict[tuple[Fraction, float, bool], Parts] = field(factory=dict, init=False, eq=False, repr=False)

    @classmethod
    def of(cls, parts: Iterable[tuple[PrivacyLoss, int]]) -> ComposedLoss:
        """A composed loss of parts that are already gathered."""
        return cls(parts)

    def simplest(self) -> PrivacyLoss:
        """The same loss in the simplest family that holds it exactly."""
        if not self.parts:
            return NO_LOSS
        if any(loss == TOTAL_LOSS for loss, _ in self.parts):
            return TOTAL_LOSS
        if len(self.parts) == 1 and self.parts[0][1] == 1:
            return self.parts[0][0]
        return self._finite_product() or self

    def _finite_product(self) -> FiniteLoss | None:
        product, total = NO_LOSS, 0
        for loss, count in self.parts:
            total += count
            if not isinstance(loss, FiniteLoss) or total > _LARGEST_PRODUCT:
                return None
            for _ in range(count):
                product = product.times(loss)
                if len(product.atoms) > _LARGEST_PRODUCT:
                    return None
        return product

    def reverse(self) -> PrivacyLoss:
        reversed_parts = [(loss.reverse(), count) for loss, count in self.parts]
        if all(back is loss for (back, _), (loss, _) in zip(reversed_parts, self.parts, strict=True)):
            return self
        return ComposedLoss.of(reversed_parts)

    def window(self, log_tail: float) -> tuple[float, float]:
        windows = [(loss.window(log_tail), count) for loss, count in self.parts]
        return sum(w[0] * n for w, n in windows), sum(w[1] * n for w, n in windows)

    def cells(self, edges: Floats) -> Cells:
        raise GridTooLarge("a composed loss is taken apart before it is put on a grid")

    def supremum_formula(self) -> Interval:
        total = Interval.of(0)
        for loss, count in self.parts:
            total += loss.supremum().times(count)
        return total

    def log_moment_formula(self, order: float) -> Interval:
        total = Interval.of(0)
        for loss, count in self.parts:
            total += loss._log_moment_at(order).times(count)
        return total

    def concentration_formula(self) -> Interval:
        """At most the sum, which is reached where at most one part has a Renyi divergence not proportional to the order.

        Gaussian parts add the same to Renyi(a)/a at every order, so they stay out of the search for the supremum.
        """
        total, others = Interval.of(0), []
        for loss, count in self.parts:
            total += loss.concentration().times(count)
            if count and not isinstance(loss, GaussianLoss):
                others.append((loss, count))
        if len(others) <= 1:
            return total
        fixed = Interval.of(
            sum((n * loss.mu_squared for loss, n in self.parts if isinstance(loss, GaussianLoss)), Fraction(0)) / 2
        )
        found = certified_supremum(ComposedLoss.of(others)) + fixed
        return Interval(min(found.lower, total.upper), min(found.upper, total.upper))

    def infinite_formula(self) -> Interval:
        """The chance that any part loses everything."""
        masses = [(loss.infinite(), count) for loss, count in self.parts]
        ends = [_chance([(getattr(mass, end), count) for mass, count in masses]) for end in ("lower", "upper")]
        if ends[1] == 0.0:
            return Interval.of(0)
        doubt = 64 * ROUNDOFF * (1 + len(masses))
        return Interval(ends[0] * (1.0 - doubt), min(1.0, ends[1] * (1.0 + doubt) + TINY))

    @property
    def _contour(self) -> Contour | None:
        if not self._contours:
            self._contours.append(Contour.of(self.parts))
        return self._contours[0]

    # Readings, by a contour where there is one and from the grid otherwise ---------------------------------------------

    def delta_formula(self, epsilon: float) -> Interval:
        known = self._contour.delta(epsilon) if self._contour is not None else None
        if known is not None:
            return known

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

        def excess(value: Interval) -> float:
            return value.width / (10 * _PRECISION * value.upper) if value.upper > 1e-290 else 0.0

        return refined(read, excess, self._first_step(), len(self.parts))

    def _epsilon_at(self, target: Fraction, least: float = 0.0) -> Interval:
        from accountant.loss.inversion import crossing

        known = self._contour.epsilon(target) if self._contour is not None else None
        if known is not None:
            return known
        if self.infinite().at_most(target) is False:
            return Interval.infinite()
        log_target = math.log(target.numerator) - math.log(target.denominator)
        log_tail = self._log_tail(log_target)
        guess = [1.0]

        def read(step: Fraction) -> tuple[Interval, int]:
            tilt, _ = self._tilt(step, log_tail, lambda value, slope, tilt: value - tilt * slope > log_target, 0.0)
            above, below = (self._zoom(step, tilt, log_tail, side, log_target) for side in (True, False))
            guess[0] = solved(above, log_target, guess[0])
            value = crossing(above.delta_above, below.delta_below, target, guess[0], 2.0**-26)
            return value, self._points(step, log_tail, above)

        def excess(value: Interval) -> float:
            if value.upper <= least or value.lower == math.inf:
                return 0.0
            return value.width / (_PRECISION * value.upper)

        return refined(read, excess, self._first_step(), len(self.parts))

    def _tradeoff_at(self, level: Fraction) -> Interval:
        from accountant.loss.inversion import type_two_error

        infinite = self.infinite()
        log_tail = self._log_tail(_LOG_TAIL)

        def read(step: Fraction) -> tuple[Interval, int]:
            above, below = self._law(step, 0.0, log_tail, True), self._law(step, 0.0, log_tail, False)

            def curve(epsilon: float) -> Interval:
                upper = above.delta_above(epsilon)
                return Interval(upper, upper)

            # Any point bounds the error from below; from above it takes a function known to be convex.
            upper = type_two_error(below.band_below, level, infinite).upper
            return Interval(min(upper, type_two_error(curve, level, infinite).lower), upper), self._points(
                step, log_tail, above
            )

        def excess(value: Interval) -> float:
            goal = 10 * _PRECISION * max(0.0, min(value.upper, 1.0 - value.lower))
            return max(0.0, value.width - 1e-7) / goal if goal > 0.0 else 0.0

        return refined(read, excess, self._first_step(), len(self.parts))

    def _sides(self, upper: bool) -> list[tuple[PrivacyLoss, int]]:
        """The losses that one end is taken from, composed ones taken apart."""
        sides: list[tuple[PrivacyLoss, int]] = []
        for loss, count in self.parts:
            side = loss.dominating() if upper else loss.dominated()
            if isinstance(side, ComposedLoss):
                sides += [(part, count * times) for part, times in side._sides(upper)]
            elif count and side != NO_LOSS:
                sides.append((side, count))
        return sides

    def _first_step(self) -> Fraction:
        return first_step(self._sides(True))

    def _log_tail(self, log_delta: float) -> float:
        """How little mass a part's grid may leave out, so that all of it together stays far below a delta."""
        copies = sum(count for _, count in self.parts)
        return min(_LOG_TAIL, max(log_delta, -690.0) - 14.0 - math.log(max(copies, 1)))

    def _points(self, step: Fraction, log_tail: float, law: Law | Zoom) -> int:
        """How much a reading handled: the parts' own grids count more, since the search for a tilt runs over them."""
        return law.size + 2 * sum(measure.masses.size for measure, _ in self._measures(step, log_tail, True))

    def _zoom(self, step: Fraction, tilt: float, log_tail: float, upper: bool, log_delta: float) -> Law | Zoom:
        """What readings near a delta are taken from: the frequencies that matter, or the whole law."""
        key = (step, tilt, log_tail, upper)
        if key not in self._zooms:
            if len(self._zooms) >= 64:
                self._zooms.clear()
            found = Zoom.of(self._measures(step, log_tail, upper), step, tilt, log_delta)
            self._zooms[key] = self._law(step, tilt, log_tail, upper) if found is None else found
        return self._zooms[key]

    def _law(self, step: Fraction, tilt: float, log_tail: float, upper: bool) -> Law:
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
            measures = [(self._measure(side, step, log_tail, upper), count) for side, count in self._sides(upper)]
            if len(self._grids) >= 4:
                self._grids.clear()
            self._grids[key] = measures
        return self._grids[key]

    def _measure(self, side: PrivacyLoss, step: Fraction, log_tail: float, upper: bool) -> Measure:
        offset = aligned(side, step)
        first, last = grid_range(side, step, log_tail, offset)
        if last - first > LARGEST_GRID:
            raise GridTooLarge(
                f"a loss that spans {(last - first) * float(step):.3g} needs a grid of {last - first:,} points at a "
                f"step of {float(step):.3g} (at most {LARGEST_GRID:,}); ask for less precision"
            )
        build = dominating_measure if upper else dominated_measure
        return build(side, step, first, last, offset)

    def _tilt(
        self, step: Fraction, log_tail: float, more: Callable[[float, float, float], bool], epsilon: float
    ) -> tuple[float, float]:
        return found_tilt(self._measures(step, log_tail, True), float(step), more, epsilon)


def _chance(masses: list[tuple[float, int]]) -> float:
    """The chance that any of independent events happens, each tried `count` times, up to rounding."""
    if any(mass >= 1.0 and count for mass, count in masses):
        return 1.0
    return -math.expm1(sum(min(count, 2**1000) * math.log1p(-mass) for mass, count in masses if mass))
