"""Log moments of a sampled loss, from those of its base alone.

E_R[e^(t L)] = E_Q[(1 - rate + rate e^L)^(t + 1)] is for whole t a binomial sum of moments of the base. Log moments are
convex in t and 0 at t = 0, so between whole orders chords bound them from above, and chords extended from below.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np

from accountant.loss.derived.log_sums import log1p_exp
from accountant.loss.readings.base import PrivacyLoss
from accountant.numbers.interval import Interval
from accountant.numbers.rounding import Ball, Balls, exp, expm1, log, log1p, log_added, log_gamma, log_of_sum, where

Chances = tuple[Ball, Ball]
"""The rate, and what it lacks to 1."""
Lift = Callable[[float], Interval]

_LARGEST_ORDER = 256
_SHARES = np.linspace(0.0, 1.0, 129)


def present_moment(base: PrivacyLoss, chances: Chances, order: float, lift: Lift, known: dict[int, Interval]) -> Interval:
    """The log moment of R against Q; `known` remembers those of whole orders."""
    rough = rough_moment(base, chances, order, lift)
    if order >= _LARGEST_ORDER or rough.lower == math.inf:
        return rough

    def at(whole: int) -> Interval:
        if whole not in known:
            known[whole] = Interval.of(0) if whole <= 0 else _binomial(base, chances, whole + 1)
        return known[whole]

    whole = math.floor(order)
    part = order - whole
    below, here, beyond, far = (at(whole + k) for k in (-1, 0, 1, 2))
    left = 1.0 - Ball(part)
    upper = here.upper if not part else (left * here.upper + Ball(beyond.upper) * part).upper
    lower = rough.lower
    if whole and math.isfinite(below.upper):
        lower = max(lower, ((Ball(here.lower) - below.upper) * part + here.lower).lower)
    if math.isfinite(far.upper):
        lower = max(lower, (Ball(beyond.lower) - (Ball(far.upper) - beyond.lower) * left).lower)
    upper = min(rough.upper, upper, _near_zero(base, chances, order))
    return Interval(max(0.0, min(lower, upper)), upper)


def whole_moment(base: PrivacyLoss, chances: Chances, order: float, known: dict[int, Interval]) -> Interval | None:
    """The log moment of R against Q where it is a short sum; `known` remembers it."""
    if order >= _LARGEST_ORDER or order != math.floor(order):
        return None
    whole = int(order)
    if whole not in known:
        known[whole] = _binomial(base, chances, whole + 1)
    return known[whole]


def _far_out(chances: Chances, order: float, moment: float) -> float:
    """A bound for moments so large that only losses beyond some c matter.

    Beyond c, 1 - rate + rate e^L is at most (rate + (1 - rate) e^-c) e^L; up to c it is at most what c is lifted to. That
    holds for every c, so that these are exact as they stand.
    """
    rate, rest = chances
    places, power = Balls(moment / order * _SHARES), Ball(order) + 1.0
    factors = log(exp(-places) * rest + rate)
    return float(np.min(log_added(factors * power + moment, (factors + places) * power).upper))


def _near_zero(base: PrivacyLoss, chances: Chances, order: float) -> float:
    """For t up to 1, (1 + z)^(t + 1) is at most 1 + (t + 1) z + t (t + 1)/2 z^2 (1 - rate)^(t - 1) by Taylor."""
    square = base._log_moment_at(1.0).upper
    if order > 1.0 or square > 300.0:
        return math.inf
    return _second_order(chances[0], order, square, (Ball(order) - 1.0) * log(chances[1]))


def _second_order(rate: Ball, order: float, square: float, exponent: Ball) -> float:
    """log(1 + t (t + 1)/2 E_Q[z^2] e^exponent), rounded up; E_Q[z^2] = rate^2 (E_P[e^L] - 1)."""
    twice = Ball(order) * (Ball(order) + 1.0) * rate**2
    return log1p(0.5 * twice * expm1(Ball(square)) * exp(exponent)).upper


def rough_moment(base: PrivacyLoss, chances: Chances, order: float, lift: Lift) -> Interval:
    """x^a lies below its chord between 1 and e^L, and (1 - rate + rate e^L)^a above rate^a e^(a L).

    No moment exceeds the one of the largest loss.
    """
    moment = base._log_moment_at(order)
    lower = moment.lower
    if lower < math.inf:
        lower = (log(chances[0]) * (Ball(order) + 1.0) + lower).lower
    most = (Ball(order) * lift(base.supremum().upper).upper).upper
    upper = max(0.0, min(most, lift(moment.upper).upper))
    if 1.0 < moment.upper < math.inf:
        upper = min(upper, _far_out(chances, order, moment.upper))
    return Interval(max(0.0, min(lower, upper)), upper)


def _binomial(base: PrivacyLoss, chances: Chances, power: int) -> Interval:
    """log of the sum over j of binomial(power, j) (1 - rate)^(power - j) rate^j E_Q[e^(j L)].

    With every moment 1 the sum would be 1. Those of j = 0 and 1 are, so what the others are more than 1 is added up.
    """
    moments = [base._log_moment_at(float(j - 1)) for j in range(2, power + 1)]
    if any(math.isinf(moment.upper) for moment in moments):
        return Interval(0.0, math.inf)
    taken = np.arange(2.0, power + 1.0)
    logs = _log_choices(power) + taken * Balls.of([log(chances[0])]) + (power - taken) * Balls.of([log(chances[1])])
    low, high = (
        _log1p_sum(logs, Balls(np.array(values)))
        for values in ([moment.lower for moment in moments], [moment.upper for moment in moments])
    )
    lower, upper = max(0.0, low.lower), max(0.0, high.upper)
    return Interval(min(lower, upper), upper)


@lru_cache(maxsize=_LARGEST_ORDER + 2)
def _log_choices(power: int) -> Balls:
    """The logarithms of binomial(power, j) from j = 2 on."""
    whole = log_gamma(power + 1.0)
    return Balls.of([whole - log_gamma(j + 1.0) - log_gamma(power - j + 1.0) for j in range(2, power + 1)])


def _log1p_sum(logs: Balls, moments: Balls) -> Ball:
    """log(1 + the sum of e^logs (e^moments - 1))."""
    some = moments.middle > 0.0
    return log1p_exp(log_of_sum(logs[some] + _log_excess(moments[some]))) if np.any(some) else Ball(0.0)


def _log_excess(moments: Balls) -> Balls:
    """log(e^m - 1) for m above 0; from 1 on by what it lacks to m."""
    far = moments.middle > 1.0
    lacking = log1p(-exp(where(far, -moments, -1.0)))
    return where(far, moments + lacking, log(expm1(where(far, 1.0, moments))))


def absent_moment(base: PrivacyLoss, chances: Chances, order: float, lift: Lift) -> Interval:
    """Bounds on the log moment of Q against R, log E_Q[(1 + z)^-t] with z = rate (e^L - 1) >= -rate.

    (1 + z)^-t is at most (1 - rate)^-t, at most its chord 1 - rate + rate e^(-t L), and by Taylor at most
    1 - t z + t (t + 1)/2 z^2 (1 - rate)^-(t + 2), where z has mean 0 if P has no mass of its own, and
    E_Q[z^2] = rate^2 (E_P[e^L] - 1).
    """
    rate, rest = chances
    most = -log(rest) if rate.middle > 0.5 else -log1p(-rate)
    bounds = [(most * order).upper, lift(base.reverse()._log_moment_at(order).upper).upper]
    square, exponent = base._log_moment_at(1.0).upper, most * (Ball(order) + 2.0)
    if square < 300.0 and exponent.middle < 300.0 and order < 1e30 and base.infinite().upper == 0.0:
        bounds.append(_second_order(rate, order, square, exponent))
    return Interval(0.0, max(0.0, min(bounds)))
