"""Modified Bessel functions I_k(v) by the ratios of neighbours, which is all that Skellam noise is made of.

The recurrence I_(k-1) - I_(k+1) = (2 k/v) I_k says that r_k = I_(k+1)/I_k follows from r_(k+1) by r_k = 1/(2 (k + 1)/v +
r_(k+1)). That map turns around and narrows what it is given: from 0 < r < 1 far out, both ends close in on the truth. It is
run in whole numbers of units far below a double's, so that what a ratio lacks to 1 is known to a double's precision too.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from accountant.loss import Floats

_BITS = 192
"""Ratios are kept to so many bits beyond their own size. Up to 2^24 steps round by one unit each and narrow what is there
already, so that more than 100 bits stay even of what a ratio lacks to 1, at least 1/(2 v + 2) with v below 2^40."""
_SQUEEZED = 128
_DEEP = 50.0
"""How much is added to the logarithm of I_0/I_k before the first ratio that counts: e^-100 of the first doubt is left."""

Indices = NDArray[np.int64]


def area(variance: float, place: float) -> float:
    """The integral of asinh(x/variance) from 0 to a place: a lower bound on log(I_0/I_place), up to rounding.

    r_k is at most e^-asinh((k + 1/2)/v), and the midpoint rule is above the integral of a concave function.
    """
    slope = place / variance
    if slope < 1e-4:
        return 0.5 * place * slope * (1.0 - slope * slope / 12.0)
    return place * math.asinh(slope) - variance * slope * slope / (1.0 + math.hypot(1.0, slope))


@lru_cache(maxsize=256)
def depth(variance: float, wanted: float) -> int:
    """A place whose area is at least as wanted, and not much more."""
    high = 1
    while area(variance, high) < wanted:
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if area(variance, middle) >= wanted else (middle, high)
    return high


@frozen(eq=False)
class Falls:
    """log(I_0/I_k) for k up to some place, as sums of -log r_j. Differences of them are right to 8 roundoffs of themselves.

    Sums are kept in two whole numbers each, of units and of 2^-40 of a unit, so that adding up loses nothing.
    """

    steps: Floats
    units: Indices
    parts: Indices
    exponent: int

    @classmethod
    @lru_cache(maxsize=4)
    def of(cls, variance: Fraction, size: int) -> Falls:
        """Those up to k = size."""
        steps = _log_falls(variance, size)
        # All sums fit into 62 bits.
        exponent = 61 - math.frexp(float(steps.sum()) + 1.0)[1]
        scaled = np.ldexp(steps, exponent)
        units = np.floor(scaled)
        parts = np.floor(np.ldexp(scaled - units, 40))
        return cls(steps, _sums(units), _sums(parts), exponent)

    def between(self, first: Indices, last: Indices) -> Floats:
        """log(I_first/I_last), for many places at once."""
        units, parts = (array[last] - array[first] for array in (self.units, self.parts))
        value: Floats = np.ldexp(units.astype(np.float64) + np.ldexp(parts.astype(np.float64), -40), -self.exponent)
        return value


def _sums(parts: Floats) -> Indices:
    return np.concatenate([[0], np.cumsum(parts.astype(np.int64))])


def _log_falls(variance: Fraction, size: int) -> Floats:
    """-log r_k for k below size, each right to 4 roundoffs of itself."""
    ratios, lacks = np.empty(size), np.empty(size)
    bits = _BITS + max(0, -math.frexp(float(variance))[1])
    one = 1 << bits
    square, step = one * one, 2 * one * variance.denominator // variance.numerator
    ratio = _squeezed(variance, size, bits)
    for place in range(size - 1, -1, -1):
        ratio = square // (step * (place + 1) + ratio)
        ratios[place], lacks[place] = math.ldexp(ratio, -bits), math.ldexp(one - ratio, -bits)
    return np.where(ratios > 0.5, -np.log1p(-np.minimum(lacks, 0.5)), -np.log(ratios))


def _squeezed(variance: Fraction, size: int, bits: int) -> int:
    """r_size, by both ends of what it can be."""
    one = 1 << bits
    square, step = one * one, 2 * one * variance.denominator // variance.numerator
    deep = _DEEP
    while True:
        start = depth(float(variance), area(float(variance), size) + deep) + 2
        low, high = 0, one
        for place in range(start, size - 1, -1):
            low, high = square // (step * (place + 1) + high), square // (step * (place + 1) + low)
        if high - low <= high >> _SQUEEZED:
            return low
        deep *= 2.0
