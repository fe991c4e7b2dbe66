"""Functions of the normal law, and the logarithm of the gamma function, of balls."""

from __future__ import annotations

import math
from functools import cache
from typing import Any, TypeVar

import numpy as np

from accountant.numbers.rounding.ball import Ball
from accountant.numbers.rounding.ball_functions import exp_of
from accountant.numbers.rounding.balls import Balls, is_exact
from accountant.numbers.rounding.direction import GROW, LEAST, ROUNDOFF, UNDERFLOW
from accountant.numbers.rounding.elementary import exp, growth_of
from accountant.numbers.rounding.granted import ELEMENTARY, LOG_GAMMA, LOG_NORMAL, NORMAL, SCALED_TAIL

Value = TypeVar("Value", Ball, Balls)
_ROOT = math.sqrt(2.0)
_SLOPE = 0.39894228040143276
"""1/sqrt(2 pi), rounded up."""


@cache
def _scipy() -> Any:
    from scipy import special

    return special


def normal_density(z: Value) -> Value:
    """e^(-z^2/2), without the constant. The exponent is rounded once, and a half of it exactly."""
    middle, radius = z.middle, z.radius
    exponent = -0.5 * (middle * middle)
    if isinstance(z, Ball):
        return exp_of(Ball(exponent, (radius * (abs(middle) + 0.5 * radius) - ROUNDOFF * exponent) * GROW + LEAST))
    if is_exact(radius):
        return exp(Balls(exponent, exponent * (-ROUNDOFF * GROW) + LEAST))
    return exp(Balls(exponent, (radius * (np.abs(middle) + 0.5 * radius) - ROUNDOFF * exponent) * GROW + LEAST))


def scaled_tail(z: Value) -> Value:
    """P(Z > z) e^(z^2/2) of a standard normal Z, for z >= 0: half of erfcx(z/sqrt 2), Mills' ratio over sqrt(2 pi).

    The derivative of this g is z g(z) - 1/sqrt(2 pi), and g(z) > z/(sqrt(2 pi) (1 + z^2)). So g falls, by at most
    1/(sqrt(2 pi) (1 + z^2)) per unit: most at the end of the ball nearest to 0. Where the ball reaches below 0, g(z) is at
    most e^(z^2/2) there. Rounding z/sqrt(2) twice moves g by at most twice its roundoff.
    """
    argument = z.middle / _ROOT
    value = 0.5 * _scipy().erfcx(argument)
    if isinstance(z, Ball):
        least = z.middle - z.radius
        if least >= 0.0:
            slope = _SLOPE / (1.0 + least * least)
        else:
            slope = _SLOPE - least * math.exp(0.5 * least * least) if least > -37.0 else math.inf
        return Ball(float(value), (slope * z.radius + (SCALED_TAIL + 4 * ROUNDOFF) * float(value)) * GROW)
    radius = (SCALED_TAIL + 4 * ROUNDOFF) * value
    if not is_exact(z.radius):
        nearest = z.middle - z.radius
        slope = _SLOPE / (1.0 + np.square(np.maximum(nearest, 0.0)))
        if nearest.min(initial=0.0) < 0.0:
            beyond = np.clip(nearest, -40.0, 0.0)
            slope = np.where(nearest < -37.0, np.inf, slope - beyond * np.exp(np.minimum(0.5 * beyond * beyond, 700.0)))
        radius = radius + slope * z.radius
    return Balls(value, radius * GROW)


def tails_by_density(z: Balls, *others: Balls) -> tuple[Balls, ...]:
    """e^(-z^2/2), then that times `scaled_tail` of |y| for each other y; where one is off by a tenth, nothing is known.

    A ball of y that reaches beyond 0 stands for numbers on both sides of it, and the tail is that of y's side. If z and y
    are known up to r and s, the logarithm moves by at most r (|z| + r) and by s: from -1/10 on, the logarithm of the scaled
    tail falls by at most 1 per unit.
    """
    place, doubt = z.middle, z.radius
    moved: Any = np.maximum.reduce([other.radii for other in others])
    lost = None
    if not np.maximum.reduce(moved, axis=None, initial=0.0) < 0.1:
        # From y on, the logarithm falls by at most 1/y per unit too.
        moved = np.maximum.reduce([y.radii / np.maximum(1.0, np.abs(y.middle) - y.radii) for y in others]) * GROW
        lost = ~(moved < 0.1)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        square = place * place
        density = np.exp(-0.5 * square)
        # The square is rounded once.
        square *= 0.5 * ROUNDOFF
        moved = moved + square
        moved += (np.abs(place) + doubt) * doubt
        moved *= GROW
        share = growth_of(moved) * GROW
        share += ELEMENTARY * GROW
        found = [Balls(density, density * share + UNDERFLOW)]
        # The tail, its argument, and one product.
        share += (SCALED_TAIL + 8 * ROUNDOFF) * GROW
        half = 0.5 * density
        for other in others:
            tail = _scipy().erfcx(np.abs(other.middle) / _ROOT)
            tail *= half
            found.append(Balls(tail, tail * share + UNDERFLOW))
    if lost is not None:
        found = [Balls(balls.middle, np.where(lost, np.inf, balls.radius)) for balls in found]
    return tuple(found)


def normal_chance(z: Value) -> Value:
    """P(Z <= z) of a standard normal Z, for z >= 0: at least 1/2, and it moves by at most 2/5 of what z moves."""
    value = _scipy().ndtr(z.middle)
    if isinstance(z, Ball):
        return Ball(float(value), (0.4 * z.radius + NORMAL * float(value)) * GROW)
    return Balls(value, (0.4 * z.radius + NORMAL * value) * GROW)


def log_normal_chance(z: Value) -> Value:
    """log P(Z <= z) of a standard normal Z, for z <= 10: it moves by at most 1 + |z| times what z moves, 0.8 from 0 up."""
    value = _scipy().log_ndtr(z.middle)
    if isinstance(z, Ball):
        slope = 0.8 + max(z.radius - z.middle, 0.0)
        return Ball(float(value), (slope * z.radius + LOG_NORMAL * abs(float(value))) * GROW + LEAST)
    slope = 0.8 + np.maximum(z.radius - z.middle, 0.0)
    return Balls(value, (slope * z.radius + LOG_NORMAL * np.abs(value)) * GROW + LEAST)


def log_gamma(x: float) -> Ball:
    """The logarithm of the gamma function of a positive number."""
    value = math.lgamma(x)
    return Ball(value, LOG_GAMMA * max(1.0, abs(value)) * GROW)
