"""Fast Fourier transforms of balls.

A transform of size n computes with an error of norm at most log2(n) eta times the norm of its result (Higham 2002,
theorem 24.2). No entry is off by more than that norm. Errors of the input come through as their sum, or as their mean on
the way back.
"""

from __future__ import annotations

import math

import numpy as np

from accountant.numbers.rounding.balls import Balls, Floats
from accountant.numbers.rounding.direction import GROW, LEAST
from accountant.numbers.rounding.granted import TRANSFORM


def forward_transform(values: Balls, length: int) -> Balls:
    """The transform of a real row, filled up with zeros to a length: its first half."""
    middle = values.middle
    norm = math.sqrt(length) * _norm(middle)
    radius = TRANSFORM * math.log2(length + 1) * norm + _inflow(values)
    return Balls(np.fft.rfft(middle, length), radius * _ROOM + LEAST)


def backward_transform(spectrum: Balls, length: int) -> Balls:
    """The real row of an even length whose transform has this first half."""
    norm = math.sqrt(2.0 / length) * _norm(np.abs(spectrum.middle))
    radius = TRANSFORM * math.log2(length + 1) * norm + 2.0 * _inflow(spectrum) / length
    return Balls(np.fft.irfft(spectrum.middle, length), radius * _ROOM + LEAST)


_ROOM = 1.0 + 2.0**-20
"""For the norms and sums of the bound itself, of up to 2^30 numbers."""


def _norm(values: Floats) -> float:
    return math.sqrt(float(np.sum(np.square(values)))) * GROW + math.sqrt(values.size) * 2.0**-500


def _inflow(values: Balls) -> float:
    if isinstance(values.radius, np.ndarray):
        return float(values.radius.sum())
    return values.radius * values.middle.size
