"""Log moments of a mirrored loss, from the masses of its base above 0.

With y = e^-l the moment of order t exceeds 1 by the integral of y^-t - 1 + y^(1 + t) - y over P's masses of losses l > 0.
That is convex in y. Of a cell with known masses of P and Q, and so with a known mean of y, the integral is largest with all
mass at its ends, and smallest with all mass at the mean.
"""

from __future__ import annotations

import math

import numpy as np
from attrs import frozen

from accountant.loss.readings.arrays import Floats
from accountant.loss.readings.base import ROUNDOFF, TINY, PrivacyLoss
from accountant.numbers.interval import Interval

_CELLS = 2000
_LEAST = 1e-9
"""Losses below this share of the largest are taken together."""
_LOG_TAIL = -700.0
_MORE = (1.0, 4.0, 16.0, 64.0)


@frozen(eq=False)
class Halves:
    """Cells of a loss above 0, with bounds on the masses of P that count at each end, and on the mean of y between."""

    base: PrivacyLoss
    edges: Floats
    at_left: Floats
    at_right: Floats
    least: Floats
    means: Floats
    """Losses with the largest mean y that each cell may have."""
    beyond: float

    @classmethod
    def of(cls, base: PrivacyLoss) -> Halves:
        supremum = base.supremum().upper
        bounded = supremum < 700.0
        top = max(supremum if bounded else min(base.window(_LOG_TAIL)[1], 700.0), 1e-300)
        edges = np.unique(np.concatenate([[0.0], np.geomspace(_LEAST * top, top, _CELLS), np.linspace(0.0, top, _CELLS)]))
        cells = base.cells(edges)
        gap = cells.p - cells.q if cells.gap is None else cells.gap
        doubt = cells.p_error + cells.q_error if cells.gap_error is None else cells.gap_error
        doubt = doubt + 4 * ROUNDOFF * (cells.p + cells.q)
        most = (cells.p + cells.p_error)[1:-1]
        shrink = -np.expm1(-np.diff(edges))
        to_right = np.minimum(np.maximum(gap + doubt, 0.0)[1:-1] / shrink * (1.0 + 8 * ROUNDOFF), most)
        least = np.maximum(cells.p - cells.p_error, 0.0)[1:-1]
        falls = np.clip((gap - doubt)[1:-1] / np.maximum(most, TINY), 0.0, shrink)
        means = edges[:-1] - np.log1p(-falls)
        means = np.clip(means * (1.0 - 8 * ROUNDOFF) - cells.slack, edges[:-1], edges[1:])
        to_left, beyond = most - to_right, float(cells.p[-1] + cells.p_error[-1])
        if bounded:
            # Above the largest loss there is only what rounding put there.
            to_right[-1], beyond = to_right[-1] + beyond, 0.0
        return cls(base, edges + 2.0 * cells.slack, to_left, to_right, least, means, beyond)

    def log_moment(self, order: float) -> Interval:
        """The log moment of the mirrored loss."""
        infinite = self.base.infinite()
        if infinite.upper > 0.0:
            return Interval(math.inf if infinite.lower > 0.0 else 0.0, math.inf)
        at_edges, at_means = _log_excess(self.edges, order), _log_excess(self.means, order)
        parts = [(self.at_left, at_edges[:-1]), (self.at_right, at_edges[1:])]
        upper = _log_sum(parts, order * float(self.edges[-1]), 1.0)
        if self.beyond > 0.0:
            upper = float(np.logaddexp(upper, self._log_tail(order)))
        lower = _log_sum([(self.least, at_means)], order * float(self.edges[-1]), -1.0)
        return Interval(min(_log1p_exp(lower, -1.0), _log1p_exp(upper, 1.0)), _log1p_exp(upper, 1.0))

    def _log_tail(self, order: float) -> float:
        """Chernoff: of losses above c the moment of order t is at most e^((t - s) c) times that of a higher order s."""
        last = float(self.edges[-1])
        bounds = [self.base._log_moment_at(order + more).upper - more * last for more in _MORE]
        return min(bounds) + 1e-9 * (1.0 + abs(min(bounds))) + math.log(2.0)


def _log_excess(losses: Floats, order: float) -> Floats:
    """log(y^-t - 1 + y^(1 + t) - y) = t l + log(1 - e^(-t l)) + log(1 - e^(-(1 + t) l))."""
    with np.errstate(divide="ignore"):
        rises = np.log(-np.expm1(-order * losses)) + np.log(-np.expm1(-(1.0 + order) * losses))
    total: Floats = order * losses + rises
    return total


def _log_sum(parts: list[tuple[Floats, Floats]], reach: float, direction: float) -> float:
    """The logarithm of a sum of masses times e^(logarithms), rounded to one side."""
    with np.errstate(divide="ignore"):
        terms = np.concatenate([np.log(masses) + logs for masses, logs in parts])
    top = float(np.max(terms, initial=-math.inf))
    if top == -math.inf:
        return top
    doubt = ROUNDOFF * (64.0 + terms.size + 8.0 * abs(reach) + 8.0 * abs(top))
    return top + math.log(float(np.sum(np.exp(terms - top)))) + direction * doubt


def _log1p_exp(value: float, direction: float) -> float:
    """log(1 + e^value), rounded to one side; never below 0."""
    found = value + math.log1p(math.exp(-value)) if value > 0.0 else math.log1p(math.exp(value))
    return max(0.0, found * (1.0 + direction * 8 * ROUNDOFF)) + (TINY if direction > 0.0 else 0.0)
