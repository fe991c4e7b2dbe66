"""Log moments of a sampled loss, from those of its base alone.

E_R[e^(t L)] = E_Q[(1 - rate + rate e^L)^(t + 1)] is for whole t a binomial sum of moments of the base. Log moments are
convex in t and 0 at t = 0, so between whole orders chords bound them from above, and chords extended from below.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from accountant.loss.readings.base import ROUNDOFF, TINY, PrivacyLoss
from accountant.numbers.interval import Interval

Chances = tuple[float, float]
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
    upper = here.upper if not part else (1.0 - part) * here.upper + part * beyond.upper
    lower = max(
        here.lower + part * (here.lower - below.upper) if whole and math.isfinite(below.upper) else 0.0,
        beyond.lower - (1.0 - part) * (far.upper - beyond.lower) if math.isfinite(far.upper) else 0.0,
    )
    doubt = 16 * ROUNDOFF * far.upper if math.isfinite(far.upper) else 0.0
    upper = min(rough.upper, upper + doubt, _near_zero(base, chances, order))
    return Interval(max(0.0, min(max(rough.lower, lower - doubt), upper)), upper)


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

    Beyond c, 1 - rate + rate e^L is at most (rate + (1 - rate) e^-c) e^L; up to c it is at most what c is lifted to.
    """
    rate, rest = chances
    places = moment / order * _SHARES
    factors = np.log(rate + rest * np.exp(-places))
    beyond, within = (order + 1.0) * factors + moment, (order + 1.0) * (places + factors)
    reach = 16 * ROUNDOFF * (1.0 + moment + (order + 1.0) * (places - factors))
    return float(np.min(np.logaddexp(beyond, within) + reach))


def _near_zero(base: PrivacyLoss, chances: Chances, order: float) -> float:
    """For t up to 1, (1 + z)^(t + 1) is at most 1 + (t + 1) z + t (t + 1)/2 z^2 (1 - rate)^(t - 1) by Taylor."""
    square = base._log_moment_at(1.0).upper
    if order > 1.0 or square > 300.0:
        return math.inf
    return _second_order(chances[0], order, square, (1.0 - order) * -math.log(chances[1]))


def _second_order(rate: float, order: float, square: float, exponent: float) -> float:
    """log(1 + t (t + 1)/2 E_Q[z^2] e^exponent), rounded up; E_Q[z^2] = rate^2 (E_P[e^L] - 1)."""
    size = 0.5 * order * (order + 1.0) * rate * rate * math.expm1(square) * math.exp(exponent)
    return math.log1p(size * (1.0 + ROUNDOFF * (64.0 + 16.0 * abs(exponent)))) * (1.0 + 8 * ROUNDOFF) + TINY


def rough_moment(base: PrivacyLoss, chances: Chances, order: float, lift: Lift) -> Interval:
    """x^a lies below its chord between 1 and e^L, and (1 - rate + rate e^L)^a above rate^a e^(a L).

    No moment exceeds the one of the largest loss.
    """
    moment = base._log_moment_at(order)
    log_rate = math.log(chances[0]) * (1.0 + 16 * ROUNDOFF)
    lower = (order + 1.0) * log_rate + moment.lower * (1.0 - 8 * ROUNDOFF)
    most = order * lift(base.supremum().upper).upper * (1.0 + 4 * ROUNDOFF)
    upper = max(0.0, min(most, lift(moment.upper).upper))
    if 1.0 < moment.upper < math.inf:
        upper = min(upper, _far_out(chances, order, moment.upper))
    return Interval(max(0.0, min(lower, upper)), upper)


def _binomial(base: PrivacyLoss, chances: Chances, power: int) -> Interval:
    """log of the sum over j of binomial(power, j) (1 - rate)^(power - j) rate^j E_Q[e^(j L)].

    With every moment 1 the sum would be 1. Those of j = 0 and 1 are, so what the others are more than 1 is added up.
    """
    log_rate, log_rest = math.log(chances[0]), math.log(chances[1])
    moments = [base._log_moment_at(float(j - 1)) for j in range(2, power + 1)]
    if any(math.isinf(moment.upper) for moment in moments):
        return Interval(0.0, math.inf)
    whole = math.lgamma(power + 1)
    logs = np.array(
        [
            whole - math.lgamma(j + 1) - math.lgamma(power - j + 1) + j * log_rate + (power - j) * log_rest
            for j in range(2, power + 1)
        ]
    )
    # No exponent is off by more than this: lgamma, the logarithms and the sums round.
    reach = 4.0 * whole + power * (abs(log_rate) + abs(log_rest)) + max(moment.upper for moment in moments)
    ends = []
    for direction, values in ((-1.0, [moment.lower for moment in moments]), (1.0, [moment.upper for moment in moments])):
        excess = np.maximum(np.array(values), 1e-300)
        growth = np.where(excess > 30.0, excess + min(direction, 0.0) * 1e-12, np.log(np.expm1(np.minimum(excess, 30.0))))
        terms = logs + growth
        top = float(np.max(terms))
        doubt = 32 * ROUNDOFF * (8.0 + power + reach + float(np.max(np.abs(growth))))
        total = top + math.log(float(np.sum(np.exp(terms - top)))) + direction * doubt
        ends.append(total + math.log1p(math.exp(-total)) if total > 0.0 else math.log1p(math.exp(total)))
    low, high = ends[0] * (1.0 - 8 * ROUNDOFF) - 1e-290, ends[1] * (1.0 + 8 * ROUNDOFF) + TINY
    return Interval(max(0.0, min(low, high)), high)


def absent_moment(base: PrivacyLoss, chances: Chances, order: float, lift: Lift) -> Interval:
    """Bounds on the log moment of Q against R, log E_Q[(1 + z)^-t] with z = rate (e^L - 1) >= -rate.

    (1 + z)^-t is at most (1 - rate)^-t, at most its chord 1 - rate + rate e^(-t L), and by Taylor at most
    1 - t z + t (t + 1)/2 z^2 (1 - rate)^-(t + 2), where z has mean 0 if P has no mass of its own, and
    E_Q[z^2] = rate^2 (E_P[e^L] - 1).
    """
    rate, rest = chances
    most = -math.log(rest) if rate > 0.5 else -math.log1p(-rate)
    most *= 1.0 + 16 * ROUNDOFF
    bounds = [order * most, lift(base.reverse()._log_moment_at(order).upper).upper]
    square, exponent = base._log_moment_at(1.0).upper, (order + 2.0) * most
    if square < 300.0 and exponent < 300.0 and order < 1e30 and base.infinite().upper == 0.0:
        bounds.append(_second_order(rate, order, square, exponent))
    return Interval(0.0, max(0.0, min(bounds)) * (1.0 + 4 * ROUNDOFF))
