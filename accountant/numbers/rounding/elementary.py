"""Exponentials, logarithms and roots of balls."""

from __future__ import annotations

import math
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from accountant.numbers.rounding.ball import Ball
from accountant.numbers.rounding.balls import Balls, Floats, Radius, is_exact
from accountant.numbers.rounding.direction import GROW, LEAST, ROUNDOFF, UNDERFLOW
from accountant.numbers.rounding.granted import COMPLEX, ELEMENTARY

Value = TypeVar("Value", Ball, Balls)
_HIGHEST = 709.0
_ROOM = 1.0 + 2 * ELEMENTARY
"""Pays for the error of a function inside a bound."""


def exp(x: Value) -> Value:
    """e^x."""
    if isinstance(x, Ball):
        if not x.middle <= _HIGHEST:
            return Ball(0.0, math.inf)
        value = math.exp(x.middle)
        return Ball(value, value * ((ELEMENTARY + _growth_of_one(x.radius)) * GROW) + UNDERFLOW)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        middle = np.exp(x.middle)
        granted = COMPLEX if np.iscomplexobj(middle) else ELEMENTARY
        return Balls(middle, np.abs(middle) * ((granted + _growth(x.radius)) * GROW) + UNDERFLOW)


def expm1(x: Value) -> Value:
    """e^x - 1, without losing small x."""
    if isinstance(x, Ball):
        if not x.middle <= _HIGHEST:
            return Ball(0.0, math.inf)
        value = math.expm1(x.middle)
        moved = (value + _ROOM) * _growth_of_one(x.radius) if x.radius else 0.0
        return Ball(value, (ELEMENTARY * abs(value) + moved) * GROW + (LEAST if value else 0.0))
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        if np.iscomplexobj(x.middle):
            return _complex_expm1(x)
        middle = np.expm1(x.middle)
        radius = np.abs(middle) * (ELEMENTARY * GROW)
        if not is_exact(x.radius):
            radius += (middle + _ROOM) * (_growth(x.radius) * GROW)
        return Balls(middle, radius + LEAST * (middle != 0.0))


def log(x: Value) -> Value:
    """The logarithm of positive numbers; of a complex number up to whole turns."""
    if isinstance(x, Ball):
        if not x.middle > x.radius:
            return Ball(0.0, math.inf)
        value = math.log(x.middle)
        return Ball(value, (_log_growth_of_one(x.radius / x.middle) + ELEMENTARY * abs(value)) * GROW)
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
        if not 1.0 + x.middle > x.radius:
            return Ball(0.0, math.inf)
        value = math.log1p(x.middle)
        moved = _log_growth_of_one(x.radius / (1.0 + x.middle) * GROW)
        return Ball(value, (moved + ELEMENTARY * abs(value)) * GROW + (LEAST if value else 0.0))
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
        value = math.sqrt(max(x.middle, 0.0))
        moved = min(math.sqrt(x.radius), x.radius / value if value else math.inf) if x.radius else 0.0
        return Ball(value, (moved + ROUNDOFF * value) * GROW + (LEAST if x.radius else 0.0))
    middle = np.sqrt(np.maximum(x.middle, 0.0))
    radius = ROUNDOFF * middle
    if not is_exact(x.radius):
        with np.errstate(divide="ignore", invalid="ignore"):
            radius = radius + np.fmin(np.sqrt(x.radius), x.radius / middle) + LEAST
    return Balls(middle, radius * GROW)


def tanh(x: Ball) -> Ball:
    """The hyperbolic tangent, which moves by no more than its argument."""
    value = math.tanh(x.middle)
    return Ball(value, (x.radius + ELEMENTARY * abs(value)) * GROW + (LEAST if value else 0.0))


def log_of_sum(logs: Balls) -> Ball:
    """log sum e^x over the entries of a row, for any sizes."""
    from accountant.numbers.rounding.sums import total

    top = float(np.max(logs.middle, initial=-math.inf))
    return log(total(exp(logs - top))) + top if math.isfinite(top) else Ball(0.0, math.inf)


def _held(middle: Any, radius: Any, held: NDArray[np.bool_]) -> Balls:
    """Balls of which nothing is known where they do not hold."""
    return Balls(middle, radius) if held.all() else Balls(np.where(held, middle, 0.0), np.where(held, radius, np.inf))


def _growth_of_one(radius: float) -> float:
    """An upper bound on e^r - 1, beside roundings that GROW pays for: e^r <= 1 + r + r^2 up to 1."""
    if radius < 1.0:
        return radius + radius * radius
    return math.expm1(radius) * _ROOM if radius < _HIGHEST else math.inf


def _growth(radius: Radius) -> Any:
    """The same of every entry."""
    if isinstance(radius, float):
        return _growth_of_one(radius)
    if radius.max(initial=0.0) < 1.0:
        return radius + radius * radius
    return np.where(radius < 1.0, radius + radius * radius, np.expm1(radius) * _ROOM)


def _log_growth_of_one(share: float) -> float:
    """An upper bound on -log(1 - s): s/(1 - s)."""
    return share / (1.0 - share) if share < 1.0 else math.inf


def _log_growth(share: Any) -> Any:
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
