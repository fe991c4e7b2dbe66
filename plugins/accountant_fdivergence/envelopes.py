"""The largest losses that f-divergences permit, as tangent cuts.

Restricted to one event of probabilities p under P and q under Q, an f-divergence of at most b says

    q f(p/q) + (1-q) f((1-p)/(1-q)) <= b.

Both terms are homogeneous of degree one, so each lies above its tangent through the origin: with g(t) = f(t) - t f'(t), for
every r > s > 0

    (f'(r) - f'(s)) p <= (g(s) - g(r)) q + b - f'(s) - g(s),

a cut "p <= x q + delta". Any r and s give a valid one; the best come from events where the inequality is tight, with
r = p/q and s = (1-p)/(1-q).
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from accountant.loss import CutLoss, Floats, log_odds
from accountant.numbers.rounding import Balls, exp, expm1, log, sqrt

_STEPS, _FARTHEST, _TELLING = 80, 600.0, 0.005


class Generator(ABC):
    """The function f of a divergence, as its tangents need it."""

    @abstractmethod
    def slope(self, place: Balls) -> Balls:
        """f'(t)."""

    @abstractmethod
    def intercept(self, place: Balls) -> Balls:
        """g(t) = f(t) - t f'(t)."""

    @abstractmethod
    def about(self, p: Floats, q: Floats, rest_p: Floats, rest_q: Floats) -> Floats:
        """About the divergence of an event, from its chances and those of its complement."""


class Logarithm(Generator):
    """f(t) = t log t."""

    def slope(self, place: Balls) -> Balls:
        return log(place) + 1.0

    def intercept(self, place: Balls) -> Balls:
        return -place

    def about(self, p: Floats, q: Floats, rest_p: Floats, rest_q: Floats) -> Floats:
        return p * np.log(p / q) + rest_p * np.log(rest_p / rest_q)


class Root(Generator):
    """f(t) = 1 - sqrt(t)."""

    def slope(self, place: Balls) -> Balls:
        return -0.5 / sqrt(place)

    def intercept(self, place: Balls) -> Balls:
        return 1.0 - 0.5 * sqrt(place)

    def about(self, p: Floats, q: Floats, rest_p: Floats, rest_q: Floats) -> Floats:
        return 1.0 - np.sqrt(p * q) - np.sqrt(rest_p * rest_q)


class Square(Generator):
    """f(t) = (t - 1)^2."""

    def slope(self, place: Balls) -> Balls:
        return (place - 1.0) * 2.0

    def intercept(self, place: Balls) -> Balls:
        return 1.0 - place * place

    def about(self, p: Floats, q: Floats, rest_p: Floats, rest_q: Floats) -> Floats:
        return (p - q) ** 2 / q + (p - q) ** 2 / rest_q


def envelope(generator: Generator, bound: float) -> CutLoss:
    """A loss that dominates every mechanism whose divergence has this bound, in both directions.

    Guarantee: it dominates wherever the tangents touch; that only decides how closely.
    """
    with np.errstate(all="ignore"):
        r, s = _tight(generator, bound)
        low, high = Balls(s), Balls(r)
        rise = generator.slope(high) - generator.slope(low)
        ratio = (generator.intercept(low) - generator.intercept(high)) / rise
        deltas = ((bound - generator.slope(low) - generator.intercept(low)) / rise).upper
        epsilons = log(ratio).upper
        valid = (r > s) & (rise.lower > 0.0) & (ratio.lower > 0.0) & np.isfinite(epsilons) & (deltas > 0.0)
    epsilons, deltas = epsilons[valid], deltas[valid]
    # Cuts below 0 as seen with exchanged roles and the complement of the event; those above 0 a CutLoss exchanges itself.
    falling = epsilons < 0.0
    back, slack = Balls(epsilons[falling]), deltas[falling]
    others = ((expm1(back) + slack) * exp(-back)).upper
    epsilons, deltas = np.concatenate([epsilons, -back.middle]), np.concatenate([deltas, others])
    told = _telling(epsilons, deltas)
    return CutLoss.through(epsilons[told], deltas[told])


def _telling(epsilons: Floats, deltas: Floats) -> list[int]:
    """Cuts without those that say hardly more than others: what they differ by is lost to rounding."""
    kept, last = [], np.max(deltas[epsilons > 0.0], initial=0.0)
    for index in np.argsort(epsilons).tolist():
        if epsilons[index] > 0.0 and deltas[index] < last * (1.0 - _TELLING):
            kept.append(index)
            last = deltas[index]
    return kept


def _tight(generator: Generator, bound: float) -> tuple[Floats, Floats]:
    """About the ratios p/q and (1-p)/(1-q) of events with the largest divergence that is allowed, p above q."""
    odds = log_odds(bound + 40.0)
    p, rest = np.exp(-np.logaddexp(0.0, -odds)), np.exp(-np.logaddexp(0.0, odds))
    low, high = np.zeros_like(odds), np.full_like(odds, _FARTHEST)
    for _ in range(_STEPS):
        middle = 0.5 * (low + high)
        q = p * np.exp(-middle)
        within = generator.about(p, q, rest, rest - p * np.expm1(-middle)) <= bound
        low, high = np.where(within, middle, low), np.where(within, high, middle)
    return np.exp(low), rest / (rest - p * np.expm1(-low))
