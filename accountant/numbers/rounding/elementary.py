"""Exponentials, logarithms and roots of balls."""

from __future__ import annotations

import math
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from accountant.numbers.rounding.ball import Ball
from accountant.numbers.rounding.ball_functions import exp_of, expm1_of, growth, log1p_of, log_of_ball, sqrt_of
from accountant.numbers.rounding.balls import Balls, Floats, Radius, is_complex, is_exact, parts_of
from accountant.numbers.rounding.direction import GROW, LEAST, ROUNDOFF, SMALL, UNDERFLOW
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
        granted = COMPLEX if is_complex(middle) else ELEMENTARY
        # Where e^x is lost to underflow, what it grows to within the ball is not.
        size = np.abs(middle) if is_exact(x.radius) else np.maximum(np.abs(middle), UNDERFLOW)
        return Balls(middle, size * ((granted + growth_of(x.radius)) * GROW) + UNDERFLOW)


def expm1(x: Value) -> Value:
    """e^x - 1, without losing small x."""
    if isinstance(x, Ball):
        return expm1_of(x)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        if is_complex(x.middle):
            return _complex_expm1(x)
        middle = np.expm1(x.middle)
        radius = np.abs(middle) * (ELEMENTARY * GROW)
        if not is_exact(x.radius):
            radius += (middle + _ROOM) * (growth_of(x.radius) * GROW)
        return Balls(middle, radius + np.minimum(np.abs(middle), LEAST))


def times_exp(weights: Balls | Floats, x: Balls) -> Balls:
    """Real numbers w e^x in one pass; nothing where w is exactly 0."""
    first, doubt = parts_of(weights)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        rises = np.exp(x.middle)
        middle = first * rises
        share = (ELEMENTARY + ROUNDOFF + growth_of(x.radius)) * GROW
        held = np.abs(first)
        radius = held * (rises * share)
        if not is_exact(doubt):
            radius += doubt * (rises * (GROW + share))
            held = held + doubt
        # Exponentials and products that fall below the normal numbers.
        radius += held * UNDERFLOW
        radius += np.minimum(held, LEAST)
        return Balls(middle, radius)


def times_expm1(weights: Balls | Floats, x: Balls) -> Balls:
    """Real numbers w (e^x - 1) in one pass; nothing where w is exactly 0."""
    first, doubt = parts_of(weights)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        rises = np.expm1(x.middle)
        middle = first * rises
        radius = np.abs(middle) * ((ELEMENTARY + ROUNDOFF) * GROW)
        moved: Any = 0.0
        if not is_exact(x.radius):
            moved = (rises + _ROOM) * (growth_of(x.radius) * GROW)
            radius += np.abs(first) * moved
        if not is_exact(doubt):
            radius += (np.abs(rises) * (GROW + ELEMENTARY) + moved) * doubt
        radius *= GROW
        # What falls below the normal numbers before it is multiplied, and the products that do.
        held = np.abs(first) + doubt
        radius += held * LEAST
        radius += np.minimum(held, LEAST)
        return Balls(middle, radius)


def log(x: Value) -> Value:
    """The logarithm of positive numbers; of a complex number up to whole turns."""
    if isinstance(x, Ball):
        return log_of_ball(x)
    with np.errstate(divide="ignore", invalid="ignore"):
        middle = np.log(x.middle)
        whole = np.abs(x.middle) if is_complex(middle) else x.middle
        radius = np.abs(middle) * ((COMPLEX if is_complex(middle) else ELEMENTARY) * GROW)
        if not is_exact(x.radius):
            radius += _log_growth(x.radius / whole) * GROW
        return _held(middle, radius, whole > x.radius)


def log1p(x: Value) -> Value:
    """log(1 + x) for x above -1, without losing small x."""
    if isinstance(x, Ball):
        return log1p_of(x)
    with np.errstate(divide="ignore", invalid="ignore"):
        if is_complex(x.middle):
            return _complex_log1p(x, np.abs(1.0 + x.middle))
        whole = 1.0 + x.middle
        middle = np.log1p(x.middle)
        size = np.abs(middle)
        radius = size * (ELEMENTARY * GROW) + np.minimum(size, LEAST)
        if not is_exact(x.radius):
            radius += _log_growth(x.radius / whole) * (GROW * GROW)
        return _held(middle, radius, whole > x.radius)


def sqrt(x: Value) -> Value:
    """The root of numbers that are not negative."""
    if isinstance(x, Ball):
        return sqrt_of(x)
    middle = np.sqrt(np.maximum(x.middle, 0.0))
    radius = ROUNDOFF * middle
    if not is_exact(x.radius):
        with np.errstate(divide="ignore", invalid="ignore"):
            # A quotient that falls below the normal numbers is far below the root's own roundoff.
            radius = radius + np.fmin(np.sqrt(x.radius), x.radius / middle)
    return Balls(middle, radius * GROW)


def sin(x: Balls) -> Balls:
    """The sine of real numbers, which moves by no more than its argument."""
    return _wave(np.sin(x.middle), x.radius)


def cos(x: Balls) -> Balls:
    """The cosine of real numbers, which moves by no more than its argument."""
    return _wave(np.cos(x.middle), x.radius)


def _wave(middle: Floats, radius: Radius) -> Balls:
    return Balls(middle, (np.abs(middle) * ELEMENTARY + radius) * GROW + LEAST)


def log_of_sum(logs: Balls) -> Ball:
    """log sum e^x over the entries of a row, for any sizes."""
    from accountant.numbers.rounding.sums import total

    top = float(np.max(logs.middle, initial=-math.inf))
    return log(total(exp(logs - top))) + top if math.isfinite(top) else Ball(0.0, math.inf)


def logs_of_sums(logs: Balls, starts: NDArray[np.intp]) -> Balls:
    """log sum e^x over the entries from each start up to the next one, for any sizes; no group is empty."""
    from accountant.numbers.rounding.sums import grouped

    tops = np.maximum.reduceat(logs.middle, starts)
    sizes = np.diff(np.append(starts, logs.middle.size))
    return log(grouped(exp(logs - np.repeat(tops, sizes)), starts)) + tops


def log_added(one: Balls, other: Balls) -> Balls:
    """log(e^x + e^y), which moves by no more than the larger of what x and y move. An exact minus infinity adds nothing."""
    with np.errstate(invalid="ignore"):
        top = np.maximum(one.middle, other.middle)
        # Beyond 800 the exponential is below what every exponential is granted.
        apart = np.minimum(np.abs(one.middle - other.middle), 800.0)
    found = log1p(exp(-Balls.rounded(apart))) + top
    return found.widened(np.maximum(one.radius, other.radius))


def log1p_or_most(x: Balls) -> Balls:
    """log(1 + x) of complex numbers where 1 + x is known up to a quarter of its size, up to whole turns.

    Elsewhere nothing is known, and the middle is an upper bound on its real part.
    """
    whole = np.abs(1.0 + x.middle)
    # The sum and its size round by less than four of their roundoffs; a ball that is four times larger is far from 0 still.
    known = whole > 4.0 * x.radius
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        if known.all():
            return _complex_log1p(x, whole)
        some = Balls(np.where(known, x.middle, 0.0), np.where(known, x.radius, 0.0))
        found = _complex_log1p(some, np.where(known, whole, 1.0))
        most = log(Balls(np.maximum((whole + x.radius) * (1.0 + 8 * ROUNDOFF), SMALL))).upper
        return Balls(np.where(known, found.middle, most), np.where(known, found.radii, np.inf))


def _held(middle: Any, radius: Any, held: NDArray[np.bool_]) -> Balls:
    """Balls of which nothing is known where they do not hold."""
    return Balls(middle, radius) if held.all() else Balls(np.where(held, middle, 0.0), np.where(held, radius, np.inf))


def growth_of(radius: Radius) -> Any:
    """What e^r - 1 is at most, for every entry."""
    if isinstance(radius, float):
        return growth(radius)
    if radius.size <= 64:
        return np.expm1(radius) * _ROOM
    if radius.max(initial=0.0) < 1.0:
        return radius + radius * radius
    return np.where(radius < 1.0, radius + radius * radius, np.expm1(radius) * _ROOM)


def _log_growth(share: Any) -> Any:
    """What -log(1 - s) is at most, for every entry."""
    if np.maximum.reduce(share, axis=None, initial=0.0) < 1.0:
        return share / (1.0 - share)
    return np.where(share < 1.0, share / (1.0 - share), np.inf)


def _complex_expm1(x: Balls) -> Balls:
    """e^z - 1 by its real and imaginary parts; numpy's own is only absolutely accurate off the real line."""
    z = x.middle
    across, along = z.imag.copy(), z.real.copy()
    half, fall = np.sin(0.5 * across), np.exp(along)
    middle = np.empty_like(z)
    middle.real = np.expm1(along) * np.cos(across) - 2.0 * half * half
    middle.imag = fall * np.sin(across)
    size = np.abs(middle)
    radius = size * (COMPLEX * GROW)
    if not is_exact(x.radius):
        radius += fall * (growth_of(x.radius) * (_ROOM * GROW))
    return Balls(middle, radius + np.minimum(size, LEAST))


def _complex_log1p(x: Balls, whole: Floats) -> Balls:
    """log(1 + w) up to whole turns, by its real and imaginary parts; `whole` is |1 + w|."""
    w = x.middle
    along, across = w.real.copy(), w.imag.copy()
    middle = np.empty_like(w)
    near = (whole > 0.5) & (whole < 2.0)
    square = along * (2.0 + along) + across * across
    if near.all():
        middle.real = 0.5 * np.log1p(square)
    else:
        middle.real = np.where(near, 0.5 * np.log1p(np.where(near, square, 0.0)), np.log(whole))
    middle.imag = np.arctan2(across, 1.0 + along)
    size = np.abs(middle)
    radius = size * (COMPLEX * GROW) + np.minimum(size, LEAST)
    if not is_exact(x.radius):
        radius += _log_growth(x.radius / whole) * (GROW * GROW)
    return _held(middle, radius, whole > x.radius)
