"""Losses on a contour without their largest outcomes: those that lose more than epsilon, whatever the others lose.

Cut the law A of a rare loss into T, the outcomes that lose at least c, and B, all others. Where some copy has an outcome
of T, the sum loses more than an epsilon below c unless the others lose less than epsilon - c. So of all these outcomes
together, with chances P and Q,

    P - e^epsilon Q <= their share of delta <= P - e^epsilon Q + e^epsilon Q(the others lose less than epsilon - c),

where P and Q are known in closed form and the last chance by moments of the reversed losses. B has no large outcomes: its
moments do not explode, and a line can stand where the sum of many small losses and one that is just below c are alike.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from attrs import field, frozen

from accountant.loss.engine.contour_tail import negligible
from accountant.loss.readings.arrays import Floats
from accountant.loss.readings.base import PrivacyLoss
from accountant.loss.readings.moments import LossGroup, Moments
from accountant.numbers.interval import Interval
from accountant.numbers.rounding import Ball, dot, exp, expm1, log1p

Families = tuple[tuple[Moments, Floats], ...]

_TILTS = tuple(2.0**power for power in range(-1, 16))
"""Tilts at which what the others lose is bounded from below, in units of 1/epsilon."""
_ROUNDS = 4
_LOG_TAIL = -400.0
"""Natural logarithm of the chance of outcomes that moments of reversed losses leave out."""


@frozen(eq=False)
class Reverse:
    """The parts of a composed loss, and what is known of their reverse."""

    parts: tuple[tuple[PrivacyLoss, int], ...]
    _known: list[Families | None] = field(factory=list, init=False)

    @property
    def families(self) -> Families | None:
        """Moments of the reversed losses, where they are known and no outcome is impossible under the first law only."""
        if not self._known:
            self._known.append(self._families())
        return self._known[0]

    def _families(self) -> Families | None:
        found: list[tuple[Moments, Floats]] = []
        for loss, count in self.parts:
            back = loss.reverse()
            family = back.analytic()
            if family is None or loss.infinite().upper > 0.0 or back.infinite().upper > 0.0:
                return None
            found.append((family.of([back]).trimmed(_LOG_TAIL), np.array([float(count)])))
        return tuple(found)

    @property
    def lost(self) -> float:
        """A bound on the chance of what was left out of these losses."""
        families = self.families or ()
        return sum((dot(counts, np.broadcast_to(m.lost(), counts.shape)) for m, counts in families), Ball(0.0)).upper

    def bounds(self, tilts: Sequence[float]) -> tuple[tuple[float, float], ...]:
        """Tilts that doubles reach, with upper bounds on the log moment there."""
        found = []
        for tilt in tilts if self.families else ():
            whole = Ball(0.0)
            try:
                for moments, counts in self.families or ():
                    values, errors = moments.log_moments(np.array([complex(tilt)]))
                    # One copy fewer has no more, since no mean of e^(-s L) is less than 1.
                    most = max(Ball(float(values[0, 0].real), float(errors[0, 0])).upper, 0.0)
                    whole = whole + Ball(most) * float(counts[0])
            except OverflowError:
                break
            if not math.isfinite(whole.upper):
                break
            found.append((tilt, whole.upper))
        return tuple(found)


@frozen(eq=False)
class CutLosses:
    """The outcomes that were cut from each loss, and its count, with bounds on the sum of all losses from below."""

    parts: tuple[tuple[LossGroup, float], ...]
    back: tuple[tuple[float, float], ...]
    """Tilts s with a bound on the logarithm of the mean of e^(-s L) under Q."""
    lost: float
    """A chance that these bounds leave out."""

    @classmethod
    def of(
        cls, families: Families, reverse: Reverse, epsilon: float, log_delta: float, precision: float
    ) -> tuple[Families, CutLosses] | None:
        """Families without outcomes that are felt only as large ones near an epsilon, and these."""
        back = reverse.bounds([tilt / epsilon for tilt in _TILTS])
        if not back:
            return None
        depth, found = negligible(precision), None
        for _ in range(_ROUNDS):
            # So much more than epsilon that others hardly ever make up for it.
            more = min((value + depth) / tilt for tilt, value in back)
            parts = tuple((moments.below(epsilon + more), counts) for moments, counts in families)
            cut = tuple(
                (one, float(count))
                for moments, counts in parts
                if (outcomes := moments.cut())
                for one, count in zip(outcomes, counts, strict=True)
                if one is not None
            )
            if not cut:
                return found
            found = parts, cls(cut, back, reverse.lost)
            log_chance = math.log(max(sum(count * one.q.upper for one, count in cut), 1e-300))
            wanted = max(negligible(precision) + min(log_chance, 0.0) - log_delta, 1.0)
            if abs(wanted - depth) < 1.0:
                break
            depth = wanted
        return found

    def meets(self, log_delta: float, most: float) -> float:
        """About the epsilon, up to one, at which these outcomes alone are e^log_delta of delta."""
        low, high = 0.0, most
        for _ in range(12):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if self.rest(middle).lower > math.exp(log_delta) else (low, middle)
        return high

    def rest(self, epsilon: float, apart: float = 0.0) -> Interval:
        """What the outcomes that were cut add to delta at an epsilon, and at all that are no farther from it than that."""
        point = Ball(epsilon, apart)
        # Of P and Q the logarithms of the chance that nothing is cut.
        log_q = log_gap = many = Ball(0.0)
        least = math.inf
        for one, count in self.parts:
            log_q = log_q + log1p(-one.q) * count
            log_gap = log_gap + log1p(-one.gap / (1.0 - one.q)) * count
            many = many + one.q * count
            least = min(least, one.least)
        q, grown = -expm1(log_q), exp(point)
        share = exp(log_q) * -expm1(log_gap) - expm1(point) * q
        room = (Ball(least) - point).lower
        back = min(((Ball(value) - Ball(tilt) * room).upper for tilt, value in self.back), default=math.inf)
        chance = min(1.0, ((exp(Ball(back)) if back < 0.0 else Ball(1.0)) + self.lost).upper)
        most = min((grown * many * chance).upper, (grown * q).upper)
        lower = max(share.lower, 0.0)
        return Interval(lower, max(lower, (share + most).upper, 0.0))
