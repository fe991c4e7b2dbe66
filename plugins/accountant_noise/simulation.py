"""Noise drawn in floating point, for audits and tests. Never release data with it."""

from __future__ import annotations

import math

import numpy as np
from numpy.random import Generator

from accountant.loss import Floats


def discrete_gaussian(variance: float, size: int, generator: Generator) -> Floats:
    """Whole numbers k with chances proportional to e^(-k^2/(2 variance)), up to the rounding of each comparison.

    Discrete Laplace noise is kept with a chance that turns its law into the wanted one. A release needs this in exact
    arithmetic, as in Algorithm 3 of canonne2020discrete.
    """
    scale = math.floor(math.sqrt(variance)) + 1.0
    kept: list[Floats] = []
    while (missing := size - sum(map(len, kept))) > 0:
        steps = np.floor(scale * generator.exponential(size=2 * missing + 16))
        falls = generator.random(steps.size) < 0.5
        chances = np.exp(-((steps - variance / scale) ** 2) / (2.0 * variance))
        # Zero would come up twice, once with either sign.
        accepted = (generator.random(steps.size) < chances) & ~(falls & (steps == 0.0))
        kept.append(np.where(falls, -steps, steps)[accepted][:missing])
    return np.concatenate(kept)
