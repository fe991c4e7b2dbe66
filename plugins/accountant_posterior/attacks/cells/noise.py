"""The noise of a cell as an attacker weighs it: how likely what was released is, beside the likeliest noise."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
from attrs import frozen

from accountant.loss import Floats

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

    def faint_at(self, places: Floats) -> Floats:
        """The same at each place: logs of weights are concave, so that far out they are fainter still."""
        return np.full(np.shape(places), self.faint)

    @abstractmethod
    def logs(self, places: Floats) -> tuple[Floats, float]:
        """The logs of the weights of this noise, and how far off they may be."""

    def most(self, places: Floats) -> Floats:
        """The logs of bounds on the weights, also where they are not followed."""
        found, doubt = self.logs(places)
        return np.where(np.isneginf(found), self.faint_at(places), found + doubt)

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

    def term(self, place: Fraction) -> tuple[Fraction, Fraction] | None:
        """The weight at a place as a rational power of e and a rational factor, up to one factor for all places.

        None where it is not of that form.
        """
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

    def term(self, place: Fraction) -> tuple[Fraction, Fraction]:
        return Fraction(0), Fraction(int(place == 0))


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

    def term(self, place: Fraction) -> tuple[Fraction, Fraction]:
        return -(place**2) / (2 * self.variance), Fraction(1)
