"""Logarithms of sums that are known by logarithms."""

from __future__ import annotations

import math

import numpy as np

from accountant.loss.readings.arrays import Floats
from accountant.numbers.rounding import Ball, exp, log1p


def log_of_terms(logs: Floats, reach: float, times: float) -> Ball:
    """The logarithm of a sum of terms known by logarithms, which are sums of others that are at most `reach`.

    In roundoffs, each of these is off by 8 of itself and takes part in four sums: a logarithm is off by 12 of its size and
    24 of the reach, beside so many more `times`. Its size is at most that of the largest one and what it lacks to that,
    which counts with its weight. The exponential adds 8 and one more of what is lacking, and adding up one for every term.
    """
    known = logs[logs > -np.inf]
    top = float(np.max(known, initial=-math.inf))
    if math.isinf(top):
        return Ball(top)
    lacks = top - known
    weights = np.exp(-lacks)
    whole = float(weights.sum())
    times += 24.0 * abs(reach) + 13.0 * (abs(top) + float(weights @ lacks) / whole) + known.size + 16.0
    return Ball.rounded(top + math.log(whole), times, 1.0)


def log1p_exp(value: Ball) -> Ball:
    """log(1 + e^value): next to nothing where the value is far below 0, and then known up to a share of itself."""
    if math.isinf(value.middle):
        return Ball(max(value.middle, 0.0))
    return value + log1p(exp(-value)) if value.middle > 0.0 else log1p(exp(value))
