"""Noise on whole numbers, as tables of weights: one count's, and those of sums, added up and not approximated."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from attrs import field, frozen

from accountant import InvalidValue
from accountant.loss import Floats
from accountant.numbers.rounding import Ball, log
from accountant_posterior.attacks.cells.noise import ROUND, CellNoise

if TYPE_CHECKING:
    from numpy.random import Generator

    from accountant.loss import WholeNoise

_DEEPEST = -680.0
_KEPT = -150.0
"""Of a sum, noise whose weight is below e^-150 of the largest may be left out and charged."""
_DEEPER = -600.0
_FEW = 4096
"""Noise that is fainter than that is kept down to e^-600 where it takes no more places."""
_SURE = 1e-13
_ROUGHEST = 1e-11
_WIDEST = 2**18


@frozen(eq=False)
class WholeCell(CellNoise):
    """Weights of the noise 0, 1, ..., n and, by symmetry, of that below zero, for noise whose logs of weights are concave.

    Guarantee: up to one factor for all, which leaves that of zero between 1/2 and 1, the weight of k is within
    1 -+ `spread` of `masses[k]`, up to `stray`, and all noise beyond n on both sides weighs at most `tail`.
    """

    masses: Floats
    spread: float
    stray: float
    tail: float
    power: Callable[[Fraction], Fraction] | None = None
    """The log of a weight, where that is rational."""
    sums: dict[int, WholeCell] = field(factory=dict, repr=False)

    @classmethod
    def of(cls, noise: WholeNoise, power: Callable[[Fraction], Fraction] | None = None) -> WholeCell:
        """The noise that a mechanism adds to whole numbers."""
        last = int(noise.reach(_DEEPEST)) + 2
        if last > _WIDEST:
            raise InvalidValue(f"noise that reaches to {last:,} is too wide for this attack (at most {_WIDEST:,})")
        found = noise.chances(np.arange(last + 1, dtype=np.float64))
        low, high = found.lower, found.upper
        known = low * (1.0 + _ROUGHEST) > high
        kept = len(known) if known.all() else int(np.argmin(known))
        doubt = float(np.max(high[:kept] / low[:kept])) - 1.0
        # The quotient of a weight and the one before only falls: what lies beyond is at most a geometric series.
        last_one, before = (high[kept - 1], low[kept - 2]) if kept > 1 else (high[1], low[0])
        quotient = min(float(last_one / before), 1.0 - ROUND)
        tail = 2.0 * float(last_one) * (quotient if kept > 1 else 1.0) / (1.0 - quotient)
        return cls(*_scaled(low[:kept], doubt + 4.0 * ROUND, 0.0, tail), power)

    @classmethod
    def weighing(cls, masses: Floats, spread: float, tail: float, sums: dict[int, WholeCell]) -> WholeCell:
        """Noise with known weights of 0, 1, ..., each within 1 -+ `spread`; `sums` are taken for those of so many."""
        return cls(*_scaled(masses, spread, 0.0, tail), None, sums)

    @property
    def last(self) -> int:
        """The largest noise of the table."""
        return len(self.masses) - 1

    @cached_property
    def _table(self) -> tuple[Floats, float, float]:
        """Logs of weights, their error, and the log of a bound on those that are left out."""
        centre = float(self.masses[0])
        sure = self.stray < _SURE * self.masses
        with np.errstate(divide="ignore"):
            logs = np.where(sure, np.log(self.masses) - math.log(centre), -np.inf)
        unsure = float(np.max(self.stray / self.masses[sure], initial=0.0))
        faintest = float(self.masses[~sure].max()) if not sure.all() else 0.0
        outside = (faintest * (1.0 + self.spread) + self.stray + self.tail) / centre * (1.0 + 2.0 * self.spread)
        # One more place on the right stands for all noise beyond the table.
        return (
            np.append(logs, -np.inf),
            Ball.rounded(0.0, 8.0, 1.0).widened(2.02 * (self.spread + unsure)).radius,
            log(Ball.rounded(outside, 16.0)).upper if outside > 0.0 else -math.inf,
        )

    @property
    def faint(self) -> float:
        return self._table[2]

    def faint_at(self, places: Floats) -> Floats:
        logs, error, faint = self._table
        last = int(np.flatnonzero(np.isfinite(logs))[-1])
        if not last:
            return super().faint_at(places)
        # Weights fall at least as fast after the last one that is followed as from the one before it.
        slope = min(logs[last] - logs[last - 1] + 2.0 * error, 0.0)
        found: Floats = np.minimum(faint, logs[last] + error + slope * np.maximum(np.abs(places) - last, 0.0))
        return found

    def logs(self, places: Floats) -> tuple[Floats, float]:
        logs, error, _ = self._table
        return logs[np.minimum(np.abs(places), self.last + 1).astype(np.intp)], error

    def reach(self, log_tail: float) -> int:
        beyond = 2.0 * np.cumsum(self.masses[::-1])[::-1] * (1.0 + 2.0 * self.spread) + self._rest
        # The weight of zero is at least one half.
        inside = np.flatnonzero(2.0 * beyond > math.exp(log_tail))
        return int(inside[-1]) if inside.size else 0

    @property
    def total(self) -> float:
        return self._whole / float(self.masses[0]) * (1.0 + 4.0 * self.spread)

    @property
    def _rest(self) -> float:
        """All that is not in the table, or not known of it."""
        return self.tail + 2.0 * self.stray * len(self.masses)

    @property
    def _whole(self) -> float:
        """All weights together, at most."""
        return 2.0 * float(self.masses.sum()) * (1.0 + 2.0 * self.spread) + self._rest

    def summed(self, number: int) -> WholeCell:
        if number == 1:
            return self
        if number not in self.sums:
            half = self.summed(number // 2)
            twice = half.beside(half)
            self.sums[number] = twice.beside(self) if number % 2 else twice
        return self.sums[number]

    def beside(self, other: WholeCell) -> WholeCell:
        """The noise of the sum of this and other noise."""
        left, right = self._narrow, other._narrow
        whole = np.convolve(left._both, right._both)
        # Only positive products are added: each addition rounds once.
        spread = left.spread + right.spread + ROUND * (min(len(left._both), len(right._both)) + 4)
        # No weight is above one, up to its error.
        stray = (left.stray * right._whole + right.stray * left._whole + left.tail + right.tail) * (1.0 + 2.0 * spread)
        tail = left.tail * right._whole + right.tail * left._whole
        return WholeCell(*_scaled(whole[len(whole) // 2 :], spread, stray, tail))

    @cached_property
    def _narrow(self) -> WholeCell:
        """The same without noise that hardly ever occurs."""
        heavy, fainter = (int(np.flatnonzero(self.masses > math.exp(least))[-1]) + 1 for least in (_KEPT, _DEEPER))
        heavy = max(heavy, min(fainter, _FEW))
        if heavy == len(self.masses):
            return self
        left_out = 2.0 * float(self.masses[heavy:].sum()) * (1.0 + 2.0 * self.spread)
        return WholeCell(self.masses[:heavy], self.spread, self.stray, self._rest + left_out)

    @cached_property
    def _both(self) -> Floats:
        return np.concatenate([self.masses[:0:-1], self.masses])

    def draw(self, generator: Generator, shape: tuple[int, ...]) -> Floats:
        sums = np.cumsum(self._narrow._both)
        found = np.searchsorted(sums, generator.random(shape) * sums[-1], side="right") - self._narrow.last
        drawn: Floats = found.astype(np.float64)
        return drawn

    def term(self, place: Fraction) -> tuple[Fraction, Fraction] | None:
        return None if self.power is None else (self.power(place), Fraction(1))


def _scaled(masses: Floats, spread: float, stray: float, tail: float) -> tuple[Floats, float, float, float]:
    """The same with a weight of zero between 1/2 and 1: a power of two changes no digit."""
    factor = 2.0 ** -math.frexp(float(masses[0]))[1]
    return masses * factor, spread, stray * factor, tail * factor * (1.0 + 8.0 * ROUND)
