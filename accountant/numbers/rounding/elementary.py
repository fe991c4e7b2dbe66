"""Exponentials, logarithms and roots of balls."""

from __future__ import annotations

import math
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from accountant.numbers.rounding.ball import Ball
from accountant.numbers.rounding.ball_functions import exp_of, expm1_of, growth, log1p_of, log_of_ball, sqrt_of
from accountant.numbers.rounding.balls import Balls, Floats, Radius, is_exact
from accountant.numbers.rounding.direction import GROW, LEAST, ROUNDOFF, UNDERFLOW
from accountant.numbers.rounding.granted import COMPLEX, ELEMENTARY

Value = TypeVar("Value", Ball, Balls)
_ROOM = 1.0 + 2 * ELEMENTARY
"""Pays for the error of a function inside a bound."""


def exp(x: Value) -> Value:
    """e^x."""
    if isinstance(x, Ball):
        return exp_of(x)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        middle = np.exp(x.middle)
        granted = COMPLEX if np.iscomplexobj(middle) else ELEMENTARY
        # Where e^x is lost to underflow, what it grows to within the ball is not.
        size = np.abs(middle) if is_exact(x.radius) else np.maximum(np.abs(middle), UNDERFLOW)
        return Balls(middle, size * ((granted + _growth(x.radius)) * GROW) + UNDERFLOW)


def expm1(x: Value) -> Value:
    """e^x - 1, without losing small x."""
    if isinstance(x, Ball):
        return expm1_of(x)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        if np.iscomplexobj(x.middle):
            return _complex_expm1(x)
        middle = np.expm1(x.middle)
        radius = np.abs(middle) * (ELEMENTARY * GROW)
        if not is_exact(x.radius):
            radius += (middle + _ROOM) * (_growth(x.radius) * GROW)
        return Balls(middle, radius + np.minimum(np.abs(middle), LEAST))


def log(x: Value) -> Value:
    """The logarithm of positive numbers; of a complex number up to whole turns."""
    if isinstance(x, Ball):
        return log_of_ball(x)
    with np.errstate(divide="ignore", invalid="ignore"):
        size = np.abs(x.middle)
        middle = np.log(x.middle)
        radius = (COMPLEX if np.iscomplexobj(middle) else ELEMENTARY) * np.abs(middle)
        if not is_exact(x.radius):
            radius = radius + _log_growth(x.radius / size)
        return _held(middle, radius * GROW, size > x.radius if np.iscomplexobj(middle) else x.middle > x.radius)


def log1p(x: Value) -> Value:
    """log(1 + x) for x above -1, without losing small x."""
    if isinstance(x, Ball):
        return log1p_of(x)
    with np.errstate(divide="ignore", invalid="ignore"):
        size = np.abs(1.0 + x.middle)
        if np.iscomplexobj(x.middle):
            middle: Any = _complex_log1p(x.middle, size)
            radius = COMPLEX * np.abs(middle)
        else:
            middle = np.log1p(x.middle)
            radius = ELEMENTARY * np.abs(middle)
        if not is_exact(x.radius):
            radius = radius + _log_growth(x.radius / size * GROW)
        held = size > x.radius if np.iscomplexobj(middle) else 1.0 + x.middle > x.radius
        return _held(middle, radius * GROW + LEAST * (middle != 0.0), held)


def sqrt(x: Value) -> Value:
    """The root of numbers that are not negative."""
    if isinstance(x, Ball):
        return sqrt_of(x)
    middle = np.sqrt(np.maximum(x.middle, 0.0))
    radius = ROUNDOFF * middle
    if not is_exact(x.radius):
        with np.errstate(divide="ignore", invalid="ignore"):
            radius = radius + np.fmin(np.sqrt(x.radius), x.radius / middle) + LEAST
    return Balls(middle, radius * GROW)


def log_of_sum(logs: Balls) -> Ball:
    """log sum e^x over the entries of a row, for any sizes."""
    from accountant.numbers.rounding.sums import total

    top = float(np.max(logs.middle, initial=-math.inf))
    return log(total(exp(logs - top))) + top if math.isfinite(top) else Ball(0.0, math.inf)


def _held(middle: Any, radius: Any, held: NDArray[np.bool_]) -> Balls:
    """Balls of which nothing is known where they do not hold."""
    return Balls(middle, radius) if held.all() else Balls(np.where(held, middle, 0.0), np.where(held, radius, np.inf))


def _growth(radius: Radius) -> Any:
    """What e^r - 1 is at most, for every entry."""
    if isinstance(radius, float):
        return growth(radius)
    if radius.max(initial=0.0) < 1.0:
        return radius + radius * radius
    return np.where(radius < 1.0, radius + radius * radius, np.expm1(radius) * _ROOM)


def _log_growth(share: Any) -> Any:
    """What -log(1 - s) is at most, for every entry."""
    return np.where(share < 1.0, share / (1.0 - share), np.inf)


def _complex_expm1(x: Balls) -> Balls:
    """e^z - 1 by its real and imaginary parts; numpy's own is only absolutely accurate off the real line."""
    z = x.middle
    half, fall = np.sin(0.5 * z.imag), np.exp(z.real)
    middle = np.expm1(z.real) * np.cos(z.imag) - 2.0 * half * half + 1j * (fall * np.sin(z.imag))
    radius = np.abs(middle) * (COMPLEX * GROW)
    if not is_exact(x.radius):
        radius += fall * (_growth(x.radius) * _ROOM * GROW)
    return Balls(middle, radius + LEAST * (middle != 0.0))


def _complex_log1p(w: Any, size: Floats) -> Any:
    near = (size > 0.5) & (size < 2.0)
    square = np.where(near, w.real * (2.0 + w.real) + w.imag * w.imag, 0.0)
    return np.where(near, 0.5 * np.log1p(square), np.log(size)) + 1j * np.arctan2(w.imag, 1.0 + w.real)
