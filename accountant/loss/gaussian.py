"""The loss of Gaussian noise: normal with mean mu^2/2 and variance mu^2."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
from attrs import field, frozen

from accountant.fields import above, exact
from accountant.interval import Interval
from accountant.loss.base import ROUNDOFF, Cells, Floats, PrivacyLoss

# Relative error granted to one evaluation of a special function; their documented error is a few units in the last place.
_SPECIAL = 32 * ROUNDOFF


@cache
def _special() -> Any:
    from scipy import special

    return special


@frozen
class GaussianLoss(PrivacyLoss):
    """The loss of N(mu, 1) against N(0, 1), known by mu^2.

    Guarantee: composing adds mu^2 exactly.
    """

    mu_squared: Fraction = field(converter=exact, validator=above(0))

    @property
    def _mu(self) -> float:
        return math.sqrt(float(self.mu_squared))

    def reverse(self) -> PrivacyLoss:
        return self

    def window(self, log_tail: float) -> tuple[float, float]:
        reach = self._mu * math.sqrt(2.0 * max(1.0, -log_tail))
        centre = 0.5 * float(self.mu_squared)
        return centre - reach, centre + reach

    def delta_formula(self, epsilon: float) -> Interval:
        """phi(a) (R(a) - R(b)) with a = epsilon/mu - mu/2, b = a + mu and R the Mills ratio: no cancellation of tails."""
        mu = self._mu
        a, b = epsilon / mu - 0.5 * mu, epsilon / mu + 0.5 * mu
        argument = _SPECIAL * (1.0 + abs(epsilon / mu) + mu)
        first, first_error = _tail(a, 0.0, argument)
        second, second_error = _tail(b, epsilon, argument)
        return Interval.around(first - second, first_error + second_error).clamp(0.0, 1.0)

    def log_moment_formula(self, order: float) -> Interval:
        number = Fraction(order)
        return Interval.of(number * (number + 1) * self.mu_squared / 2)

    def supremum_formula(self) -> Interval:
        return Interval.infinite()

    def concentration_formula(self) -> Interval:
        return Interval.of(self.mu_squared / 2)

    def cells(self, edges: Floats) -> Cells:
        mu = self._mu
        z = edges / mu - 0.5 * mu
        density = np.exp(-0.5 * z * z)
        spread = _SPECIAL * (4.0 + z * z + np.abs(z) * (np.abs(edges) / mu + mu))
        p, p_error = _between(z, density * _mills(z), spread, np.ones_like(edges), np.ones(edges.size - 1))
        # e^(edge) phi(z + mu) = phi(z): Q's tails in units of P's density at the same edge.
        shifted = z + mu
        spread = spread + _SPECIAL * (np.abs(shifted) * (np.abs(edges) / mu + mu))
        unit, carry = np.exp(np.minimum(edges, 700.0)), np.exp(edges[:-1] - edges[1:])
        q, q_error = _between(shifted, density * _mills(shifted), spread, unit, carry)
        return Cells(p, q, p_error, q_error, Interval.of(0))


def _tail(z: float, log_scale: float, argument_error: float) -> tuple[float, float]:
    """e^log_scale P(Z > z) and a bound on its error, for log_scale in {0, epsilon} where phi(z) e^log_scale stays <= 1."""
    special = _special()
    spread = argument_error * (1.0 + abs(z))
    if z > 0.0:
        exponent = log_scale - 0.5 * z * z
        value = math.exp(exponent) * 0.5 * float(special.erfcx(z / math.sqrt(2.0))) if exponent > -745.0 else 0.0
        error = value * (_SPECIAL * (4.0 + 0.5 * z * z + abs(log_scale)) + spread) + 5e-324
    else:
        value = math.exp(log_scale) * float(special.ndtr(-z))
        error = value * _SPECIAL * (4.0 + abs(log_scale)) + math.exp(log_scale) * spread
    return value, error


def _mills(z: Floats) -> Floats:
    """P(Z beyond z, on z's own side)/exp(-z^2/2)."""
    ratio: Floats = 0.5 * _special().erfcx(np.abs(z) / math.sqrt(2.0))
    return ratio


def _between(z: Floats, tail: Floats, spread: Floats, unit: Floats, carry: Floats) -> tuple[Floats, Floats]:
    """Masses between edges with their errors, each cell taken from the smaller tails at its ends.

    `tail` is the mass beyond each edge on z's own side, in units of `unit`; `spread` its relative error; `carry` turns
    the unit of a cell's right edge into that of its left edge.
    """
    left, right = z[:-1], z[1:]
    front, back = tail[:-1], tail[1:] * carry
    middle = np.where(left >= 0.0, front - back, np.where(right <= 0.0, back - front, unit[:-1] - front - back))
    error = front * spread[:-1] + back * spread[1:] + np.where((left < 0.0) & (right > 0.0), unit[:-1] * _SPECIAL, 0.0)
    first = tail[0] if z[0] < 0.0 else unit[0] - tail[0]
    last = tail[-1] if z[-1] > 0.0 else unit[-1] - tail[-1]
    masses = np.concatenate([[first], middle, [last]])
    ends = [tail[0] * spread[0] + first * _SPECIAL], [tail[-1] * spread[-1] + last * _SPECIAL]
    return np.maximum(masses, 0.0), np.concatenate([ends[0], error, ends[1]]) + 1e-300
