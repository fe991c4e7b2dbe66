"""Draws from gamma and Gaussian laws between two bounds, by inversion and in logarithms where the bounds are far out."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.random import Generator
from scipy import special

from accountant.loss import Floats

LogChance = Callable[[Floats, Floats], Floats]

_FAINT = 1e-280
"""Chances below this are computed and inverted in logarithms."""


def log_gamma_below(shape: Floats, x: Floats) -> Floats:
    """log of the chance that a gamma variable of rate 1 is at most x."""
    shape, x = np.broadcast_arrays(shape, x)
    chances = special.gammainc(shape, x)
    faint = chances < _FAINT
    logs = np.array(np.log(np.where(faint, 1.0, chances)))
    if faint.any():
        logs[faint] = _series(shape[faint], x[faint])
    return logs


def log_gamma_above(shape: Floats, x: Floats) -> Floats:
    """log of the chance that a gamma variable of rate 1 is above x."""
    shape, x = np.broadcast_arrays(shape, x)
    chances = special.gammaincc(shape, x)
    faint = chances < _FAINT
    logs = np.array(np.log(np.where(faint, 1.0, chances)))
    if faint.any():
        logs[faint] = _fraction(shape[faint], x[faint])
    return logs


def _series(shape: Floats, x: Floats) -> Floats:
    """x^a e^-x/Gamma(a + 1) (1 + x/(a + 1) + x^2/((a + 1)(a + 2)) + ...), for x far below a."""
    total, term, index = np.ones_like(x), np.ones_like(x), 0
    while np.any(term > 1e-17 * total):
        index += 1
        term = term * x / (shape + index)
        total = total + term
    with np.errstate(divide="ignore"):
        logs: Floats = shape * np.log(x) - x - special.gammaln(shape + 1.0) + np.log(total)
    return logs


def _fraction(shape: Floats, x: Floats) -> Floats:
    """The continued fraction of the upper incomplete gamma function, for x far above a."""
    with np.errstate(invalid="ignore"):
        base = x + 1.0 - shape
        c, d = np.full_like(x, 1e300), 1.0 / base
        value = d
        for index in range(1, 400):
            top = -index * (index - shape)
            base = base + 2.0
            d = 1.0 / (top * d + base)
            c = base + top / c
            factor = c * d
            value = value * factor
            if np.all(np.abs(factor - 1.0)[np.isfinite(x)] < 1e-15):
                break
        logs: Floats = np.where(np.isfinite(x), shape * np.log(x) - x - special.gammaln(shape) + np.log(value), -np.inf)
    return logs


def gamma_between(shape: Floats, rate: Floats, low: Floats, high: Floats, generator: Generator) -> Floats:
    """Draws from a gamma law between two bounds."""
    shape, rate, low, high = np.broadcast_arrays(shape, rate, low, high)
    uniform = generator.random(shape.shape)
    first, last = rate * low, rate * high
    # Where the lower bound is beyond the middle of the law the chances above are the small ones.
    beyond = first > shape
    found = np.empty(shape.shape)
    if (~beyond).any():
        rest = ~beyond
        logs = _between(log_gamma_below(shape[rest], first[rest]), log_gamma_below(shape[rest], last[rest]), uniform[rest])
        found[rest] = _inverse_below(shape[rest], logs)
    if beyond.any():
        logs = _between(
            log_gamma_above(shape[beyond], last[beyond]), log_gamma_above(shape[beyond], first[beyond]), uniform[beyond]
        )
        found[beyond] = _inverse_above(shape[beyond], logs)
    # Inversion rounds; a draw never leaves its bounds.
    return np.clip(found / rate, low, high)


def _between(low: Floats, high: Floats, uniform: Floats) -> Floats:
    """log(l + u (h - l)) from the logs of l and h."""
    with np.errstate(divide="ignore"):
        logs: Floats = high + np.log(uniform + (1.0 - uniform) * np.exp(np.minimum(low - high, 0.0)))
    return logs


def _inverse_below(shape: Floats, logs: Floats) -> Floats:
    found = special.gammaincinv(shape, np.exp(np.minimum(logs, 0.0)))
    faint = logs < np.log(_FAINT)
    if faint.any():
        found[faint] = _bisected(shape[faint], logs[faint], log_gamma_below, rising=True)
    return np.asarray(found)


def _inverse_above(shape: Floats, logs: Floats) -> Floats:
    found = special.gammainccinv(shape, np.exp(np.minimum(logs, 0.0)))
    faint = logs < np.log(_FAINT)
    if faint.any():
        found[faint] = _bisected(shape[faint], logs[faint], log_gamma_above, rising=False)
    return np.asarray(found)


def _bisected(shape: Floats, logs: Floats, log_chance: LogChance, *, rising: bool) -> Floats:
    """Where a log chance takes a value far below that at the middle of the law."""
    # The chance to be below x is at most x^a/Gamma(a + 1), and that to be above x is at most e^(-x/4) from 4 a on.
    low = (logs + special.gammaln(shape + 1.0)) / shape if rising else np.log(shape)
    high = np.log(shape) if rising else np.log(np.maximum(4.0 * shape, -4.0 * logs))
    for _ in range(60):
        middle = 0.5 * (low + high)
        below = (log_chance(shape, np.exp(middle)) < logs) == rising
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    found: Floats = np.exp(0.5 * (low + high))
    return found


def normal_between(mean: Floats, deviation: Floats, low: Floats, high: Floats, generator: Generator) -> Floats:
    """Draws from a Gaussian law between two bounds."""
    first, last = (low - mean) / deviation, (high - mean) / deviation
    # The law is turned round where both bounds are above its middle, so that chances are small instead of close to one.
    turned = first > 0.0
    first, last = np.where(turned, -last, first), np.where(turned, -first, last)
    logs = _between(special.log_ndtr(first), special.log_ndtr(last), generator.random(np.shape(first)))
    found = special.ndtri_exp(np.minimum(logs, 0.0))
    draws: Floats = np.clip(mean + deviation * np.where(turned, -found, found), low, high)
    return draws
