"""Some candidates against others after Laplace noise, all of either kind at one score: what they attain.

With few on both sides these lose more than two candidates do, and nearly the most that is known.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

import numpy as np

from accountant.loss import Floats
from accountant_selection.two_outcomes import Points

_SIZES = ((1, 1), (1, 2), (2, 1), (1, 3), (3, 1), (2, 2), (2, 3), (3, 2), (3, 3), (1, 6), (6, 1), (2, 6), (6, 2), (4, 4))
_INSIDE = 24
_BEYOND = 24
_FARTHEST = 40.0
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(8)


@lru_cache(maxsize=64)
def attained(ratio: Fraction) -> Points:
    """What groups that move apart by so many scales attain: the outcome is that one of the first is picked."""
    size = float(ratio)
    inside = size * np.arange(_INSIDE + 1) / _INSIDE
    beyond = np.expm1(np.linspace(0.0, math.log1p(_FARTHEST), _BEYOND))[1:]
    behind = np.concatenate([-beyond[::-1], inside, size + beyond])
    points = [(wins(first, second, behind), wins(first, second, behind - size)) for first, second in _SIZES]
    return Points.outermost(*(np.concatenate(side) for side in zip(*points, strict=True)))


def wins(first: int, second: int, behind: Floats) -> Floats:
    """The chance that one of the first is the largest of all when each is so many scales behind each of the second.

    Guarantee: off by at most 2^-46 of itself and of its complement, for groups of up to six.
    """
    late = _wins_behind(first, second, np.maximum(behind, 0.0))
    early = _wins_behind(second, first, np.maximum(-behind, 0.0))
    return np.where(behind >= 0.0, late, 1.0 - early)


def _wins_behind(first: int, second: int, behind: Floats) -> Floats:
    """The integral of what the second stay below by the law of the largest of the first, in three parts.

    Let the first stand at 0. Below 0 both laws are exponential. Between 0 and the others' score the power of 1 - e^-z/2 is
    multiplied out. Beyond, it is the integral of a polynomial in v = e^-(z - behind), which eight nodes give exactly.
    """
    fall = np.exp(-behind)
    low = first * fall**second * 2.0 ** -(first + second) / (first + second)
    middle = np.zeros(behind.size)
    for power in range(first):
        rate = second - 1 - power
        # e^(-second behind) times the integral of e^(rate z).
        part = (
            behind * fall**second
            if rate == 0
            else fall ** (second - max(rate, 0)) * -np.expm1(-abs(rate) * behind) / abs(rate)
        )
        middle += math.comb(first - 1, power) * (-0.5) ** power * part
    middle *= first * 2.0 ** -(second + 1)
    v, weights = 0.5 * (1.0 + _NODES)[:, None], 0.5 * _WEIGHTS[:, None]
    high = np.sum(weights * (1.0 - 0.5 * v) ** second * (1.0 - 0.5 * fall * v) ** (first - 1), axis=0) * (
        0.5 * first * fall
    )
    return np.asarray(low + middle + high)
