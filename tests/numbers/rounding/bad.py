"""Numbers that are bad for arithmetic: next to powers of two and whole numbers, subnormal, huge, about to cancel."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from accountant.numbers.rounding import ROUNDOFF

Floats = NDArray[np.float64]
COUNT = 120


def middles(generator: np.random.Generator, count: int = COUNT, *, far: bool = True) -> Floats:
    """Numbers of every kind that is bad."""
    exponents = generator.integers(-40, 40, count)
    if far:
        some = generator.random(count)
        exponents = np.where(some < 0.12, generator.integers(-1074, -1015, count), exponents)
        exponents = np.where((some > 0.12) & (some < 0.2), generator.integers(-540, -440, count), exponents)
        exponents = np.where((some > 0.2) & (some < 0.26), generator.integers(480, 511, count), exponents)
    shapes = [
        1.0 + generator.random(count),
        np.ones(count),
        1.0 + 2 * ROUNDOFF * generator.integers(0, 4, count),
        1.0 - ROUNDOFF * generator.integers(1, 4, count),
        np.round(generator.random(count) * 64.0) + ROUNDOFF * 64.0,
    ]
    mantissas = np.choose(generator.integers(0, len(shapes), count), shapes)
    found: Floats = np.ldexp(mantissas * generator.choice([-1.0, 1.0], count), exponents)
    if far:
        found[generator.random(count) < 0.05] = 0.0
    return found


def partners(generator: np.random.Generator, others: Floats) -> Floats:
    """Numbers of which many nearly cancel others, from either side."""
    near = -others * (1.0 + 2 * ROUNDOFF * generator.integers(-3, 4, others.size))
    return np.where(generator.random(others.size) < 0.3, near, generator.permutation(middles(generator, others.size)))


def radii(generator: np.random.Generator, middle: Floats) -> Floats:
    """Radii from nothing to more than the number itself, subnormal ones among them."""
    shares = generator.choice([0.0, ROUNDOFF, 2.0**-30, 0.3, 0.999, 3.0], middle.size)
    shares = shares * (1.0 + generator.random(middle.size))
    found: Floats = np.abs(middle) * shares
    odd = generator.random(middle.size) < 0.1
    found[odd] = 5e-324 * generator.integers(0, 100, int(odd.sum()))
    return np.minimum(found, math.ldexp(1.0, 1000))
