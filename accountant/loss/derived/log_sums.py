"""Logarithms of sums that are known by logarithms."""

from __future__ import annotations

import math

import numpy as np

from accountant.loss.readings.arrays import Floats
from accountant.numbers.rounding import Ball, Balls, exp, log1p, log_of_sum


def log_of_terms(logs: Floats, reach: float, times: float) -> Ball:
    """The logarithm of a sum of terms known by logarithms, which are sums of others that are at most `reach`.

    Each of these rounds by 8 roundoffs of itself and takes part in four sums, so that a logarithm is off by 12 roundoffs of
    its size and 24 of the reach, beside so many more `times`.
    """
    known = logs[logs > -np.inf]
    top = float(np.max(known, initial=-math.inf))
    if math.isinf(top):
        return Ball(top)
    return log_of_sum(Balls.rounded(known, 1.0, times + 24.0 * abs(reach) + 12.0 * np.abs(known)))


def log1p_exp(value: Ball) -> Ball:
    """log(1 + e^value): next to nothing where the value is far below 0, and then known up to a share of itself."""
    if math.isinf(value.middle):
        return Ball(max(value.middle, 0.0))
    return value + log1p(exp(-value)) if value.middle > 0.0 else log1p(exp(value))
