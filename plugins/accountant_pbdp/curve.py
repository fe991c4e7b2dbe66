"""Both readings of the curve, in one direction of a loss."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

from accountant import Interval
from accountant.loss import (
    BracketLoss,
    FiniteLoss,
    OneOf,
    PrivacyLoss,
    delta_of_moments,
    enclosed,
    epsilon_of_moments,
    sides,
)
from accountant.numbers import float_below, log_of
from accountant.numbers.rounding import Ball, exp, sqrt
from accountant_pbdp.levels import HINT, crossing_power, exact_level, log_factor

_ROUGH = 1e-2
_SHARES = [Fraction(2**power - 1, 2**power) for power in (30, 12, 6, 1)]


def epsilon_at(loss: PrivacyLoss, delta: Fraction) -> Interval:
    """log(delta/x), x the smallest level at which tests reach the power delta."""
    found, rho = enclosed(lambda side: _epsilon(side, delta), loss, float(delta), at="power"), _moments(loss)
    if rho is None:
        most = epsilon_of_moments(loss, delta, gain=False) if _rough(found) else math.inf
        return Interval(min(found.lower, most), min(found.upper, most)) if most < found.upper else found
    most = _most_epsilon(rho, delta)
    return Interval(min(found.lower, most), min(found.upper, most))


@lru_cache(maxsize=256)
def _epsilon(loss: PrivacyLoss, delta: Fraction) -> Interval:
    # What dominates a loss is often what dominates the exchanged one too.
    if isinstance(loss, FiniteLoss):
        reached = exact_level(loss, delta)
        return log_of(delta / reached).clamp(0.0, math.inf) if reached else Interval.infinite()
    # What approximate differential privacy needs is needed here too, and nobody gains more than the largest loss.
    about, most = loss.roughly(HINT).epsilon(delta), loss.supremum().upper
    least = (about if about.upper < (1.0 - HINT) * most else loss.epsilon(delta)).lower
    if least == math.inf or (loss.precision is not None and most - least <= loss.precision * most < math.inf):
        return Interval(min(least, most), most)
    return log_factor(loss, delta, least=least).clamp(least, max(least, most))


def delta_at(loss: PrivacyLoss, epsilon: Fraction) -> Interval:
    """The smallest delta with epsilon at delta no larger than the given one; 0 where the loss never exceeds it."""
    found, rho = _crossed(loss, epsilon), _moments(loss)
    if rho is None:
        most = delta_of_moments(loss, float_below(epsilon), gain=False) if _rough(found) else math.inf
        return Interval(min(found.lower, most), min(found.upper, most)) if most < found.upper else found
    if epsilon <= rho:
        return found
    most = _most_delta(rho, epsilon)
    return Interval(min(found.lower, most), min(found.upper, most))


def _most_epsilon(rho: Fraction, delta: Fraction) -> float:
    """rho + 2 sqrt(rho log(1/delta)), rounded up."""
    return (Ball.of(rho) + 2.0 * sqrt(Ball.of(rho) * Ball.of(log_of(1 / delta)))).upper


def _most_delta(rho: Fraction, epsilon: Fraction) -> float:
    """e^(-(epsilon - rho)^2/(4 rho)), rounded up."""
    return exp(-Ball.of((epsilon - rho) ** 2 / (4 * rho))).upper


def _moments(loss: PrivacyLoss) -> Fraction | None:
    """Rho of a loss of which only that is known exactly: what dominates all such losses was built from tangents, and may
    lie a little above what the moments say."""
    return loss.most_concentration if isinstance(loss, BracketLoss) and loss.most_concentration else None


def _rough(value: Interval) -> bool:
    """Whether a value is known so badly that Chernoff's bound may say more: e^(K(t) - t e) bounds the power of every test
    that has more than e^e times its level."""
    return value.exact is None and not value.width <= _ROUGH * value.upper < math.inf


def _crossed(loss: PrivacyLoss, epsilon: Fraction) -> Interval:
    if isinstance(loss, OneOf):
        return loss.read(lambda one: _crossed(one, epsilon))
    above, below = sides(loss)
    if above.supremum().at_most(epsilon):
        return Interval.of(0)
    found = crossing_power(above, epsilon)
    if below.supremum().at_most(epsilon):
        return Interval(0.0, found.upper)
    lower = (found if below is above else crossing_power(below, epsilon)).lower
    # What approximate differential privacy needs is needed here too.
    least = below.delta(epsilon).lower
    lower = max(lower, least) if lower > 0.0 else _tried(below, epsilon, found.upper, least)
    return Interval(min(lower, found.upper), found.upper)


def _tried(loss: PrivacyLoss, epsilon: Fraction, upper: float, lower: float) -> float:
    """A power that still needs more than epsilon is too small, since the curve falls: for powers next to 1, where no test
    that gains less is to be had."""
    for share in _SHARES:
        tried = float_below(Fraction(upper) * share)
        if tried <= lower or _needs_more(loss, Fraction(tried), epsilon):
            return max(tried, lower)
    return lower


def _needs_more(loss: PrivacyLoss, power: Fraction, epsilon: Fraction) -> bool:
    """Whether a power certainly needs more than an epsilon. Read roughly where that is enough to tell."""
    rough = loss.roughly(HINT)
    found = _epsilon(rough, power)
    if rough is not loss and found.lower <= epsilon < found.upper:
        found = _epsilon(loss, power)
    return found.lower > epsilon
