"""Bounds on the log moments of Skellam losses in closed form, for all variances, moves and orders.

Proofs are in docs/reference/mechanisms/skellam.md. Throughout, v is the variance, d the move and t the order.
"""

from __future__ import annotations

import math

from accountant.numbers.rounding import Ball

_FEW, _MANY = 64.0, 2048.0
"""What is made of a few sums, products and logarithms rounds less than the first; with hyperbolic functions of arguments up
to 600, which are felt as often as they are large, less than the second. All terms are relatively exact."""
LOST = 1e-320
"""A few of the smallest doubles, which is what underflow takes."""
_WIDE = 2.0**15


def steepest(variance: float, move: float) -> float:
    """An upper bound c on how much the loss changes where the noise changes by 1: twice its slope in the middle."""
    whole = math.floor(move / 2.0), math.floor((move - 1.0) / 2.0)
    return Ball.rounded(sum(_log_fall(variance, place) for place in whole), _FEW).upper


def _log_fall(variance: float, place: float) -> float:
    """log(I_k/I_(k+1)) is at most log(a + sqrt(1 + (a + 1/v)^2)) with a = (k + 1/2)/v (Amos)."""
    low, high = (place + 0.5) / variance, (place + 1.5) / variance
    return math.log1p(low + high * high / (1.0 + math.hypot(1.0, high)))


def log_moment_above(variance: float, move: float, order: float) -> float:
    """An upper bound on the log moment."""
    return min(_by_steepness(variance, move, order), _by_tangent(variance, move, order))


def log_moment_below(variance: float, move: float, order: float) -> float:
    """A lower bound on the log moment, from order 1 on: log(1 + d^2/v) there (Chapman and Robbins), and convex."""
    return Ball.rounded(order * math.log1p(move * move / variance), _FEW).lower if order >= 1.0 else 0.0


def _by_steepness(variance: float, move: float, order: float) -> float:
    """v (t (cosh c - 1) + cosh(t c) - 1), by the modified logarithmic Sobolev inequality: sharp where t is small."""
    steep = steepest(variance, move)
    if not (order + 1.0) * steep < 600.0:
        return math.inf
    return Ball.rounded(variance * (order * _growth(steep) + _growth(order * steep) + LOST), _MANY).upper


def _by_tangent(variance: float, move: float, order: float) -> float:
    """Losses of noise -n are below d (y + (n + (d + 1)/2 - v sinh y)/(v cosh y)), y >= 0: sharp where t is large."""
    if not order * move / variance < 1e300:
        return math.inf
    # Where the tilted noise sits, half a move farther.
    place = math.asinh(math.sinh(_place(order * move / variance)) + 0.5 * (move + 1.0) / variance)
    slope = 1.0 / math.cosh(place)
    rate = order * move * slope
    moved = rate / variance
    if moved > 600.0:
        return math.inf
    raised = variance * _growth(moved)
    terms = (order * move * place, 0.5 * rate * (move + 1.0) / variance, raised, math.log1p(0.5 * math.exp(-raised)))
    taken = rate * math.sinh(place)
    return Ball.rounded(sum(terms) - taken, _MANY, sum(terms) + taken).upper


def _place(slope: float) -> float:
    """About the y with y cosh y = slope; any y from 0 on is sound."""
    low, high = 0.0, max(1.0, math.log1p(slope) + 1.0)
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if middle * math.cosh(middle) < slope else (low, middle)
    return high


def _growth(x: float) -> float:
    """cosh x - 1."""
    half = math.sinh(0.5 * x)
    return 2.0 * half * half


def concentration_above(variance: float, move: float) -> float | None:
    """A bound on sup Renyi(a)/a for wide noise: hardly more than d^2/(2 v), that of Gaussian noise.

    From the order on where v y^3 = 4.01 the tangents keep it below d^2/(2 v) outright; up to there the steepness bounds it.
    """
    if variance < _WIDE:
        return None
    place = float((4.01 / variance) ** (1.0 / 3.0))
    order = max(1.0, variance * place * math.cosh(place) / move)
    steep = steepest(variance, move)
    if not order * steep < 600.0:
        return None
    below = variance * _growth(order * steep) / (order * order)
    return Ball.rounded(max(0.5 * move * move / variance, below), _MANY).upper


def concentration_beyond(variance: float, move: float, order: float) -> float:
    """A bound on Renyi(a)/a from some order on: (d log(2 t d/v) + ((d + 1)/2 + 0.5431 v + 0.4055)/t)/a, if t >= 4 v/d."""
    more = order - 1.0
    if more < 1.0 or more * move < 4.0 * variance:
        return math.inf
    rest = (0.5 * (move + 1.0) + 0.5431 * variance + 0.4055) / more
    return Ball.rounded((move * math.log(2.0 * more * move / variance) + rest) / order, _FEW).upper


def concentration_below(variance: float, move: float) -> float:
    """Renyi(2)/2."""
    return 0.5 * log_moment_below(variance, move, 1.0)
