"""Log moments of a mirrored loss, from the masses of its base above 0.

With y = e^-l the moment of order t exceeds 1 by the integral of y^-t - 1 + y^(1 + t) - y over P's masses of losses l > 0.
That is convex in y. Of a cell with known masses of P and Q, and so with a known mean of y, the integral is largest with all
mass at its ends, and smallest with all mass at the mean.
"""

from __future__ import annotations

import math

import numpy as np
from attrs import frozen

from accountant.loss.derived.log_sums import log1p_exp, log_of_terms
from accountant.loss.derived.masses import Masses
from accountant.loss.readings.arrays import Floats
from accountant.loss.readings.base import PrivacyLoss
from accountant.numbers.interval import Interval
from accountant.numbers.rounding import Ball, Balls, expm1, log, log1p

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
        masses = Masses.of(cells)
        inner, beyond = masses.part(1, -1), masses.p.entry(-1).most
        most, least = inner.p.upper, np.maximum(inner.p.lower, 0.0)
        # What an end of a cell is displaced by moves what the masses of Q lack in units of it.
        gap = inner.gap.widened(2.0 * cells.slack * most)
        shrink = -expm1(Balls(edges[:-1]) - edges[1:])
        to_right = np.minimum((Balls(np.maximum(gap.upper, 0.0)) / shrink).upper, most)
        falls = np.clip((Balls(gap.lower) / most).lower, 0.0, shrink.lower)
        means = (Balls(edges[:-1]) - log1p(Balls(-falls))).widened(cells.slack).lower
        to_left = (Balls(most) - to_right).upper
        if bounded:
            # Above the largest loss there is only what rounding put there.
            to_right[-1], beyond = (Ball(float(to_right[-1])) + beyond).most, 0.0
        places = Balls(edges).widened(2.0 * cells.slack).upper
        return cls(base, places, to_left, to_right, least, np.clip(means, edges[:-1], edges[1:]), beyond)

    def log_moment(self, order: float) -> Interval:
        """The log moment of the mirrored loss."""
        infinite = self.base.infinite()
        if infinite.upper > 0.0:
            return Interval(math.inf if infinite.lower > 0.0 else 0.0, math.inf)
        at_edges, at_means = _log_excess(self.edges, order), _log_excess(self.means, order)
        parts = [(self.at_left, at_edges[:-1]), (self.at_right, at_edges[1:])]
        most = _log_sum(parts, order * float(self.edges[-1]))
        if self.beyond > 0.0:
            most = log_of_terms(np.array([most.upper, self._log_tail(order)]), 0.0, 0.0)
        least = _log_sum([(self.least, at_means)], order * float(self.edges[-1]))
        lower, upper = max(0.0, log1p_exp(least).lower), max(0.0, log1p_exp(most).upper)
        return Interval(min(lower, upper), upper)

    def _log_tail(self, order: float) -> float:
        """Chernoff: of losses above c the moment of order t is at most e^((t - s) c) times that of a higher order s."""
        last, double = float(self.edges[-1]), log(Ball(2.0))
        higher = [order + more for more in _MORE]
        bounds = [Ball(self.base._log_moment_at(s).upper) - (Ball(s) - order) * last + double for s in higher]
        return min(bound.upper for bound in bounds)


def _log_excess(losses: Floats, order: float) -> Floats:
    """log(y^-t - 1 + y^(1 + t) - y) = t l + log(1 - e^(-t l)) + log(1 - e^(-(1 + t) l))."""
    with np.errstate(divide="ignore"):
        rises = np.log(-np.expm1(-order * losses)) + np.log(-np.expm1(-(1.0 + order) * losses))
    total: Floats = order * losses + rises
    return total


def _log_sum(parts: list[tuple[Floats, Floats]], reach: float) -> Ball:
    """The logarithm of a sum of masses times e^(logarithms), of which the exponents are at most `reach`.

    A term is the sum of an exponent and three logarithms, of which two have arguments that are off by 9 roundoffs, and the
    exponent rounds twice: 20 in all.
    """
    with np.errstate(divide="ignore"):
        terms = np.concatenate([np.log(masses) + logs for masses, logs in parts])
    return log_of_terms(terms, reach, 20.0)
