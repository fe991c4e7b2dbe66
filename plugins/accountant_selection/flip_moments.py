"""The largest moments of permute-and-flip, over all numbers of candidates, scores and moves.

A moment is the largest over pairs of two candidates, see docs/explanation/choosing-one-of-many.md. It is convex in the
chances, and these are straight in c and in 1/c. So between two values of c it is at most what it is at either, or where the
tangents to the curve of all (c, 1/c) meet. Parts that cannot hold the largest are left out, others divided.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np

from accountant import Interval
from accountant.loss import Floats
from accountant.numbers.rounding import Ball
from accountant_selection.choice import FlipChoice, Pairs

_PARTS = 4
_FIRST = 16
_ROUNDS = 14
_PRECISION = 2.0**-30

Reading = Callable[[Pairs], Floats]


def largest_log_moment(ratio: Fraction, order: float) -> Interval:
    """The largest log E_P[e^(order L)] of any selection by exponential noise whose scores move apart by so many scales."""
    size = float(ratio)
    # Chances and losses are off by at most 16 roundoffs each, and moments by as much again.
    scale = order * size if order * size < 1.0 else 1.0 + order * (1.0 + size)
    return _largest(ratio, lambda pairs: pairs.log_moments(order), Ball.evaluated(0.0, 64.0, scale).radius)


def _largest(ratio: Fraction, reading: Reading, error: float) -> Interval:
    choice = FlipChoice(ratio)
    edges = np.arange(_FIRST + 1)[None, :] / _FIRST
    lower, upper = -math.inf, math.inf
    for _ in range(_ROUNDS):
        left, right = edges[:, :-1].ravel(), edges[:, 1:].ravel()
        ends = reading(choice.meeting(edges.ravel(), edges.ravel())).reshape(edges.shape)
        most = np.maximum(np.maximum(ends[:, :-1], ends[:, 1:]).ravel(), reading(choice.meeting(left, right)))
        lower = max(lower, float(np.max(ends)))
        # Parts that are left out held nothing larger than the lower end.
        upper = max(lower, float(np.max(most)))
        if upper - lower <= error + _PRECISION * upper:
            break
        held = most > lower
        edges = left[held, None] + (right - left)[held, None] * (np.arange(_PARTS + 1) / _PARTS)
    return Interval(max(0.0, Ball(lower, error).lower), max(0.0, Ball(upper, error).upper))
