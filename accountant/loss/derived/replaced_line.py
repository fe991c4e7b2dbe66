"""The loss of noise on a sum over a Poisson sample when one record is replaced by another.

Without the record the answer is at 0, with the first one at one point of a line and with the second at another. Every
partition of the line is a function of the outcome, so the masses of (1 - rate) N + rate F and (1 - rate) N + rate S on its
parts are a loss that the release has. See docs/explanation/sampling.md.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
from attrs import evolve, frozen

from accountant.loss.derived.merged import MergedLoss, Outcomes
from accountant.loss.families.noise import Noise
from accountant.loss.readings.arrays import Floats
from accountant.loss.readings.base import PrivacyLoss
from accountant.numbers.rounding import Ball, Balls

_PARTS = 4096
_MOST_WHOLE = 2**16
_LOG_TAIL = -60.0
_SEEN = 1e-200


def replaced_on_line(noise: Noise, first: Fraction, second: Fraction, rate: Fraction) -> PrivacyLoss | None:
    """A loss from below: of the record that adds `first` against the one that adds `second`. None where it is too far."""
    line = LineOutcomes(noise, first, second, rate)
    return MergedLoss(line) if line.held() else None


@frozen
class LineOutcomes(Outcomes):
    """Two laws on parts of a line."""

    noise: Noise
    first: Fraction
    second: Fraction
    rate: Fraction

    def held(self) -> bool:
        """Whether parts tell the three places apart, and few enough cover them."""
        low, high = self._range
        moved = float(max(abs(self.first), abs(self.second)))
        if self.noise.whole:
            return high - low <= _MOST_WHOLE
        return math.isfinite(high - low) and moved > 1e-5 * (high - low)

    @property
    def _range(self) -> tuple[float, float]:
        reach = self.noise.reach(_LOG_TAIL)
        places = 0.0, float(self.first), float(self.second)
        return min(places) - reach, max(places) + reach

    def _edges(self) -> Floats:
        low, high = self._range
        if self.noise.whole:
            return np.arange(math.floor(low), math.ceil(high) + 1, dtype=np.float64) + 0.5
        # Where the noise has a corner, so have the laws, and losses of noise with long tails change between these alone.
        places = sorted((0.0, float(self.first), float(self.second)))
        between = [np.linspace(*ends, _PARTS // 4) for ends in pairwise(places)]
        return np.unique(np.concatenate([np.linspace(low, high, _PARTS), *between]))

    def masses(self) -> tuple[Floats, Floats]:
        rate, rest, edges = Ball.of(self.rate), Ball.of(1 - self.rate), self._edges()
        absent, present, other = (self.noise.masses(edges, place) for place in (Fraction(0), self.first, self.second))
        first = Balls(absent[0]) * rest + Balls(present[0]) * rate
        second = Balls(absent[1]) * rest + Balls(other[1]) * rate
        return np.maximum(first.lower, 0.0), second.upper

    def exchanged(self) -> Outcomes:
        return evolve(self, first=self.second, second=self.first)

    def thresholds(self) -> tuple[Floats, Floats]:
        """About the losses of the first record against none and against the second, along the line; these are no bounds."""
        edges = self._edges()
        absent, present, other = (self.noise.masses(edges, place)[1] for place in (Fraction(0), self.first, self.second))
        seen = (np.minimum(np.minimum(absent, present), other) > _SEEN) & (present >= other)
        near, far = np.log(present[seen] / absent[seen]), np.log(present[seen] / other[seen])
        return near, far
