"""Composition: losses add, laws convolve."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from fractions import Fraction

from attrs import field, frozen

from accountant.errors import GridTooLarge
from accountant.interval import Interval
from accountant.loss.base import Cells, Floats, PrivacyLoss
from accountant.loss.convolution import LARGEST_GRID, Law, Parts, convolve, largest_sum, log_moment
from accountant.loss.finite import NO_LOSS, TOTAL_LOSS, FiniteLoss
from accountant.loss.gaussian import GaussianLoss
from accountant.loss.grid import dominated_measure, dominating_measure, grid_range

_LARGEST_PRODUCT = 256
_PRECISION = 1e-4
_ROUNDS = 12


def compose(parts: Iterable[tuple[PrivacyLoss, int]]) -> PrivacyLoss:
    """The loss of all parts together, each taken `count` times; adaptive choice within the fixed pairs is allowed.

    Families that are closed under composition stay exact: Gaussian, and finite losses while they are small.
    """
    return ComposedLoss.of(_gathered(parts)).simplest()


def _gathered(parts: Iterable[tuple[PrivacyLoss, int]]) -> list[tuple[PrivacyLoss, int]]:
    """Equal losses counted together, parts of composed losses taken apart, Gaussians added, order forgotten."""
    counts: dict[PrivacyLoss, int] = {}
    mu_squared = Fraction(0)
    pending = list(parts)
    while pending:
        loss, count = pending.pop(0)
        if count == 0 or loss == NO_LOSS:
            continue
        if isinstance(loss, ComposedLoss):
            pending[:0] = [(part, count * times) for part, times in loss.parts]
        elif isinstance(loss, GaussianLoss):
            mu_squared += count * loss.mu_squared
        else:
            counts[loss] = counts.get(loss, 0) + count
    gathered = sorted(counts.items(), key=lambda item: repr(item[0]))
    if mu_squared:
        gathered.insert(0, (GaussianLoss(mu_squared), 1))
    return gathered


@frozen
class ComposedLoss(PrivacyLoss):
    """The loss of several releases together, read from a grid of adaptive step."""

    parts: tuple[tuple[PrivacyLoss, int], ...]
    _laws: dict[tuple[Fraction, float, bool], Law] = field(factory=dict, init=False, eq=False, repr=False)

    @classmethod
    def of(cls, parts: Iterable[tuple[PrivacyLoss, int]]) -> ComposedLoss:
        """A composed loss of parts that are already gathered."""
        return cls(tuple(parts))

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

    def concentration_formula(self) -> Interval | None:
        """The sum, where at most one part has a Renyi divergence that is not proportional to the order."""
        if sum(not isinstance(loss, GaussianLoss) for loss, _ in self.parts) > 1:
            return None
        total = Interval.of(0)
        for loss, count in self.parts:
            total += loss.concentration().times(count)
        return total

    # Readings from the grid -------------------------------------------------------------------------------------------

    def delta_formula(self, epsilon: float) -> Interval:
        def read(step: Fraction) -> Interval:
            tilt = self._tilt(step, lambda value, slope, tilt: slope < epsilon)
            upper = self._law(step, tilt, True).delta_above(epsilon)
            return Interval(min(upper, self._law(step, tilt, False).delta_below(epsilon)), upper)

        return self._refined(read, lambda value: value.width <= 10 * _PRECISION * value.upper or value.upper < 1e-300)

    def _epsilon_at(self, target: Fraction) -> Interval:
        from accountant.loss.inversion import smallest_epsilon

        log_target = math.log(target.numerator) - math.log(target.denominator)

        def read(step: Fraction) -> Interval:
            tilt = self._tilt(step, lambda value, slope, tilt: value - tilt * slope > log_target)
            above, below = self._law(step, tilt, True), self._law(step, tilt, False)
            return smallest_epsilon(
                lambda epsilon: Interval(
                    min(below.delta_below(epsilon), above.delta_above(epsilon)), above.delta_above(epsilon)
                ),
                target,
            )

        return self._refined(read, lambda value: value.width <= _PRECISION * value.upper or value.lower == math.inf)

    def _refined(self, read: Callable[[Fraction], Interval], good: Callable[[Interval], bool]) -> Interval:
        """A reading on ever finer grids until it is precise enough, or the grid is as large as it may be."""
        step, best, last = self._first_step(), None, math.inf
        for _ in range(_ROUNDS):
            try:
                value = read(step)
            except GridTooLarge:
                if best is None:
                    raise
                break
            if best is not None:
                value = Interval(max(best.lower, value.lower), min(best.upper, value.upper))
            best = value
            if good(best) or best.width > 0.9 * last:
                break
            last = best.width
            step = step / 4
        assert best is not None
        return best

    def _first_step(self) -> Fraction:
        """About a fiftieth of the spread of the sum, made to hold all lattices exactly where they share a step."""
        spread = 0.0
        for loss, count in self.parts:
            low, high = loss.dominating().window(-8.0)
            spread = math.hypot(spread, math.sqrt(count) * (high - low))
        step = Fraction(2) ** math.floor(math.log2(max(spread, 1e-12) / 200.0))
        shared = _common_step([loss.dominating().step() for loss, _ in self.parts])
        if shared is not None and shared > step / 2**10:
            return shared / max(1, math.ceil(shared / step))
        return step

    def _law(self, step: Fraction, tilt: float, upper: bool) -> Law:
        key = (step, tilt, upper)
        if key not in self._laws:
            self._laws[key] = convolve(self._measures(step, upper), step, tilt)
        return self._laws[key]

    def _measures(self, step: Fraction, upper: bool) -> Parts:
        measures = []
        for loss, count in self.parts:
            side = loss.dominating() if upper else loss.dominated()
            first, last = grid_range(side, step, -100.0)
            if last - first > LARGEST_GRID:
                raise GridTooLarge(
                    f"a loss that spans {(last - first) * float(step):.3g} needs a grid of {last - first:,} points at a "
                    f"step of {float(step):.3g} (at most {LARGEST_GRID:,}); ask for less precision"
                )
            build = dominating_measure if upper else dominated_measure
            measures.append((build(side, step, first, last), count))
        return measures

    def _tilt(self, step: Fraction, more: Callable[[float, float, float], bool]) -> float:
        """The tilt at which a monotone condition on (log moment, its slope, tilt) stops asking for more.

        No further than where the tilted sum sits at its largest value: more tilt would only underflow.
        """
        parts, size = self._measures(step, True), float(step)
        limit = largest_sum(parts, size) - 0.25 * size

        def wanted(tilt: float) -> bool:
            value, slope = log_moment(parts, size, tilt)
            return slope < limit and more(value, slope, tilt)

        if not wanted(0.0):
            return 0.0
        low, high = 0.0, 1.0
        while high < 2.0**20 and wanted(high):
            low, high = high, 2.0 * high
        for _ in range(12):
            middle = 0.5 * (low + high)
            if wanted(middle):
                low = middle
            else:
                high = middle
        return high


def _common_step(steps: list[Fraction | None]) -> Fraction | None:
    """The largest step of which all given ones are whole multiples."""
    known = [step for step in steps if step is not None]
    if not known:
        return None
    denominator = math.lcm(*(step.denominator for step in known))
    return Fraction(math.gcd(*(int(step * denominator) for step in known)), denominator)
