"""Integrals of a hockey-stick curve with a falling weight, enclosed from both sides.

With x = e^epsilon, delta falls in epsilon and is convex in x. So on a piece of the line it lies below its chord, and its
mean with any weight is at least its value at the mean place (Jensen). Both integrals are known in closed form, and they
meet as pieces get shorter.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache

import numpy as np
from attrs import field, frozen

from accountant import Interval
from accountant.loss import Floats, PrivacyLoss
from accountant.numbers.rounding import Ball, Balls, exp, expm1, log, total

_BEGINNING, _MOST, _CLOSE = 16, 400, 1e-5
_FAR, _RARE = 80.0, 1e-10
_TILTS = tuple(2.0**power for power in range(-4, 9))


@frozen(eq=False)
class _Same:
    """A loss that is known by being the very same: those that only equal it are read themselves."""

    loss: PrivacyLoss

    def __hash__(self) -> int:
        return id(self.loss)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.loss is other.loss


def integral(loss: PrivacyLoss, rate: float, *, reverse: bool = False) -> Interval:
    """The integral of e^(-rate epsilon) delta(epsilon) over all epsilon above 0, for a rate of at least 0.

    A loss is read once, though it is a part of several products and a release of its own.
    """
    back = loss.reverse() if reverse else loss
    return _integral(_Same(loss), rate, reverse and back is not loss)


@lru_cache(maxsize=64)
def _integral(same: _Same, rate: float, reverse: bool) -> Interval:
    loss = same.loss.reverse() if reverse else same.loss
    start = loss.delta(0)
    if start.upper == 0.0:
        return Interval.of(0)
    end = _end(loss, start.lower, rate)
    return _Pieces(loss, rate, np.linspace(0.0, end, _BEGINNING + 1)).enclosed(_beyond(loss, end, rate))


def _end(loss: PrivacyLoss, most: float, rate: float) -> float:
    """Where hardly anything is left: all of it, where losses are bounded by little."""
    top = loss.supremum().upper
    if top <= 1.0:
        return max(top, 1e-300)
    rare = Fraction(most) * Fraction(_RARE)
    found = loss.epsilon(rare).upper if 0 < rare < 1 else math.inf
    return min(found, top, _FAR / rate if rate else math.inf, _FAR * 8.0)


def _beyond(loss: PrivacyLoss, end: float, rate: float) -> float:
    """An upper bound on the integral from a place on."""
    left, top = Ball(loss.delta(Fraction(end)).upper), loss.supremum().upper
    if top <= end and loss.infinite().upper == 0.0:
        return 0.0
    bounds = [(left * (Ball(top) - end)).upper if top < math.inf else math.inf]
    if rate:
        bounds.append((left * exp(Ball(end) * -rate) / rate).upper)
    # delta is at most the mean of e^(t (L - epsilon)), which is e^(t (D - epsilon)) for D the divergence of order 1 + t.
    for order in {1.0 + part / end for part in _TILTS} - {1.0}:
        moment, tilt = loss.renyi(Fraction(order)).upper, order - 1.0
        if moment < math.inf:
            bounds.append((exp((Ball(moment) - end) * tilt) / tilt).upper)
    return min(bounds)


@frozen(eq=False)
class _Pieces:
    """A line cut into pieces, at whose ends and mean places a curve is read."""

    loss: PrivacyLoss
    rate: float
    edges: Floats
    read: dict[float, Interval] = field(factory=dict)

    def enclosed(self, rest: float) -> Interval:
        """The integral, with a bound on what lies beyond the last piece."""
        edges = self.edges
        while True:
            low, high = self._sums(edges)
            gaps = high.upper - low.lower
            far = (total(high) + rest).upper
            if gaps.sum() <= _CLOSE * far or edges.size > _MOST:
                return Interval(max(0.0, min(total(low).lower, far)), far)
            wide = gaps > gaps.sum() / (2.0 * gaps.size)
            edges = np.sort(np.concatenate([edges, 0.5 * (edges[:-1] + edges[1:])[wide]]))

    def _sums(self, edges: Floats) -> tuple[Balls, Balls]:
        """For each piece what the integral over it is at least, and at most."""
        length = Balls(edges[1:]) - Balls(edges[:-1])
        weight = exp(Balls(edges[:-1]) * -self.rate)
        grown = expm1(length)
        mass, moment = _primitive(length, self.rate), _primitive(length, self.rate - 1.0)
        right = (moment - mass) / grown
        # A place that is not before the mean one: the curve falls.
        means = np.minimum((Balls(edges[:-1]) + log(moment / mass)).upper, edges[1:])
        ends = self._at(edges, lambda value: value.upper)
        low = mass * weight * self._at(means, lambda value: value.lower)
        return low, weight * ((mass - right) * ends[:-1] + right * ends[1:])

    def _at(self, places: Floats, end: Callable[[Interval], float]) -> Floats:
        return np.array([end(self._delta(place)) for place in places.tolist()])

    def _delta(self, place: float) -> Interval:
        if place not in self.read:
            self.read[place] = self.loss.delta(Fraction(place))
        return self.read[place]


def _primitive(length: Balls, rate: float) -> Balls:
    """The integral of e^(-rate t) from 0 to a length."""
    return length if rate == 0.0 else expm1(length * -rate) * (-1.0 / rate)
