"""Noise on a line: where it is, however the answer moves."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from fractions import Fraction

import numpy as np
from attrs import frozen

from accountant.display.brief import Brief
from accountant.loss.readings.arrays import Floats
from accountant.numbers.rounding import Ball, Balls, tails_by_density, where

_DEVIATIONS = 40.0
"""Farther out there is less than what functions are charged for underflow."""


@frozen
class Noise(Brief, ABC):
    """The law of noise that a coordinate of an answer gets on its own: as likely below 0 as above.

    `whole` says that it takes whole numbers only, and is added to whole numbers. Who adds noise says its law as a
    `RealNoise` or a `WholeNoise`.
    """

    @property
    @abstractmethod
    def whole(self) -> bool:
        """Whether it takes whole numbers only."""

    @abstractmethod
    def masses(self, edges: Floats, centre: Fraction | float) -> tuple[Floats, Floats]:
        """Lower and upper bounds on the chances that an answer lies between edges, where it is `centre` without noise.

        Edges are doubles in rising order, taken as they are.
        """

    @abstractmethod
    def reach(self, log_tail: float) -> float:
        """A distance beyond which about e^log_tail of the noise is."""

    @property
    def near(self) -> Fraction:
        """A distance such that of any two places within it on one side of 0, the one nearer to 0 tells more; 0 if unknown.

        Definition: for 0 <= s <= f <= `near`, weights g >= 0 and x >= 1, and N the law of noise around a place, the largest
        N_s(A) - g N_0(A) - x N_f(A) over all events A does not grow with s. See docs/explanation/sampling.md.
        """
        return Fraction(0)


@frozen
class RealNoise(Noise):
    """Noise that takes every number."""

    @property
    def whole(self) -> bool:
        return False

    @abstractmethod
    def beyond(self, distances: Floats) -> Balls:
        """The chance of more noise than each of these distances from 0 on, which are doubles, taken as they are."""

    def masses(self, edges: Floats, centre: Fraction | float) -> tuple[Floats, Floats]:
        places = Balls(edges) - Ball.of(centre)
        low, high = places.lower, places.upper
        tails = self.beyond(np.abs(np.concatenate([low, high])))
        front, back = tails[: low.size], tails[low.size :]
        # A part is at least what lies between its edges wherever these are, and at most what lies between their far sides.
        inner = _between(high[:-1], low[1:], back[:-1], front[1:]).lower
        outer = _between(low[:-1], high[1:], front[:-1], back[1:]).upper
        return np.where(high[:-1] < low[1:], np.maximum(inner, 0.0), 0.0), np.minimum(outer, 1.0)


@frozen
class NormalNoise(RealNoise):
    """Gaussian noise."""

    sigma: Fraction

    @property
    def near(self) -> Fraction:
        return self.sigma

    def beyond(self, distances: Floats) -> Balls:
        places = Balls(np.minimum(distances, _DEVIATIONS * float(self.sigma))) / Ball.of(self.sigma)
        return tails_by_density(places, places)[1]

    def reach(self, log_tail: float) -> float:
        return float(self.sigma) * math.sqrt(-2.0 * log_tail)


@frozen
class WholeNoise(Noise):
    """Noise that takes whole numbers only, and is added to them. Edges lie halfway between neighbours."""

    @property
    def whole(self) -> bool:
        return True

    @abstractmethod
    def chances(self, numbers: Floats) -> Balls:
        """The chance of each of these whole numbers from 0 on; those below 0 are as likely."""

    def masses(self, edges: Floats, centre: Fraction | float) -> tuple[Floats, Floats]:
        numbers = edges[:-1] + 0.5 - float(centre)
        if not (np.array_equal(numbers, np.rint(numbers)) and np.all(np.diff(edges) == 1.0)):
            raise ValueError("every part of a line with whole noise holds one whole number")
        found = self.chances(np.abs(numbers))
        return np.maximum(found.lower, 0.0), np.minimum(found.upper, 1.0)


def _between(left: Floats, right: Floats, front: Balls, back: Balls) -> Balls:
    """The chance of noise between two places, from those of noise that is farther from 0 than each."""
    aside = where(right <= 0.0, back - front, 1.0 - front - back)
    return where(left >= 0.0, front - back, aside)
