"""The loss of Gaussian noise: normal with mean mu^2/2 and variance mu^2."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from typing import Any, Self

import numpy as np
from attrs import field, frozen

from accountant.fields import above, exact
from accountant.loss.readings.arrays import Complexes, Floats
from accountant.loss.readings.base import ROUNDOFF, TINY, Cells, PrivacyLoss
from accountant.loss.readings.moments import Moments
from accountant.numbers.exact import plain
from accountant.numbers.interval import Interval

# Relative error granted to one evaluation of a special function; a tenth of it is what 50-digit references show.
_SPECIAL = 32 * ROUNDOFF
# Beyond these, doubles run out: the loss is read from the nearest loss on either side that they can hold.
_LEAST, _MOST = Fraction(1, 10**200), Fraction(10**200)
_ROOT = math.sqrt(2.0)


@cache
def _special() -> Any:
    from scipy import special

    return special


_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(5)
_NODES = 0.5 * (_NODES + 1.0)
_ROOT_TWO_PI = math.sqrt(2.0 * math.pi)


@frozen
class GaussianLoss(PrivacyLoss):
    """The loss of N(mu, 1) against N(0, 1), known by mu^2.

    Guarantee: composing adds mu^2 exactly.
    """

    mu_squared: Fraction = field(converter=exact, validator=above(0))

    def __str__(self) -> str:
        return f"Gaussian noise with mu^2 = {plain(self.mu_squared)}"

    @property
    def _mu(self) -> float:
        return math.sqrt(float(min(max(self.mu_squared, _LEAST), _MOST)))

    def reverse(self) -> PrivacyLoss:
        return self

    def dominating(self) -> PrivacyLoss:
        if _LEAST <= self.mu_squared <= _MOST:
            return self
        from accountant.loss.families.finite import TOTAL_LOSS

        return GaussianLoss(_LEAST) if self.mu_squared < _LEAST else TOTAL_LOSS

    def dominated(self) -> PrivacyLoss:
        if _LEAST <= self.mu_squared <= _MOST:
            return self
        from accountant.loss.families.finite import NO_LOSS

        return GaussianLoss(_MOST) if self.mu_squared > _MOST else NO_LOSS

    def window(self, log_tail: float) -> tuple[float, float]:
        mu = self._mu
        reach = mu * math.sqrt(2.0 * max(1.0, -log_tail))
        return 0.5 * mu * mu - reach, 0.5 * mu * mu + reach

    def anchor(self) -> float:
        return 0.5 * self._mu**2

    def delta_formula(self, epsilon: float) -> Interval:
        """phi(a) (R(a) - R(b)) with a = epsilon/mu - mu/2, b = a + mu and R the Mills ratio.

        Where a or b is negative, its own tail takes the place of phi(a) R. The relative change of a tail per unit of its
        argument is below |z| + 1, and that of R below 1.
        """
        if not _LEAST <= self.mu_squared <= _MOST:
            return Interval(self.dominated().delta(epsilon).lower, self.dominating().delta(epsilon).upper)
        mu = self._mu
        a, b = epsilon / mu - 0.5 * mu, epsilon / mu + 0.5 * mu
        argument = 8 * ROUNDOFF * (1.0 + abs(epsilon / mu) + mu)
        if a - argument > 40.0:
            return Interval(0.0, TINY)
        if b + argument < -40.0:
            # Q's mass of losses above epsilon is within e^-800 of 1.
            return Interval.around(-math.expm1(epsilon), 4 * ROUNDOFF).clamp(0.0, 1.0)
        if argument > 2.0**-8:
            return Interval(max(0.0, -math.expm1(min(epsilon, 0.0)) - 4 * ROUNDOFF), 1.0)
        doubt = math.expm1(argument * (min(abs(a), 50.0) + 2.0)) + _SPECIAL * (4.0 + min(a * a, 2500.0))
        density = math.exp(-0.5 * a * a) if abs(a) < 50.0 else 0.0
        if a > 0.0:
            first = density * _scaled_tail(a)
            error = first * doubt
        else:
            first = float(_special().ndtr(-a))
            error = _SPECIAL + argument * min(1.0, 1.5 * density)
        if b > 0.0:
            second = density * _scaled_tail(b)
            error += second * doubt
        else:
            scale = math.exp(epsilon)
            second = scale * float(_special().ndtr(-b))
            error += scale * (_SPECIAL + argument)
        return Interval.around(first - second, error + TINY).clamp(0.0, 1.0)

    def infinite_formula(self) -> Interval:
        return Interval.of(0)

    def analytic(self) -> type[Moments] | None:
        return GaussianMoments if _LEAST <= self.mu_squared <= _MOST else None

    def log_moment_formula(self, order: float) -> Interval:
        number = Fraction(order)
        return Interval.of(number * (number + 1) * self.mu_squared / 2)

    def supremum_formula(self) -> Interval:
        return Interval.infinite()

    def concentration_formula(self) -> Interval:
        return Interval.of(self.mu_squared / 2)

    def cells(self, edges: Floats) -> Cells:
        mu = self._mu
        z = np.clip(edges / mu - 0.5 * mu, -1e6, 1e6)
        shifted = z + mu
        density = np.exp(-0.5 * z * z)
        # The argument's error, times the tail's relative change, beside what squares and functions round.
        argument = 8 * ROUNDOFF * (np.abs(edges) / mu + mu)
        spread = np.expm1(np.minimum(argument * (np.abs(z) + 2.0), 50.0)) + _SPECIAL * (4.0 + z * z)
        p, p_error = _between(z, density * _scaled_tail(np.abs(z)), spread, np.ones_like(edges), np.ones(edges.size - 1))
        # e^(edge) phi(z + mu) = phi(z): Q's tails in units of P's density at the same edge.
        unit, carry = np.exp(np.minimum(edges, 700.0)), np.exp(edges[:-1] - edges[1:])
        q, q_error = _between(shifted, density * _scaled_tail(np.abs(shifted)), spread, unit, carry)
        gap, gap_error = p - q, p_error + q_error + 4 * ROUNDOFF * (p + q)
        # A narrow cell is integrated instead: five nodes are exact up to roundoff, and nothing cancels.
        reach = np.maximum(np.abs(z[:-1]), np.abs(z[1:])) + mu + 1.0
        narrow = np.flatnonzero((reach * np.diff(z) <= 0.5) & (np.diff(z) > 0.0))
        if narrow.size:
            inner, width = narrow + 1, np.diff(z)[narrow]
            distance = _NODES[:, None] * width[None, :]
            masses = (0.5 * _WEIGHTS[:, None] * np.exp(-0.5 * np.square(z[narrow] + distance))) * (width / _ROOT_TWO_PI)
            p[inner] = masses.sum(axis=0)
            gap[inner] = (masses * -np.expm1(-mu * distance)).sum(axis=0)
            relative = spread[narrow] + spread[narrow + 1] + 4 * argument[narrow] / width
            p_error[inner] = p[inner] * relative + TINY
            gap_error[inner] = gap[inner] * relative + TINY
            q[inner] = p[inner] - gap[inner]
            q_error[inner] = p_error[inner] + gap_error[inner]
        return Cells(p, q, p_error, q_error, Interval.of(0), gap, gap_error)


@frozen(eq=False)
class GaussianMoments(Moments):
    """Log moments mu^2 z (z + 1)/2."""

    squares: Floats

    @classmethod
    def of(cls, losses: Sequence[GaussianLoss]) -> Self:
        return cls(np.array([float(loss.mu_squared) for loss in losses]))

    @property
    def work(self) -> int:
        return self.squares.size

    def log_moments(self, points: Complexes) -> tuple[Complexes, Floats]:
        values = np.outer(0.5 * self.squares, points * (points + 1.0))
        return values, 16 * ROUNDOFF * np.abs(values)

    def deviations(self, tilt: float) -> Floats:
        return np.sqrt(self.squares) * (1.0 + 8 * ROUNDOFF)

    def falls(self, tilt: float, height: float) -> Floats:
        return -0.5 * self.squares * height * height * (1.0 - 1e-9)


def _scaled_tail(z: Any) -> Any:
    """P(Z > z) e^(z^2/2) for z >= 0."""
    return 0.5 * _special().erfcx(z / _ROOT)


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
