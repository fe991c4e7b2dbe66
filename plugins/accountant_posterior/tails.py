"""How often an output speaks more than so strongly for the first dataset of a pair, under either dataset.

With D(y) the hockey-stick curve delta(log y), the chance under the second dataset Q that P/Q is above y is the slope at
which D falls to the right of y. D is convex, so chords bound slopes from both sides; and under the first dataset the chance
is D(y) + y times that. Losses that know the masses between edges are asked for them instead, and finite ones are counted.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction

import numpy as np
from attrs import frozen

from accountant import Interval, log_of
from accountant.loss import ROUNDOFF, ComposedLoss, FiniteLoss, PrivacyLoss
from accountant_posterior.odds import exponential

_STEPS = (0.3, 0.03, 0.003)
_FARTHEST = 600.0


@frozen
class Tail:
    """The chances that the likelihood ratio exceeds a value, when the first and when the second dataset is the true one."""

    first: Interval
    second: Interval


def above(loss: PrivacyLoss, ratio: Fraction) -> Tail:
    """The chances of a likelihood ratio above a positive number."""
    if isinstance(loss, FiniteLoss):
        return _counted(loss, (p > ratio * q for p, q in loss.atoms))
    return beyond(loss, log_of(ratio))


def at_least(loss: PrivacyLoss, ratio: Fraction) -> Tail:
    """The chances of a likelihood ratio of at least a positive number."""
    if isinstance(loss, FiniteLoss):
        return _counted(loss, (p >= ratio * q for p, q in loss.atoms))
    place = log_of(ratio)
    return beyond(loss, Interval(math.nextafter(place.lower, -math.inf), place.upper))


def beyond(loss: PrivacyLoss, place: Interval) -> Tail:
    """The chances of a loss above a value that is known up to an interval."""
    low, high = _above(loss, place.upper), _above(loss, place.lower)
    return Tail(_hull(low.first, high.first), _hull(low.second, high.second))


def _counted(loss: FiniteLoss, chosen: Iterable[bool]) -> Tail:
    kept = [atom for atom, taken in zip(loss.atoms, chosen, strict=True) if taken]
    first, second = (sum((atom[side] for atom in kept), Fraction(0)) for side in (0, 1))
    return Tail(Interval.of(first), Interval.of(second))


def _hull(low: Interval, high: Interval) -> Interval:
    if low.exact is not None and low.exact == high.exact:
        return low
    return Interval(min(low.lower, high.upper), high.upper)


def _above(loss: PrivacyLoss, place: float) -> Tail:
    """The chances of a loss above a double."""
    if abs(place) > _FARTHEST:
        return _far(loss, place)
    if isinstance(loss, FiniteLoss):
        ends = exponential(Interval(place, place))
        low, high = (above(loss, Fraction(end)) for end in (ends.upper, ends.lower))
        return Tail(_hull(low.first, high.first), _hull(low.second, high.second))
    by_curve = isinstance(loss, ComposedLoss) or loss.dominating() is not loss or loss.dominated() is not loss
    return _slopes(loss, place) if by_curve else _cells(loss, place)


def _far(loss: PrivacyLoss, place: float) -> Tail:
    """Beyond what doubles hold as ratios: the nearest place that they do hold bounds one side."""
    if place > 0.0:
        near = _above(loss, _FARTHEST)
        return Tail(Interval(loss.infinite().lower, near.first.upper), Interval(0.0, near.second.upper))
    near = _above(loss, -_FARTHEST)
    return Tail(Interval(near.first.lower, 1.0), Interval(near.second.lower, 1.0))


def _cells(loss: PrivacyLoss, place: float) -> Tail:
    # Losses may count as lying on an edge that is this close.
    slack = loss.cells(np.array([place])).slack + 64 * ROUNDOFF * (1.0 + abs(place))
    firsts, seconds = [], []
    for edge in (place + slack, place - slack):
        cells = loss.cells(np.array([edge]))
        finite, error = float(cells.p[1]), float(cells.p_error[1])
        less, less_error = float(cells.p[0]), float(cells.p_error[0])
        rest = Interval(1.0 - less - less_error - 2 * ROUNDOFF, 1.0 - less + less_error + 2 * ROUNDOFF)
        firsts.append(_narrower(Interval.around(finite, error) + cells.infinite, rest))
        scaled, scaled_error = float(cells.q[1]), float(cells.q_error[1])
        unscaled = math.exp(-edge)
        doubt = 8 * ROUNDOFF * (1.0 + abs(edge))
        seconds.append(
            Interval(
                max(0.0, (scaled - scaled_error) * unscaled * (1.0 - doubt)),
                (scaled + scaled_error) * unscaled * (1.0 + doubt),
            )
        )
    return Tail(_hull(*firsts).clamp(0.0, 1.0), _hull(*seconds).clamp(0.0, 1.0))


def _narrower(one: Interval, other: Interval) -> Interval:
    lower = max(one.lower, other.lower)
    return Interval(lower, max(lower, min(one.upper, other.upper)))


def _slopes(loss: PrivacyLoss, place: float) -> Tail:
    here = loss.delta(place)
    lower, upper = 0.0, 1.0
    for step in _STEPS:
        # Under the first dataset: D(y) + y s, and y times the slope s of a chord of relative length step is a difference
        # of two values of D, divided by e^step - 1 to the right and by 1 - e^-step to the left.
        right, left = loss.delta(place + step), loss.delta(place - step)
        rise, fall = math.expm1(step), -math.expm1(-step)
        doubt = 2.0**-45 * (here.upper / rise + left.upper / fall)
        lower = max(lower, (here.lower - right.upper) / rise - doubt)
        upper = min(upper, (left.upper - here.lower) / fall + doubt)
    lower = min(lower, upper)
    # The sum of D(y) and the bound from the left falls as D(y) grows, so its lower end serves for both ends.
    first = Interval(math.nextafter(here.lower + lower, 0.0), math.nextafter(here.lower + upper, 2.0))
    unscaled, doubt = math.exp(-place), 1.0 + 2.0**-45 * (1.0 + abs(place))
    return Tail(first.clamp(0.0, 1.0), Interval(lower * unscaled / doubt, upper * unscaled * doubt).clamp(0.0, 1.0))
