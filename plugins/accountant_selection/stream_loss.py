"""The loss of the sparse vector technique."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from attrs import evolve, frozen

from accountant import Interval, PrivacyLoss
from accountant.loss import Event, FiniteLoss, RivalledLoss
from accountant.numbers.rounding import TINY, Ball, Balls, up
from accountant_selection.stream_points import Streams
from accountant_selection.two_outcomes import Points


@frozen
class StreamLoss(RivalledLoss):
    """A bracket whose largest loss some streams come as close to as one likes.

    Of one release, lower ends belong to what is `below`, or to one of some streams in which many answers are below before
    the last ones, whichever loses more.
    """

    streams: Streams | None = None

    @property
    def _points(self) -> Points:
        return Points.nothing() if self.streams is None else self.streams.attained

    def rivals(self, chance: float, at: Event = "gain") -> tuple[PrivacyLoss, ...]:
        """Whether one such stream has the answer in question: two outcomes, for several streams together."""
        points = self._points
        if at == "gain":
            with np.errstate(divide="ignore"):
                scores = np.log(np.maximum(points.p - chance, 0.0)) - np.log(points.q)
        else:
            scores = -np.abs(np.log((points.q if at == "level" else points.p) / chance))
        place = int(np.argmax(scores))
        p, q = Fraction(float(points.p[place])), Fraction(float(points.q[place]))
        # Less of the first law and more of the second is never farther apart.
        return (FiniteLoss([(p, q), (1 - p, 1 - q)]),) if 0 < q < p < 1 else ()

    def sharpened(self, precision: float) -> PrivacyLoss:
        return evolve(self, below=self.below.sharpened(precision))

    def supremum_formula(self) -> Interval:
        return self.above.supremum()

    def delta_formula(self, epsilon: float) -> Interval:
        points = self._points
        # e^epsilon is granted 4, and a product and a difference follow; gains that count have both terms below 1.
        gains = Balls.rounded(points.p - math.exp(min(epsilon, 700.0)) * points.q, 8.0, 1.0)
        return _raised(super().delta_formula(epsilon), float(np.max(gains.lower)))

    def _epsilon_at(self, target: Fraction, least: float = 0.0) -> Interval:
        points, level = self._points, up(float(target))
        spare = points.p - level
        kept = spare > 0.0
        found = float(np.max(np.log(spare[kept] / points.q[kept]), initial=0.0))
        # The logarithm is granted 8 of itself; a difference and a quotient are felt by as much as they round.
        return _raised(super()._epsilon_at(target, least), Ball.rounded(found, 16.0, 1.0 + found).lower)

    def log_moment_formula(self, order: float) -> Interval:
        pairs = self._points.pairs
        reach = float(np.max(pairs.highs)) - float(np.min(pairs.lows))
        most = Ball.rounded(float(np.max(pairs.log_moments(order))), 64.0, 1.0 + (1.0 + order) * (1.0 + reach))
        return _raised(super().log_moment_formula(order), most.widened(TINY).lower)


def _raised(known: Interval, lower: float) -> Interval:
    """The same with its lower end raised to what is attained."""
    return Interval(min(max(known.lower, lower), known.upper), known.upper)
