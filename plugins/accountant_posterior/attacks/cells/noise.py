"""The noise of a cell as an attacker weighs it: how likely what was released is, beside the likeliest noise."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
from attrs import frozen

from accountant.loss import Floats
from accountant.numbers.rounding import Ball

if TYPE_CHECKING:
    from numpy.random import Generator

ROUND = 2.0**-52
"""Two roundings of a number near one."""


class CellNoise(ABC):
    """Noise that falls from zero on both sides, weighed relative to none: weights are at most one.

    Guarantee: the log of a weight is within the error that comes with it, and 16 roundings of itself. Where it is minus
    infinity the weight is at most e^faint.
    """

    @property
    def faint(self) -> float:
        """The log of a bound on weights that are not followed."""
        return -math.inf

    @abstractmethod
    def logs(self, places: Floats) -> tuple[Floats, float]:
        """The logs of the weights of this noise, and how far off they may be."""

    @abstractmethod
    def reach(self, log_tail: float) -> int:
        """A distance beyond which all noise that lies whole numbers apart weighs at most e^log_tail together."""

    @property
    @abstractmethod
    def total(self) -> float:
        """A bound on the weight of all noise that lies whole numbers apart."""

    @abstractmethod
    def summed(self, number: int) -> CellNoise:
        """The noise of the sum of so many."""

    @abstractmethod
    def draw(self, generator: Generator, shape: tuple[int, ...]) -> Floats:
        """Noise for a study: drawn in doubles, and never to be released."""

    def evidence(self, above: Fraction) -> Fraction | None:
        """The log of the ratio of the weights at `above` - 1 and `above`, where it is rational."""
        return None


@frozen
class Nothing(CellNoise):
    """No noise: the count is published as it is."""

    def logs(self, places: Floats) -> tuple[Floats, float]:
        return np.where(places == 0.0, 0.0, -np.inf), 0.0

    def reach(self, log_tail: float) -> int:
        return 0

    @property
    def total(self) -> float:
        return 1.0

    def summed(self, number: int) -> CellNoise:
        return self

    def draw(self, generator: Generator, shape: tuple[int, ...]) -> Floats:
        return np.zeros(shape)


@frozen
class NormalCell(CellNoise):
    """Gaussian noise."""

    variance: Fraction

    def logs(self, places: Floats) -> tuple[Floats, float]:
        return places * places * (-0.5 / float(self.variance)), 0.0

    def reach(self, log_tail: float) -> int:
        # From R on each weight is at most e^(-R/v) times the one before.
        spread = float(self.variance)
        found = math.ceil(math.sqrt(-2.0 * log_tail * spread)) + 1
        while -found * found / (2.0 * spread) - math.log(-math.expm1(-found / spread)) + 1.0 > log_tail:
            found += 1 + found // 8
        return found

    @property
    def total(self) -> float:
        return 1.1 + math.sqrt(2.0 * math.pi * float(self.variance))

    def summed(self, number: int) -> CellNoise:
        return NormalCell(self.variance * number)

    def draw(self, generator: Generator, shape: tuple[int, ...]) -> Floats:
        return generator.normal(0.0, math.sqrt(self.variance), shape)

    def evidence(self, above: Fraction) -> Fraction:
        return (2 * above - 1) / (2 * self.variance)


@frozen
class LaplaceCell(CellNoise):
    """The sum of independent Laplace noise of one scale.

    Definition: with t = |x|/scale the density of a sum of n + 1 is proportional to e^-t times the reverse Bessel polynomial
    of degree n, whose quotients q_i = (2i - 1) + t^2/q_(i-1), q_1 = 1 + t, only have terms that add up.
    """

    scale: Fraction
    number: int = 1

    def logs(self, places: Floats) -> tuple[Floats, float]:
        t = np.abs(places) / float(self.scale)
        if self.number == 1:
            return -t, 0.0
        found, quotient, square = np.log1p(t) - t, 1.0 + t, t * t
        for index in range(2, self.number):
            share = square / quotient
            found += np.log1p(share / (2.0 * index - 1.0))
            quotient = (2.0 * index - 1.0) + share
        # Quotients round three times at each step, and their logs, which add up to at most t, once more.
        farthest = float(t.max(initial=0.0))
        return found, Ball.rounded(0.0, 2.0 * self.number, 4.0 * self.number + 2.0 * farthest).radius

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

    def evidence(self, above: Fraction) -> Fraction | None:
        return (abs(above) - abs(above - 1)) / self.scale if self.number == 1 else None
