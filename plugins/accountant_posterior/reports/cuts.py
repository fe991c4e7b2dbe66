"""Cuts: an account's (epsilon, delta) at some places, and what tests can reach by them.

Each says P(A) <= e^epsilon Q(A) + delta for every event A, in both directions of the pair, so that the same holds of the
complement: P(A) <= e^-epsilon Q(A) + 1 - e^-epsilon (1 - delta). A test of level x and power b is such an event, so that
every cut (e, d), those of complements too, bounds

- the power at a level: b <= d + e^e x;
- the power of tests that have more than e^a times their level, for a > e: b <= d/(1 - e^(e - a));
- the factor b/x at a power b > d: its logarithm is at most e - log(1 - d/b).

The least of these bounds is what the hull of all cuts allows: cuts between two of them are mixtures of both.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from attrs import frozen

from accountant import Interval
from accountant.numbers.rounding import Ball, Balls, exp, expm1, joined, log1p

if TYPE_CHECKING:
    from accountant.loss import PrivacyLoss

_FARTHEST = 640.0


@frozen(eq=False)
class Cuts:
    """Upper ends of delta at some epsilons, none of them negative."""

    deltas: Mapping[float, float]

    @cached_property
    def loss(self) -> PrivacyLoss:
        """The smallest loss above all cuts."""
        from accountant.loss import CutLoss

        return CutLoss.through(np.array(list(self.deltas)), np.array(list(self.deltas.values())))

    @cached_property
    def _lines(self) -> tuple[Balls, Balls, Balls]:
        """Epsilon, e^epsilon and delta of all cuts, those of complements too."""
        # Cuts farther out than doubles reach are left out: fewer bound less tightly.
        near = {place: delta for place, delta in self.deltas.items() if place <= _FARTHEST}
        places, heights = Balls(np.array(list(near))), Balls(np.array(list(near.values())))
        both = joined([places, -places])
        return both, exp(both), joined([heights, heights * exp(-places) - expm1(-places)])

    def power(self, level: Fraction) -> Interval:
        """The largest power that the cuts leave to tests at a level."""
        _, factors, heights = self._lines
        return _least(heights + factors * Ball.of(level), 1.0)

    def exceeding(self, epsilon: float) -> Interval:
        """How much power the cuts leave to tests that have more than e^epsilon times their level."""
        places, _, heights = self._lines
        below = places.middle < epsilon
        shares = -expm1(places[below] - epsilon)
        # Where rounding leaves nothing of a share, a cut says nothing.
        certain = shares.lower > 0.0
        return _least(heights[below][certain] / shares[certain], 1.0)

    def gain(self, power: Fraction) -> Interval:
        """The logarithm of the largest factor between power and level that the cuts leave to tests of a power."""
        places, _, heights = self._lines
        shares = heights / Ball.of(power)
        certain = shares.upper < 1.0
        found = _least(places[certain] - log1p(-shares[certain]), math.inf)
        return Interval(max(0.0, found.lower), max(0.0, found.upper))


def _least(bounds: Balls, most: float) -> Interval:
    """The least of some bounds, from both sides; none is above the most."""
    lower, upper = (float(np.min(ends, initial=most)) for ends in (bounds.lower, bounds.upper))
    return Interval(min(lower, upper), upper)
