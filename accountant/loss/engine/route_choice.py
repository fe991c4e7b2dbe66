"""Which route a reading of a composed loss takes: the quickest first, and further ones until it is precise enough.

All atoms where they are few, a line where there is one, mass by mass, losses that are a little wider but have moments, and
grids. Whatever is found along the way is intersected, so that the order decides about time and not about what holds.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Protocol

from attrs import define, field, frozen

from accountant.errors import GridTooLarge
from accountant.loss.engine.contour_route import Contour
from accountant.loss.engine.direct_route import Direct, Search
from accountant.loss.engine.grid_route import Gridded
from accountant.loss.families.atomic import AtomicLoss
from accountant.loss.readings.base import PrivacyLoss
from accountant.loss.readings.precision import Refinement, narrower, stages
from accountant.numbers.interval import Interval

MANY = 512
"""Of more copies than these, what is known roughly is asked of lines again before it is added up mass by mass."""


class Routed(Protocol):
    """A composed loss, as the routes see it: each is None where there is none."""

    @property
    def precision(self) -> float: ...

    @property
    def rough(self) -> bool: ...

    @property
    def copies(self) -> int: ...

    @property
    def enumerated(self) -> AtomicLoss | None: ...

    @property
    def _contour(self) -> Contour | None: ...

    @property
    def _direct(self) -> Direct | None: ...

    @property
    def _flattened(self) -> PrivacyLoss | None: ...

    @property
    def _grid(self) -> Gridded: ...


@frozen
class Ways:
    """One reading, as each route finds it."""

    few: Callable[[AtomicLoss], Interval]
    fast: Callable[[Contour, float], Interval | None]
    direct: Callable[[Direct], Search] | None
    slow: Refinement
    wider: Callable[[PrivacyLoss], Interval]
    patient: Callable[[Contour, float, Interval | None], Interval | None] | None = None

    def rough(self, best: Interval | None, precision: float) -> bool:
        """Whether a reading is not yet as precise as it shall be."""
        return best is None or self.slow.excess(best, precision) > 1.0


def enclosed(loss: Routed, ways: Ways, known: Interval | None = None) -> Interval:
    """A reading by the fast route where it is precise enough, mass by mass where it is not, and by all if need be.

    What is known of it already only saves work.
    """
    return _Choice(loss, ways, known).made()


@define(eq=False)
class _Choice:
    """What is known of a reading while routes are tried one after another, at one precision after another."""

    loss: Routed
    ways: Ways
    known: Interval | None
    best: Interval | None = field(default=None, init=False)
    precision: float = field(default=0.0, init=False)
    line: Contour | None = field(default=None, init=False)
    _searches: list[Search | None] = field(factory=list, init=False)
    _flat: list[Interval | None] = field(factory=list, init=False)

    def made(self) -> Interval:
        """The reading, by as many routes as it takes."""
        loss, ways = self.loss, self.ways
        if loss.enumerated is not None:
            self._learned(ways.few(loss.enumerated))
        if ways.rough(self.best, loss.precision):
            for self.precision in (loss.precision,) if loss.rough else stages(loss.precision):
                self._stage()
                if not ways.rough(self.best, loss.precision):
                    break
        assert self.best is not None
        return self.best

    def _stage(self) -> None:
        """What routes find at a precision, each only if those before it left the reading rough."""
        # A lattice that a grid holds exactly is read from there first.
        self.line = None if self.best is None and self.loss._grid.exact else self.loss._contour
        self._learned(None if self.line is None else self.ways.fast(self.line, self.precision))
        # Few copies are quickly added up; of many a long line is worth its while, once it is known about where to draw it.
        routes: tuple[Callable[[], Interval | None], ...] = (self._summed, self._drawn, self._flattened, self._gridded)
        if self.loss.copies > MANY:
            routes = (partial(self._summed, brief=True), self._drawn, self._summed, self._gridded)
        for read in routes:
            if self.ways.rough(self.best, self.precision):
                self._learned(read())

    def _learned(self, found: Interval | None) -> None:
        if found is not None:
            self.best = narrower(self.best, found if self.known is None else narrower(self.known, found))

    def _summed(self, *, brief: bool = False) -> Interval | None:
        """Mass by mass."""
        if not self._searches:
            whole = None if self.ways.direct is None else self.loss._direct
            self._searches.append(None if self.ways.direct is None or whole is None else self.ways.direct(whole))
        search = self._searches[0]
        return None if search is None else search.to(self.ways.slow.excess, self.precision, brief=brief)

    def _drawn(self) -> Interval | None:
        """Along a long line."""
        patient = self.ways.patient
        return None if self.line is None or patient is None else patient(self.line, self.precision, self.best)

    def _flattened(self) -> Interval | None:
        """From losses that are a little wider but have moments."""
        if not self._flat:
            flat = self.loss._flattened
            self._flat.append(None if flat is None else self.ways.wider(flat))
        return self._flat[0]

    def _gridded(self) -> Interval | None:
        """From a grid, which is the last resort."""
        if self.best is not None and self.ways.slow.excess(self.best, self.precision) <= self.ways.slow.enough:
            return None
        try:
            return self.ways.slow.to(self.precision)
        except GridTooLarge:
            if self.best is None:
                raise
            return None
