"""Laws that the data of a study are drawn from, all between two bounds, as they are written down."""

from __future__ import annotations

import math

import numpy as np
from attrs import frozen
from numpy.random import Generator

from accountant import AccountantError, InvalidValue, fields
from accountant.loss import Floats
from accountant_posterior.inference.truncation import normal_between


@frozen
class DataLaw:
    """A law of values between 0 and 1, or any other bounds: its mean, its variance, and draws from it."""

    word: str
    numbers: tuple[float, float]
    bounds: tuple[float, float]

    @property
    def mean(self) -> float:
        """The mean of the law as it is between the bounds: cutting a Gaussian law moves it."""
        return self._moments[0]

    @property
    def variance(self) -> float:
        """The variance, likewise."""
        return self._moments[1]

    @property
    def _moments(self) -> tuple[float, float]:
        low, high = self.bounds
        first, second = self.numbers
        if self.word == "beta":
            whole = first + second
            mean, variance = first / whole, first * second / (whole**2 * (whole + 1.0))
            return low + (high - low) * mean, (high - low) ** 2 * variance
        a, b = (low - first) / second, (high - first) / second
        mass = 0.5 * (math.erf(b / math.sqrt(2.0)) - math.erf(a / math.sqrt(2.0)))
        at_a, at_b = (math.exp(-0.5 * end**2) / math.sqrt(2.0 * math.pi) for end in (a, b))
        shift = (at_a - at_b) / mass
        return first + second * shift, second**2 * (1.0 + (a * at_a - b * at_b) / mass - shift**2)

    def draw(self, generator: Generator, shape: tuple[int, ...]) -> Floats:
        """Draws in floating point."""
        low, high = self.bounds
        if self.word == "beta":
            return low + (high - low) * generator.beta(*self.numbers, size=shape)
        mean, deviation = (np.full(shape, number) for number in self.numbers)
        return normal_between(mean, deviation, np.full(shape, low), np.full(shape, high), generator)


def read_law(text: object, lower: float, upper: float) -> DataLaw:
    """A law as it is written: `normal:MEAN,DEVIATION`, cut to between the bounds, or `beta:A,B`, stretched to them."""
    word, _, rest = str(text).partition(":")
    try:
        numbers = [float(fields.exact(number.strip())) for number in rest.split(",")]
    except AccountantError:
        numbers = []
    if word not in ("normal", "beta") or len(numbers) != 2:
        raise InvalidValue(f"a law is normal:MEAN,DEVIATION or beta:A,B, got '{text}'")
    first, second = numbers
    if second <= 0.0 or (word == "beta" and first <= 0.0):
        raise InvalidValue(f"the law '{text}' needs a deviation, or weights, above 0")
    if word == "normal" and not lower <= first <= upper:
        raise InvalidValue(f"the middle of the law '{text}' lies outside the bounds {lower:g} and {upper:g}")
    return DataLaw(word, (first, second), (lower, upper))
