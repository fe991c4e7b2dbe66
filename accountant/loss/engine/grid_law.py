"""The law of a composed loss on a grid, with every error it carries, and how delta is read from it."""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np
from attrs import frozen

from accountant.loss.engine.grid_tails import Tails
from accountant.loss.readings.arrays import Floats
from accountant.loss.readings.base import log_largest_gain
from accountant.numbers.interval import Interval
from accountant.numbers.rounding import Ball, Balls, exp, expm1


@frozen(eq=False)
class GridLaw:
    """The law of the composed loss, tilted: entry j is the mass at loss `base + j step`, times e^(tilt loss - log_scale).

    `masses` are off by at most `error` each, beside a relative `spread`. `beyond` bounds the tilted mass above the grid,
    `wrapped` what may have been added to all entries together from outside it, and `stray` what was lost anywhere.
    `infinite_*` bound the mass at +infinity, `slack` how far any loss was displaced, and `log_doubt` the rounding of
    `log_scale`.
    """

    base: float
    step: float
    tilt: float
    log_scale: float
    log_doubt: float
    masses: Floats
    error: float
    spread: float
    beyond: float
    wrapped: float
    stray: float
    infinite_lower: float
    infinite_upper: float
    slack: float

    @property
    def size(self) -> int:
        """How many points the grid has."""
        return self.masses.size

    @property
    def peak(self) -> float:
        """The most likely tilted loss."""
        return self.base + self.step * float(np.argmax(self.masses))

    def delta_above(self, epsilon: float) -> float:
        """An upper bound on delta(epsilon).

        Below the grid, delta is convex in e^epsilon and 1 where that is 0, so it lies below the chord to the first loss.
        """
        point = (Ball(epsilon) - self.slack).lower
        if point < self.base:
            fall = exp(Ball(max(point, self.base - 700.0)) - self.base) * (1.0 - Ball(self._above(self.base)))
            return min(1.0, max(0.0, (1.0 - fall).upper))
        return self._above(point)

    def _above(self, point: float) -> float:
        total = self._most.total(*self._from(point))
        if self.beyond:
            # The distance to the end is as uncertain as all others.
            end = self.base + self.step * self.masses.size
            total = total + exp(Ball(min(0.0, -self.tilt * (end - point)))) * self.beyond
        whole = (total * self._known).widened(self.stray) * self._scale(point)
        return min(1.0, (whole + self.infinite_upper).upper)

    def delta_below(self, epsilon: float) -> float:
        """A lower bound on delta(epsilon); it is never below 1 - e^epsilon."""
        return self.band_below(epsilon).lower

    def band_below(self, epsilon: float) -> Interval:
        """A function below delta that is convex in e^epsilon, as an interval that rounding alone makes wide.

        It is the delta of masses taken down by their errors, or 1 - e^epsilon where that is larger.
        """
        point = (Ball(epsilon) + self.slack).upper
        # What was added from outside is so much altogether; no gain is above tilt^tilt/(1 + tilt)^(1 + tilt).
        taken = min(1.0, exp(Ball(log_largest_gain(self.tilt))).upper)
        left = self._least.total(*self._from(point)) * self._known - Ball(self.wrapped) * taken
        finite = Ball(max(left.middle, 0.0), left.radius) * self._scale(point) + self.infinite_lower
        least = -expm1(Ball(min(epsilon, 0.0)))
        lower, upper = (
            min(1.0, max(0.0, ends[0], ends[1])) for ends in ((finite.lower, least.lower), (finite.upper, least.upper))
        )
        # Rounding the losses moves the function by as much, times a mass of at most 1.
        reach = 1.0 + abs(self.base) + self.step * self.masses.size + abs(point)
        return Interval(lower, Ball.rounded(upper, 16.0, reach).upper)

    def atoms(self, *, upper: bool) -> tuple[Floats, Floats, float]:
        """Losses, their masses and the mass at infinity, of a law without tilt: none too small, or none too large.

        Beside that each loss may be displaced by the slack.
        """
        assert self.tilt == 0.0
        losses = self.base + self.step * np.arange(self.masses.size, dtype=np.float64)
        log_scale = Ball(self.log_scale, self.log_doubt)
        scale = exp(Ball(log_scale.upper if upper else log_scale.lower))
        known = scale * Ball(1.0, self.spread)
        if upper:
            beyond = (Ball(self.beyond) + self.stray) * known + self.infinite_upper
            return losses, ((Balls(np.maximum(self.masses, 0.0)) + self.error) * known).upper, min(1.0, beyond.upper)
        masses: Floats = np.maximum(((Balls(self.masses) - self.error).at_least(0.0) * known).lower, 0.0)
        # What may have been added from outside is taken from the largest losses, where it would count most. Sums of masses,
        # which are at most 1 together, round.
        above = np.cumsum(masses[::-1])[::-1] - masses
        least = Ball.rounded((scale * self.wrapped).upper, masses.size, 1.0).upper
        left = (Balls(masses) - np.clip(least - above, 0.0, masses)).lower
        return losses, np.maximum(left, 0.0), self.infinite_lower

    def _from(self, point: float) -> tuple[int, float]:
        """One or two losses below a point, or the first one: its place, and how far it is above the point."""
        place = (point - self.base) / self.step
        first = math.floor(min(max(place - 1.0, 0.0), self.masses.size))
        return first, (self.base - point) + self.step * first

    @cached_property
    def _most(self) -> Tails:
        """The masses, none too small."""
        return Tails.of(np.maximum(self.masses, 0.0) + self.error, self.step, self.tilt)

    @cached_property
    def _least(self) -> Tails:
        """The masses, none too large."""
        return Tails.of(np.maximum(self.masses - self.error, 0.0), self.step, self.tilt)

    @cached_property
    def _known(self) -> Ball:
        """What is known of any term of a sum, as a share of it.

        Weights round once, both functions are granted 8 roundings, and their product rounds. Losses are off by up to 8
        roundoffs of how far they reach, which the tilt feels, and its product rounds too. A displaced loss moves the gain
        1 - e^-distance as well; that is part of the slack.
        """
        reach = self.step * self.masses.size + abs(self.base)
        return Ball.rounded(1.0, 18.0 + 9.0 * self.tilt * reach).widened(self.spread)

    def _scale(self, point: float) -> Ball:
        """What a tilted sum is multiplied with at a point."""
        return exp(Ball(self.log_scale, self.log_doubt) - Ball(self.tilt) * point)
