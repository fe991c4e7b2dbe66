"""Readings that are made more precise in steps, each of which can only narrow what the earlier ones said."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction

from attrs import define, field

from accountant.errors import GridTooLarge, InvalidValue
from accountant.numbers.interval import Interval

DEFAULT_PRECISION = 1e-4
FINEST_PRECISION = 1e-15
_ROUNDS = 16
_WORK, _DEAR = 2**24, 2**20
_LEAP, _FEW_POINTS = 8, 2**15

Excess = Callable[[Interval, float], float]
"""By what factor a reading is wider than a precision allows."""


def stages(precision: float) -> Iterator[float]:
    """Powers of ten from the default precision to the one that is asked for.

    Whoever asks for more goes through everything that whoever asks for less goes through, so their interval lies inside.
    """
    decades = max(4, math.ceil(-math.log10(max(precision, FINEST_PRECISION)) - 1e-9))
    return (10.0**-power for power in range(4, decades + 1))


def narrower(best: Interval | None, found: Interval) -> Interval:
    """What two enclosures of one value say together.

    Raises where no value is in both: then one of them is wrong, and nothing may be concluded from either.
    """
    if best is None:
        return found
    lower, upper = max(best.lower, found.lower), min(best.upper, found.upper)
    if lower > upper:
        raise InvalidValue(
            f"two ways to one value contradict each other: {best.lower!r} to {best.upper!r}, and {found.lower!r} to "
            f"{found.upper!r}; one of the bounds that a loss states is wrong, and nothing was concluded"
        )
    if found.exact is not None:
        return found
    return best if best.exact is not None else Interval(lower, upper)


@define(eq=False)
class Refinement:
    """A reading on ever finer grids, until it is precise enough, stops improving, or would cost too much."""

    read: Callable[[Fraction], tuple[Interval, int]]
    """The reading at a step, and how many points it took."""
    excess: Excess
    first_step: Callable[[], Fraction]
    parts: int
    enough: float = 1.0
    """Who is no farther than this from being precise enough is not worth a large grid."""
    _step: Fraction = field(default=Fraction(1), init=False)
    _best: Interval | None = field(default=None, init=False)
    _points: int = field(default=0, init=False)
    _last: float = field(default=math.inf, init=False)
    _stuck: int = field(default=0, init=False)
    _rounds: int = field(default=0, init=False)
    _worse: bool = field(default=False, init=False)

    def to(self, precision: float) -> Interval:
        """The reading at a precision, or the best that there is; later precisions must be finer."""
        if self._best is None:
            self._begin()
        assert self._best is not None
        # More precision than usual may cost four times as much.
        work = _WORK * (4.0 if precision < DEFAULT_PRECISION else 1.0)
        while self.excess(self._best, precision) > 1.0 and self._refine(precision, work):
            pass
        return self._best

    def _begin(self) -> None:
        self._step = self.first_step()
        for _ in range(_ROUNDS):
            try:
                self._best, self._points = self.read(self._step)
                self._last = self._best.width
                return
            except GridTooLarge:
                self._step *= 16
        self._best, self._points = self.read(self._step)

    def _refine(self, precision: float, work: float) -> bool:
        """One more grid, unless there is nothing to hope for."""
        assert self._best is not None
        if self._worse or self._stuck >= 2 or self._rounds >= _ROUNDS:
            return False
        over = self.excess(self._best, precision)
        factor = min(16, max(2, math.ceil(1.2 * over**0.4))) if math.isfinite(over) else 4
        # A grid that told nothing more may still be too coarse for what has to be told apart on it.
        factor = max(factor, _LEAP) if self._stuck and self._points < _FEW_POINTS else factor
        while factor > 1 and self._points * factor * (self.parts + 4) > work:
            factor //= 2
        if factor < 2 or (over <= self.enough and self._points * factor * (self.parts + 4) > _DEAR):
            return False
        self._rounds += 1
        try:
            value, self._points = self.read(self._step / factor)
        except GridTooLarge:
            self._worse = True
            return False
        self._step /= factor
        self._worse = value.width > 4.0 * self._last
        self._best = narrower(self._best, value)
        self._stuck = self._stuck + 1 if self._best.width > 0.7 * self._last else 0
        self._last = self._best.width
        return True
