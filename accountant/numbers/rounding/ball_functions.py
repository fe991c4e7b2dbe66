"""Exponentials, logarithms and roots of one ball. They need nothing but the standard library."""

from __future__ import annotations

import math

from accountant.numbers.rounding.ball import Ball
from accountant.numbers.rounding.direction import GROW, LEAST, ROUNDOFF, UNDERFLOW
from accountant.numbers.rounding.granted import ELEMENTARY, LIBRARY

_HIGHEST = 709.0
_LOWEST = -708.0
"""From here down e^x is less than what is lost to underflow, however little of x is known."""
_ROOM = 1.0 + 2 * ELEMENTARY
"""Pays for the error of a function inside a bound."""


def exp_of(x: Ball) -> Ball:
    """e^x."""
    if not x.middle <= _HIGHEST:
        return Ball(0.0, math.inf)
    if x.middle + x.radius < _LOWEST:
        return Ball(0.0, UNDERFLOW)
    value = math.exp(x.middle)
    # Where e^x is lost to underflow, what it grows to within the ball is not.
    return Ball(value, max(value, UNDERFLOW) * ((LIBRARY + growth(x.radius)) * GROW) + UNDERFLOW)


def expm1_of(x: Ball) -> Ball:
    """e^x - 1, without losing small x."""
    if not x.middle <= _HIGHEST:
        return Ball(0.0, math.inf)
    value = math.expm1(x.middle)
    moved = (value + _ROOM) * growth(x.radius) if x.radius else 0.0
    return Ball(value, (LIBRARY * abs(value) + moved) * GROW + (LEAST if value else 0.0))


def log_of_ball(x: Ball) -> Ball:
    """The logarithm of a positive number."""
    if not x.middle > x.radius:
        return Ball(0.0, math.inf)
    value = math.log(x.middle)
    return Ball(value, (log_growth(x.radius / x.middle) + LIBRARY * abs(value)) * GROW)


def log1p_of(x: Ball) -> Ball:
    """log(1 + x) for x above -1, without losing small x."""
    if not 1.0 + x.middle > x.radius:
        return Ball(0.0, math.inf)
    value = math.log1p(x.middle)
    moved = log_growth(x.radius / (1.0 + x.middle) * GROW)
    return Ball(value, (moved + LIBRARY * abs(value)) * GROW + (LEAST if value else 0.0))


def sqrt_of(x: Ball) -> Ball:
    """The root of a number that is not negative."""
    value = math.sqrt(max(x.middle, 0.0))
    moved = min(math.sqrt(x.radius), x.radius / value if value else math.inf) if x.radius else 0.0
    # A quotient that falls below the normal numbers is far below the root's own roundoff.
    return Ball(value, (moved + ROUNDOFF * value) * GROW)


def tanh(x: Ball) -> Ball:
    """The hyperbolic tangent, which moves by no more than its argument, and beyond y by 4 e^-2y of that at most."""
    value, nearest = math.tanh(x.middle), max(abs(x.middle) - x.radius, 0.0)
    # With room for what the distance to 0 was rounded by, where that is felt.
    moved = x.radius * min(1.0, 5.0 * math.exp(-2.0 * nearest))
    return Ball(value, (moved + ELEMENTARY * abs(value)) * GROW + (LEAST if value else 0.0))


def growth(radius: float) -> float:
    """An upper bound on e^r - 1, beside roundings that GROW pays for: e^r <= 1 + r + r^2 up to 1."""
    if radius < 1.0:
        return radius + radius * radius
    return math.expm1(radius) * _ROOM if radius < _HIGHEST else math.inf


def log_growth(share: float) -> float:
    """An upper bound on -log(1 - s): s/(1 - s)."""
    return share / (1.0 - share) if share < 1.0 else math.inf
