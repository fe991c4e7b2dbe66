"""Laplace noise, and sums of it: exactly for few, between chords and tangents for many, and not at all for very many."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from attrs import frozen

from accountant.loss import Floats
from accountant.numbers.rounding import Ball
from accountant_posterior.attacks.cells.noise import CellNoise

if TYPE_CHECKING:
    from numpy.random import Generator

_FEW = 32
"""Sums of at most so many are worked out place by place."""
_MANY = 2**12
"""Sums of more than so many are not followed."""
_GRID = 2**16
_KEPT = -150.0
"""How faint the weights of noise get within the grid, in logs."""


@frozen
class LaplaceCell(CellNoise):
    """The sum of independent Laplace noise of one scale.

    Definition: with t = |x|/scale the density of a sum of n + 1 is proportional to e^-t times the reverse Bessel polynomial
    of degree n, whose quotients q_i = (2i - 1) + t^2/q_(i-1), q_1 = 1 + t, only have terms that add up.
    """

    scale: Fraction
    number: int = 1

    @property
    def faint(self) -> float:
        if self.number <= _FEW:
            return -math.inf
        return 0.0 if self.number > _MANY else _Curve.of(self.number).faint

    def faint_at(self, places: Floats) -> Floats:
        if not _FEW < self.number <= _MANY:
            return super().faint_at(places)
        return _Curve.of(self.number).faint_at(np.abs(places) / float(self.scale))

    def logs(self, places: Floats) -> tuple[Floats, float]:
        t = np.abs(places) / float(self.scale)
        if self.number == 1:
            return -t, 0.0
        if self.number <= _FEW:
            return _followed(t, self.number)[0], _doubt(float(t.max(initial=0.0)), self.number)
        return (np.full(t.shape, -np.inf), 0.0) if self.number > _MANY else _Curve.of(self.number).at(t)

    def reach(self, log_tail: float) -> int:
        # A weight of the sum is at most e^(-t) (1 + t)^n, whose log falls with slope at least 1/2 from t = 2 n on.
        start = 2.0 * self.number
        slope = 0.5 / float(self.scale)
        t = start
        while -t + (self.number - 1) * math.log1p(t) - math.log(-math.expm1(-slope)) + 1.0 > log_tail:
            t += 1.0 + 0.125 * t
        return math.ceil(t * float(self.scale)) + 1

    @property
    def total(self) -> float:
        # One weight at most, and the integral, which grows more slowly than the number.
        return 1.1 + 2.0 * float(self.scale) * self.number

    def summed(self, number: int) -> CellNoise:
        return LaplaceCell(self.scale, self.number * number)

    def draw(self, generator: Generator, shape: tuple[int, ...]) -> Floats:
        found = generator.laplace(0.0, float(self.scale), (self.number, *shape))
        return np.asarray(found.sum(axis=0))

    def term(self, place: Fraction) -> tuple[Fraction, Fraction] | None:
        if self.number > _FEW:
            return None
        t = abs(place) / self.scale
        # Reverse Bessel polynomials: y_n = (2n - 1) y_(n-1) + t^2 y_(n-2).
        before, found = Fraction(1), Fraction(1) if self.number == 1 else 1 + t
        for degree in range(2, self.number):
            before, found = found, (2 * degree - 1) * found + t * t * before
        return -t, found


def _followed(t: Floats, number: int) -> tuple[Floats, Floats]:
    """The logs of the weights of a sum of at least two, and the last quotient."""
    found, quotient, square = np.log1p(t) - t, 1.0 + t, t * t
    for index in range(2, number):
        share = square / quotient
        found += np.log1p(share / (2.0 * index - 1.0))
        quotient = (2.0 * index - 1.0) + share
    return found, quotient


def _doubt(farthest: float, number: int) -> float:
    # Quotients round three times at each step, and their logs, which add up to at most t, once more.
    return Ball.rounded(0.0, 2.0 * number, 4.0 * number + 2.0 * farthest).radius


@frozen(eq=False)
class _Curve:
    """The log of the weight of a sum, at places a step apart from 0 on, between which it is followed by chords.

    Guarantee: since the log is concave it lies above its chords and below its tangents; it is above by at most `error`.

    Slopes are -t over the last quotient: the derivative of a reverse Bessel polynomial is itself less t times the one
    before.
    """

    step: float
    values: Floats
    error: float

    @classmethod
    @lru_cache(maxsize=64)
    def of(cls, number: int) -> _Curve:
        """That of a sum of so many, as far as weights are not faint."""
        lengths = -_KEPT * 1.25 ** np.arange(40.0)
        last = float(lengths[np.argmax(_followed(lengths, number)[0] < _KEPT)])
        places = np.linspace(0.0, last, _GRID + 1)
        values, quotient = _followed(places, number)
        # Between two places with slopes a > b, tangents rise above the chord by at most (a - b)/4 of the step.
        slopes = -places / quotient
        apart = float(np.max(slopes[:-1] - slopes[1:])) * 0.25 * (last / _GRID) * 1.01
        return cls(last / _GRID, values, apart + 2.0 * _doubt(last, number))

    @property
    def faint(self) -> float:
        """The log of a bound on weights beyond the last place."""
        return float(self.values[-1]) + self.error + 1e-9

    def faint_at(self, t: Floats) -> Floats:
        """The same at each place: weights fall at least as fast there as they did last."""
        slope = min((self.values[-1] - self.values[-2] + 2.0 * self.error) / self.step, 0.0)
        found: Floats = self.faint + slope * np.maximum(t - self.step * (len(self.values) - 1), 0.0)
        return found

    def at(self, t: Floats) -> tuple[Floats, float]:
        """The logs at places, and how far off they may be."""
        steps = t / self.step
        place = np.minimum(steps, len(self.values) - 2.0).astype(np.intp)
        left = self.values[place]
        found = left + (steps - place) * (self.values[place + 1] - left)
        return np.where(steps <= len(self.values) - 1.0, found, -np.inf), self.error
