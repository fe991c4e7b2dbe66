"""What the sparse vector technique attains: many answers below, then all that are above.

The chance of such an answer is the integral of a product of a Laplace density, powers of a Laplace law and powers of its
complement, all log-concave. So on each piece the integrand lies above its chords and below its tangents, in logarithms.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

import numpy as np
from attrs import frozen

from accountant.loss import Floats
from accountant.numbers.rounding import lowered, raised
from accountant_selection.two_outcomes import Points

_HEIGHTS = 40
_PIECES = 192
_TIMES = 2.0**15
"""More roundings than logarithms of all factors and sums over all pieces have together."""
_LEAST, _MOST, _MOST_ABOVE = Fraction(1, 100), Fraction(10**4), 64
"""Scales, and numbers of answers above, that are looked at."""


@frozen
class Streams:
    """Streams on which queries that stay below rise by 1 and those that go above fall by 1, or stay if monotone.

    The scales are in units of the move.
    """

    threshold: Fraction
    query: Fraction
    cutoff: int
    monotone: bool

    @property
    def attained(self) -> Points:
        """Chances of the outcome that so many queries are below, and then all are above."""
        held = all(_LEAST <= scale <= _MOST for scale in (self.threshold, self.query)) and self.cutoff <= _MOST_ABOVE
        return _attained(self) if held else Points.nothing()


@lru_cache(maxsize=64)
def _attained(streams: Streams) -> Points:
    first, second, cutoff = float(streams.threshold), float(streams.query), streams.cutoff
    few = cutoff + math.ceil(second / first) + 3
    heights = np.linspace(-2.0, 8.0, _HEIGHTS) * (first + second)
    q, p = [], []
    for below in (1, few, 32 * few):
        stream, higher = Stream(first, second, below, cutoff), second * math.log(below)
        for depth in (-heights, 0.5 * (first + second) - np.abs(heights)):
            p.append(stream.chances(heights - higher, depth)[0])
            q.append(stream.chances(heights - higher + 1.0, depth - (0.0 if streams.monotone else 1.0))[1])
    return Points.outermost(np.concatenate(q), np.concatenate(p))


@frozen
class Stream:
    """Queries that stay below, all at one height, and then others that go above, all at another."""

    first: float
    second: float
    below: int
    above: int

    def chances(self, low: Floats, high: Floats) -> tuple[Floats, Floats]:
        """Bounds on the chance of that answer with a threshold of 0, for queries at each of these heights."""
        low, high = low[:, None], high[:, None]
        corners = np.sort(np.concatenate([np.zeros(low.shape), low, high], axis=1), axis=1)
        reach = 40.0 / (1.0 / self.first + 1.0 / self.second)
        share = np.linspace(0.0, 1.0, _PIECES + 1)
        bounds = np.concatenate([corners[:, :1] - reach, corners, corners[:, -1:] + reach], axis=1)
        # Between two corners all factors are smooth.
        edges = np.concatenate([bounds[:, k : k + 1] + np.diff(bounds)[:, k : k + 1] * share for k in range(4)], axis=1)
        middles, widths = 0.5 * (edges[:, :-1] + edges[:, 1:]), np.maximum(np.diff(edges), 0.0)
        logs, falls = self._integrand(edges, low, high)
        tops, slopes = self._integrand(middles, low, high)
        least = np.exp(np.minimum(logs[:, :-1], logs[:, 1:])) * widths * _mean_rise(np.abs(np.diff(logs)))
        most = np.exp(tops - 0.5 * np.abs(slopes) * widths) * widths * _mean_rise(np.abs(slopes) * widths)
        beyond = np.exp(logs[:, [0, -1]]) / np.abs(falls[:, [0, -1]])
        above = np.sum(most, axis=1) + np.sum(beyond, axis=1)
        return lowered(np.sum(least, axis=1), _TIMES), raised(above, _TIMES)

    def _integrand(self, z: Floats, low: Floats, high: Floats) -> tuple[Floats, Floats]:
        """Its logarithm and the slope of that."""
        log_below, slope_below = _log_law((z - low) / self.second)
        log_above, slope_above = _log_law((high - z) / self.second)
        logs = -np.abs(z) / self.first - math.log(2.0 * self.first) + self.below * log_below + self.above * log_above
        slopes = -np.sign(z) / self.first + (self.below * slope_below - self.above * slope_above) / self.second
        return logs, slopes


def _log_law(z: Floats) -> tuple[Floats, Floats]:
    """The logarithm of the chance that Laplace noise stays below z, and its slope."""
    tail = 0.5 * np.exp(-np.abs(z))
    return np.where(z < 0.0, z - math.log(2.0), np.log1p(-tail)), np.where(z < 0.0, 1.0, tail / (1.0 - tail))


def _mean_rise(rise: Floats) -> Floats:
    """The mean of e^x for x from 0 to each of these."""
    found: Floats = np.where(rise > 1e-8, np.expm1(np.minimum(rise, 700.0)) / np.maximum(rise, 1e-8), 1.0 + 0.5 * rise)
    return found
