"""Laws on grids, many at once, and what is read off them: means, modes and shortest intervals."""

from __future__ import annotations

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from accountant.loss import Floats

_SHIFTS = 128
_ALIKE = 1e-9
"""Lengths that differ by no more than this share of themselves are the same."""


@frozen(eq=False)
class Readings:
    """Of each of many laws the mean, the mode, and both ends of the shortest interval of a level."""

    mean: Floats
    mode: Floats
    low: Floats
    high: Floats

    @classmethod
    def joined(cls, parts: list[Readings], order: NDArray[np.int64]) -> Readings:
        """Those of several bundles, put back to where their releases came."""
        back = np.argsort(order)
        columns = (
            np.concatenate([getattr(part, name) for part in parts])[back] for name in ("mean", "mode", "low", "high")
        )
        return cls(*columns)

    def moved(self, lower: float, factor: float) -> Readings:
        """The same on another scale."""
        return Readings(*(lower + factor * values for values in (self.mean, self.mode, self.low, self.high)))


@frozen(eq=False)
class MarginalLaws:
    """Densities in cells that all laws share, but for how far each is moved: a row for each law."""

    edges: Floats
    density: Floats
    moved: Floats

    def readings(self, level: float) -> Readings:
        """Mean, mode and the shortest interval that holds a share of the mass."""
        widths, middles = np.diff(self.edges), 0.5 * (self.edges[1:] + self.edges[:-1])
        masses = self.density * widths
        masses = masses / masses.sum(axis=1)[:, np.newaxis]
        low, high = self._shortest(masses, level)
        mode = self._modes(middles)
        return Readings(*(found + self.moved for found in (masses @ middles, mode, low, high)))

    def _modes(self, middles: Floats) -> Floats:
        """Where the density is largest: the top of the parabola through the highest cell and its neighbours."""
        best = self.density.argmax(axis=1)
        inner = np.clip(best, 1, len(middles) - 2)
        rows = np.arange(len(best))
        left, top, right = (self.density[rows, inner + step] for step in (-1, 0, 1))
        x0, x1, x2 = (middles[inner + step] for step in (-1, 0, 1))
        first, second = (top - left) / (x1 - x0), (right - top) / (x2 - x1)
        with np.errstate(divide="ignore", invalid="ignore"):
            peak = 0.5 * (x0 + x1) - first * 0.5 * (x2 - x0) / (second - first)
        usable = (best == inner) & np.isfinite(peak)
        found: Floats = np.where(usable, np.clip(peak, x0, x2), middles[best])
        return found

    def _shortest(self, masses: Floats, level: float) -> tuple[Floats, Floats]:
        """Of the intervals that leave some mass below them and hold a share, the shortest one.

        Where several are as short, as in a symmetric law both ends of which lie in cells of one density, it is the middle
        one of these: which of them rounding leaves the shortest would differ from machine to machine.
        """
        below = np.concatenate([np.zeros((len(masses), 1)), np.cumsum(masses, axis=1)], axis=1)
        shares = np.linspace(0.0, 1.0 - level, _SHIFTS + 1)
        low, high = np.empty(len(masses)), np.empty(len(masses))
        for row, chances in enumerate(below):
            starts, ends = np.interp(shares, chances, self.edges), np.interp(shares + level, chances, self.edges)
            lengths = ends - starts
            short = np.flatnonzero(lengths <= lengths.min() * (1.0 + _ALIKE))
            middle = [short[(len(short) - 1) // 2], short[len(short) // 2]]
            low[row], high[row] = starts[middle].mean(), ends[middle].mean()
        return low, high
