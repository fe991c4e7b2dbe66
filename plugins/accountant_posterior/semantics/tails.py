"""How often an output speaks more than so strongly for the first dataset of a pair, under either dataset.

With D(y) the hockey-stick curve delta(log y), the chance under the second dataset Q that P/Q is above y is the slope at
which D falls to the right of y. D is convex, so chords bound slopes from both sides; and under the first dataset the chance
is D(y) + y times that. Losses that know the masses between edges are asked for them instead, and finite ones are counted.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

import numpy as np
from attrs import frozen

from accountant import Interval
from accountant.loss import FiniteLoss, PrivacyLoss
from accountant.numbers import log_of
from accountant.numbers.rounding import Ball, down, exp, expm1
from accountant_posterior.semantics.odds import exponential

_STEPS = (0.05, 0.003)
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
    return beyond(loss, Interval(down(place.lower), place.upper))


def beyond(loss: PrivacyLoss, place: Interval) -> Tail:
    """The chances of a loss above a value that is known up to an interval."""
    if place.lower >= loss.supremum().upper:
        return Tail(loss.infinite(), Interval.of(0))
    if max(abs(place.lower), abs(place.upper)) > _FARTHEST:
        return _far(loss, place)
    if isinstance(loss, FiniteLoss):
        ends = exponential(place)
        return _between(above(loss, Fraction(ends.upper)), above(loss, Fraction(ends.lower)))
    if loss.precision is not None or loss.dominating() is not loss or loss.dominated() is not loss:
        return _slopes(loss, place)
    return _between(_cells(loss, place.upper, 1.0), _cells(loss, place.lower, -1.0))


def _between(low: Tail, high: Tail) -> Tail:
    return Tail(_hull(low.first, high.first), _hull(low.second, high.second))


def _counted(loss: FiniteLoss, chosen: Iterable[bool]) -> Tail:
    kept = [atom for atom, taken in zip(loss.atoms, chosen, strict=True) if taken]
    first, second = (sum((atom[side] for atom in kept), Fraction(0)) for side in (0, 1))
    return Tail(Interval.of(first), Interval.of(second))


def _hull(low: Interval, high: Interval) -> Interval:
    if low.exact is not None and low.exact == high.exact:
        return low
    return Interval(min(low.lower, high.upper), high.upper)


def _far(loss: PrivacyLoss, place: Interval) -> Tail:
    """Beyond what doubles hold as ratios: the nearest place that they do hold bounds one side."""
    near = beyond(loss, place.clamp(-_FARTHEST, _FARTHEST))
    first, second = Interval(near.first.lower, 1.0), Interval(near.second.lower, 1.0)
    if place.upper > _FARTHEST:
        first, second = Interval(loss.infinite().lower, first.upper), Interval(0.0, second.upper)
    if place.lower >= -_FARTHEST:
        first, second = Interval(first.lower, near.first.upper), Interval(second.lower, near.second.upper)
    return Tail(first, second)


def _cells(loss: PrivacyLoss, place: float, direction: float) -> Tail:
    """The masses above an edge just beside a place, in one direction: losses may count as lying on an edge this close."""
    slack = Ball.rounded(0.0, 64.0, 1.0 + abs(place)).widened(loss.cells(np.array([place])).slack).radius
    edge = place + direction * slack
    cells = loss.cells(np.array([edge]))
    less, more = (Ball(float(p), float(error)) for p, error in zip(cells.p, cells.p_error, strict=True))
    first = _narrower(more.interval() + cells.infinite, (1.0 - less).interval())
    # Masses of the second dataset are multiplied by e^edge.
    second = Ball(float(cells.q[1]), float(cells.q_error[1])) * exp(Ball(-edge))
    return Tail(first.clamp(0.0, 1.0), second.interval(0.0, 1.0))


def _narrower(one: Interval, other: Interval) -> Interval:
    lower = max(one.lower, other.lower)
    return Interval(lower, max(lower, min(one.upper, other.upper)))


def _slopes(loss: PrivacyLoss, place: Interval) -> Tail:
    """By chords of D: those to the right bound its slope from below, those to the left from above.

    Under the first dataset the chance is D(y) + y s, s the slope; and y s, for a chord of relative length e^step, is a
    difference of two values of D divided by e^step - 1 to the right and by 1 - e^-step to the left.
    """
    right, left = loss.delta(place.upper), loss.delta(place.lower)
    lower, upper = 0.0, 1.0
    for step in _STEPS:
        # How far apart places are is what they were rounded to.
        beyond_it, before_it = place.upper + step, place.lower - step
        rise, fall = expm1(Ball(beyond_it) - place.upper), -expm1(Ball(before_it) - place.lower)
        beside, before = loss.delta(beyond_it), loss.delta(before_it)
        lower = max(lower, ((Ball(right.lower) - beside.upper) / rise).lower)
        upper = min(upper, ((Ball(before.upper) - left.lower) / fall).upper)
    lower = min(lower, upper)
    # The sum of D(y) and the bound from the left falls as D(y) grows, so its lower end serves for both ends.
    least, most = (Ball(right.lower) + lower).lower, (Ball(left.lower) + upper).upper
    first = Interval(least, max(most, least))
    ends = (lower * exp(Ball(-place.upper))).lower, (upper * exp(Ball(-place.lower))).upper
    second = Interval(min(ends), ends[1])
    return Tail(first.clamp(0.0, 1.0), second.clamp(0.0, 1.0))
