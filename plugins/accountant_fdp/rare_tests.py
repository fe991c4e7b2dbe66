"""What mu must be for tests of next to no power, beyond the last corner that is known."""

from __future__ import annotations

import math
from fractions import Fraction

from attrs import frozen

from accountant.loss import GaussianLoss, PrivacyLoss, SampledLoss, certified_supremum
from accountant.numbers.rounding import Ball, exp, log, sqrt
from accountant_fdp.normal import root, tail_quantile

LARGEST = 600.0
"""The largest loss of which the exponential is looked at."""
_ROOT_OF_CIRCLE = sqrt(Ball.rounded(2.0 * math.pi, 2.0))
_RARE = Fraction(1, 1000)
"""Tails whose quantile is at least 3."""
_RAREST = Fraction(1, 10**290)
_FELT = 1.02
"""Orders are looked at one by one only where all of them together say nearly as much."""


def rare_tests(loss: PrivacyLoss, power: Fraction, most: float = math.inf) -> float:
    """What mu must be for tests of no more than some power; who knows that a mu is enough says so."""
    bounds, z, rho = [noise_and_rest(loss, power), most], tail_quantile(power).lower, loss.concentration().upper
    if not (rho < math.inf and z > 0.0):
        return min(bounds)
    excess = _stretched(power, z)

    def needed(concentration: float) -> float:
        return (sqrt(Ball(concentration) * 2.0) * excess).upper if concentration else 0.0

    bounds += [needed(rho), on_sample(loss, power)]
    if loss.precision is not None and bounds[-2] <= _FELT * min(bounds):
        bounds.append(needed(_rho_beyond(loss, rho, power)))
    return min(bounds)


def on_sample(loss: PrivacyLoss, power: Fraction) -> float:
    """What mu must be for tests of no more than some power where a record is seldom among those that were taken.

    Of such a test the power on all records is at least half of the power over the rate, unless its level is at least half
    of its power. So its level is larger than that of the same power on all records, and by more than what is lost where
    normal quantiles are told by logarithms.
    """
    if not isinstance(loss, SampledLoss) or loss.swapped or 2 * loss.rate >= 1 or power >= _RARE:
        return math.inf
    steep, rho = Steep.at(power), loss.base.concentration().upper
    whole = sqrt(Ball(rho) * 2.0) if 0.0 < rho < math.inf else Ball(rho)
    if not rho < math.inf or not (whole * (steep.root - steep.hazard)).upper <= -log(Ball.of(2 * loss.rate)).upper:
        return math.inf
    return max(whole.upper, (log(Ball(2.0)) / steep.hazard).upper)


@frozen
class Steep:
    """How fast the quantile of a tail rises with the root of minus its logarithm: by root/hazard."""

    root: Ball
    """sqrt(2 log(1/tail))."""
    hazard: Ball
    """The density at the quantile, divided by the tail."""

    @classmethod
    def at(cls, tail: Fraction) -> Steep:
        """At a tail, or at one that is less rare where doubles do not hold it: less rare tails are steeper."""
        tail = max(tail, _RAREST)
        place = Ball.of(tail_quantile(tail))
        density = exp(place * place * -0.5) / _ROOT_OF_CIRCLE
        return cls(sqrt(-log(Ball.of(tail)) * 2.0), density / Ball.of(tail))


def _stretched(power: Fraction, z: float) -> Ball:
    """How much more than by sqrt(2 rho) quantiles differ for tests of no more than some power, of which z is known."""
    if power < _RARE:
        steep = Steep.at(power)
        return steep.root / steep.hazard
    place = Ball(z)
    return log((1.0 / place + place) * _ROOT_OF_CIRCLE) / (place * place) + 1.0


def _rho_beyond(loss: PrivacyLoss, rho: float, power: Fraction) -> float:
    """A bound on Renyi(a)/a at all orders that tests of no more than some power are bounded by.

    Their level is no more than that power, so these are at least sqrt(log(1/power)/rho).
    """
    if rho == 0.0 or power >= 1:
        return rho
    least = sqrt(-log(Ball.of(power)) / rho).lower
    return min(rho, certified_supremum(loss, rho, least - 1.0).upper) if least > 2.0 else rho


def noise_and_rest(loss: PrivacyLoss, power: Fraction) -> float:
    """What mu must be for tests of no more than some power, where all but Gaussian noise loses at most s together.

    Such a test of level x has a power of at most e^s Phi(mu - z(x)), mu that of the noise, so that z(x) is at most
    mu + z(e^-s power). What that is above z(power) falls with the power, because the hazard of the normal law rises.
    """
    squares, most = Fraction(0), Fraction(0)
    for part, count in loss.taken_apart():
        noise, top = part.unsampled(), part.supremum().upper
        if isinstance(noise, GaussianLoss):
            squares += noise.mu_squared * count
        elif top > LARGEST:
            return math.inf
        else:
            most += Fraction(top) * count
    if most > LARGEST or not 0 < power < 1:
        return math.inf
    shrunk = power * Fraction(max(0.0, exp(-Ball.of(most)).lower))
    return (Ball.of(root(squares)) + Ball.of(tail_quantile(shrunk)) - Ball.of(tail_quantile(power))).upper
