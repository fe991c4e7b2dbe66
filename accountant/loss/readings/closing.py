"""The closing step: what a loss is known for in one reading bounds all its others.

A reading is found by one route. Each function here takes what that route found and returns it together with what follows
from the rest: the supremum, the moments, delta at another place, and the loss of the same release on all records. All of
these hold for every pair of laws, so they hold for whoever supplies the loss. What costs next to nothing is always asked.
What takes further readings is asked where the route left the value rough. The theorems are in the documentation,
explanation/two-sided-composition.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Protocol

from accountant.errors import GridTooLarge
from accountant.loss.readings.powers import compared_with_squares, log_largest_gain, response_moment
from accountant.loss.readings.precision import DEFAULT_PRECISION, narrower
from accountant.numbers.exact import ExactLike
from accountant.numbers.interval import Interval, float_below
from accountant.numbers.logarithm import log_of
from accountant.numbers.rounding import Ball, exp, expm1, log1p, tanh

_ROUGH = 1e-2
"""Chernoff's bound and readings at other places narrow nothing that is known better than this."""
_PLACES = 6
_FARTHEST = 700.0
_DEEPEST = Fraction(700)


class Readable(Protocol):
    """What readings are closed by: a loss, as far as it matters here."""

    @property
    def precision(self) -> float | None: ...

    def delta(self, epsilon: ExactLike) -> Interval: ...

    def epsilon(self, delta: ExactLike, *, least: float = 0.0) -> Interval: ...

    def tradeoff(self, level: ExactLike) -> Interval: ...

    def supremum(self) -> Interval: ...

    def infinite(self) -> Interval: ...

    def reverse(self) -> Readable: ...

    def unsampled(self) -> Readable: ...

    def bracketed(self) -> bool: ...

    def taken_apart(self) -> Sequence[tuple[Readable, int]]: ...

    def delta_formula(self, epsilon: float) -> Interval | None: ...

    def _delta_at(self, epsilon: float) -> Interval: ...

    def _log_moment_at(self, order: float) -> Interval: ...


def wide(value: Interval, precision: float) -> bool:
    """Whether a value is known less well than that, relative to its upper end."""
    if value.exact is not None or value.lower == value.upper:
        return False
    return value.upper == math.inf or value.width > precision * value.upper


def epsilon(loss: Readable, target: Fraction, found: Interval, least: float) -> Interval:
    """The smallest epsilon at a delta, given what a route found for it."""
    if found.upper <= least:
        return found
    found = _below(found, _epsilon_of_supremum(loss, target))
    if found.lower == 0.0 < found.upper and not loss.bracketed() and delta_at(loss, 0.0).at_most(target):
        return narrower(found, Interval.of(0))
    # How far below `least` it may lie nobody asks.
    if not wide(Interval(min(max(found.lower, least), found.upper), found.upper), _ROUGH):
        return found
    found = _below(found, epsilon_of_moments(loss, target))
    simple = _simpler(loss)
    if simple is not None:
        found = _below(found, simple.epsilon(target).upper)
    return found if loss.bracketed() else _searched(loss, target, found)


def delta(loss: Readable, place: Fraction, found: Interval) -> Interval:
    """Delta at an epsilon, given what a route found for it."""
    if place < 0:
        # The event that always happens gains as much.
        found = narrower(found, Interval(max(0.0, (-expm1(Ball.of(max(place, -_DEEPEST)))).lower), 1.0))
    if not wide(found, _ROUGH):
        return found
    found = narrower(found, Interval(loss.infinite().lower, 1.0))
    if place <= 0:
        return found
    found = _below(found, delta_of_moments(loss, Ball.of(place)))
    simple = _simpler(loss)
    if simple is not None:
        found = _below(found, simple.delta(place).upper)
    # Delta falls.
    return found if loss.bracketed() else _below(found, delta_at(loss, 0.0).upper)


def log_moment(loss: Readable, order: float, found: Interval) -> Interval:
    """The log moment of a positive order, given what the family found: each part is compared with its second moments."""
    if not wide(found, DEFAULT_PRECISION):
        return found
    total = Interval.of(0)
    for part, count in loss.taken_apart():
        known = part._log_moment_at(order)
        if wide(known, DEFAULT_PRECISION):
            back = part.reverse()
            tops = part.supremum().upper, back.supremum().upper
            known = _below(known, response_moment(max(tops), order))
            for bounds in compared_with_squares(_moment_of(part), _moment_of(back), tops, order):
                known = narrower(known, bounds)
        total += known.times(count)
    return narrower(found, total)


def concentration(loss: Readable, found: Interval) -> Interval:
    """sup Renyi(a)/a, given what was found: a pair with losses between -s and s has at most s tanh(s/2)."""
    top = loss.supremum().upper if wide(found, 0.0) else math.inf
    if top < math.inf:
        top = max(top, loss.reverse().supremum().upper)
        found = _below(found, (tanh(Ball(0.5 * top)) * top).upper) if top < math.inf else found
    return found


def tradeoff(loss: Readable, level: Fraction, found: Interval) -> Interval:
    """The smallest type II error at a level, given what a route found for it.

    Of losses between -r and s it is at least 1 - e^s level and at least e^-r (1 - level); and at least that of a loss that
    dominates.
    """
    if not wide(found, _ROUGH):
        return found
    top, bottom = loss.supremum().upper, loss.reverse().supremum().upper
    least = [0.0, (exp(Ball(-bottom)) * Ball.of(1 - level)).lower if bottom < _FARTHEST else 0.0]
    if top < _FARTHEST:
        least.append((1.0 - exp(Ball(top)) * Ball.of(level)).lower)
    simple = _simpler(loss)
    if simple is not None:
        least.append(simple.tradeoff(level).lower)
    return narrower(found, Interval(max(least), max(least[0], 1.0)))


# What is known otherwise -----------------------------------------------------------------------------------------------


def delta_at(loss: Readable, place: float) -> Interval:
    """Delta as its own route finds it; all that is possible where the route leads nowhere."""
    try:
        return loss._delta_at(place).clamp(0.0, 1.0)
    except GridTooLarge:
        return Interval(0.0, 1.0)


def _moment_of(loss: Readable) -> Callable[[float], Interval]:
    """Log moments as the family knows them; all that is possible where it cannot find them."""

    def moment(order: float) -> Interval:
        try:
            return loss._log_moment_at(order)
        except (GridTooLarge, OverflowError):
            return Interval(0.0, math.inf)

    return moment


class _Itself:
    """A loss as the one object that it is: what is told apart by identity need not be compared part by part."""

    __slots__ = ("loss",)

    def __init__(self, loss: Readable) -> None:
        self.loss = loss

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Itself) and other.loss is self.loss

    def __hash__(self) -> int:
        return id(self.loss)


@lru_cache(maxsize=8)
def _remembered(loss: _Itself) -> Callable[[float], Interval]:
    """Log moments of a loss that is read again and again: every search for the best tilt begins at the same ones."""
    return lru_cache(maxsize=256)(_moment_of(loss.loss))


def epsilon_of_moments(loss: Readable, target: Fraction, *, gain: bool = True) -> float:
    """An upper bound on epsilon by Chernoff: delta(e) is at most e^(K(t) - t e) times the largest gain at t, for all t > 0.

    Without the gain it bounds how often the loss of any event exceeds e, and not only by how much.
    """
    moment_at, log_target = _remembered(_Itself(loss)), log_of(target).lower

    def bound(tilt: float) -> float:
        height = Ball(log_largest_gain(tilt) if gain else 0.0) - log_target + moment_at(tilt).upper
        return max(0.0, (height / tilt).upper)

    return _lowest(bound)


def delta_of_moments(loss: Readable, place: Ball | float, *, gain: bool = True) -> float:
    """The same for delta at a place."""
    moment_at = _remembered(_Itself(loss))

    def log_bound(tilt: float) -> float:
        moment = moment_at(tilt).upper
        if moment == math.inf:
            return math.inf
        return (Ball(log_largest_gain(tilt) if gain else 0.0) - Ball(tilt) * place + moment).upper

    lowest = _lowest(log_bound)
    return 1.0 if lowest >= 0.0 else exp(Ball(max(lowest, -_FARTHEST))).upper


def _epsilon_of_supremum(loss: Readable, target: Fraction) -> float:
    """Where no loss exceeds s, delta(e) is at most 1 - e^(e - s): s + log(1 - target) is enough."""
    top = loss.supremum().upper
    if top == math.inf:
        return top
    return max(0.0, min(top, (log1p(Ball(-float_below(target))) + top).upper))


def _simpler(loss: Readable) -> Readable | None:
    """The same releases on all records, which lose more, where that is known by formulas."""
    simple = loss.unsampled()
    return None if simple is loss or simple.precision is not None or simple.delta_formula(0.0) is None else simple


def _searched(loss: Readable, target: Fraction, found: Interval) -> Interval:
    """An epsilon by what delta is known to be at a few places between its ends: delta falls."""
    for _ in range(_PLACES):
        if not wide(found, _ROUGH) or found.upper == math.inf:
            break
        middle = 0.5 * (found.lower + found.upper)
        kept = delta_at(loss, middle).at_most(target)
        if kept is None:
            break
        found = narrower(found, Interval(0.0, middle) if kept else Interval(middle, math.inf))
    return found


def _below(found: Interval, most: float) -> Interval:
    """What was found, given that the value is at most `most`; both are bounds on one value."""
    return found if found.upper <= most else narrower(found, Interval(min(0.0, most), most))


def _lowest(bound: Callable[[float], float]) -> float:
    """About the lowest value that a bound takes at any tilt; every value that it takes is a bound."""
    best, place = min((bound(tilt), tilt) for tilt in _tilts(0.0, 2.0, 10))
    for factor in (1.0, 0.25, 0.0625):
        best, place = min([(best, place), *((bound(tilt), tilt) for tilt in _tilts(math.log2(place), factor, 2))])
    return best


def _tilts(middle: float, distance: float, count: int) -> Iterator[float]:
    return (2.0 ** (middle + distance * k) for k in range(-count, count + 1))
