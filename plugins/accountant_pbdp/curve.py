"""Both readings of the curve, in one direction of a loss."""

from __future__ import annotations

import math
from fractions import Fraction

from accountant import Interval
from accountant.loss import (
    BracketLoss,
    FiniteLoss,
    PrivacyLoss,
    delta_of_moments,
    enclosed,
    epsilon_of_moments,
    sides,
)
from accountant.numbers import float_above, float_below
from accountant_pbdp.levels import crossing_power, exact_level, log_level

_ENOUGH, _ROUGH = 1e-3, 1e-2
_SHARES = [Fraction(2**power - 1, 2**power) for power in (30, 20, 9, 6, 3, 1)]


def epsilon_at(loss: PrivacyLoss, delta: Fraction) -> Interval:
    """log(delta/x), x the smallest level at which tests reach the power delta."""
    found, rho = enclosed(lambda side: _epsilon(side, delta), loss, float(delta), at="power"), _moments(loss)
    if rho is None:
        most = epsilon_of_moments(loss, delta, gain=False) if _rough(found) else math.inf
        return Interval(min(found.lower, most), min(found.upper, most)) if most < found.upper else found
    most = (float_above(rho) + 2.0 * math.sqrt(float_above(rho) * _log(1 / delta).upper)) * (1.0 + 2.0**-48)
    return Interval(min(found.lower, most), min(found.upper, most))


def _epsilon(loss: PrivacyLoss, delta: Fraction) -> Interval:
    if isinstance(loss, FiniteLoss):
        reached = exact_level(loss, delta)
        return _log(delta / reached).clamp(0.0, math.inf) if reached else Interval.infinite()
    # What approximate differential privacy needs is needed here too, and nobody gains more than the largest loss.
    least, most = loss.epsilon(delta).lower, loss.supremum().upper
    if least == math.inf or (loss.precision is not None and most - least <= _ENOUGH * most < math.inf):
        return Interval(min(least, most), most)
    level = log_level(loss, delta)
    if level.upper == -math.inf:
        return Interval.infinite()
    return (_log(delta) + Interval(-level.upper, -level.lower)).clamp(least, max(least, most))


def delta_at(loss: PrivacyLoss, epsilon: Fraction) -> Interval:
    """The smallest delta with epsilon at delta no larger than the given one; 0 where the loss never exceeds it."""
    found, rho = _crossed(loss, epsilon), _moments(loss)
    if rho is None:
        most = delta_of_moments(loss, float_below(epsilon), gain=False) if _rough(found) else math.inf
        return Interval(min(found.lower, most), min(found.upper, most)) if most < found.upper else found
    if epsilon <= rho:
        return found
    most = math.exp(-float_below((epsilon - rho) ** 2 / (4 * rho))) * (1.0 + 2.0**-48)
    return Interval(min(found.lower, most), min(found.upper, most))


def _moments(loss: PrivacyLoss) -> Fraction | None:
    """Rho of a loss of which only that is known exactly: what dominates all such losses was built from tangents, and may
    lie a little above what the moments say."""
    return loss.most_concentration if isinstance(loss, BracketLoss) and loss.most_concentration else None


def _rough(value: Interval) -> bool:
    """Whether a value is known so badly that Chernoff's bound may say more: e^(K(t) - t e) bounds the power of every test
    that has more than e^e times its level."""
    return value.exact is None and not value.width <= _ROUGH * value.upper < math.inf


def _crossed(loss: PrivacyLoss, epsilon: Fraction) -> Interval:
    above, below = sides(loss)
    if above.supremum().at_most(epsilon):
        return Interval.of(0)
    upper = crossing_power(above, epsilon)
    if below.supremum().at_most(epsilon) or below.delta(epsilon).lower == 0.0:
        return Interval(0.0, upper)
    start = Fraction(upper if above is below else crossing_power(below, epsilon))
    for share in _SHARES if below.precision is None else _SHARES[2:]:
        # What still needs more than epsilon is too small: the curve falls.
        if _epsilon(below, start * share).lower > epsilon:
            return Interval(min(upper, Interval.of(start * share).lower), upper)
    return Interval(0.0, upper)


def _log(value: Fraction) -> Interval:
    """The natural logarithm of a positive number: that of its double and the share by which they differ."""
    if value == 1:
        return Interval.of(0)
    scale = value.numerator.bit_length() - value.denominator.bit_length()
    rest = float(value / Fraction(2) ** scale)
    number = scale * math.log(2.0) + math.log(rest)
    return Interval.around(number, 2.0**-50 * (1.0 + abs(scale)))
