"""The largest loss that a zCDP parameter permits, as cuts.

Restricted to one event of probabilities p under P and q under Q, a mechanism with parameter rho satisfies, at every order
a > 1, the convex inequality

    p^a q^(1-a) + (1-p)^a (1-q)^(1-a) <= e^(rho a (a-1)).

Both terms are homogeneous of degree one, so each lies above its tangent through the origin: for every r > s > 0

    a (r^(a-1) - s^(a-1)) p - (a-1) (r^a - s^a) q <= e^(rho a (a-1)) - a s^(a-1) + (a-1) s^a,

a cut "p <= x q + delta". Any r and s give a valid one; the best come from points where the inequality is tight. The choice
s = 0 is the classic conversion. The inequality also holds with P and Q exchanged and with the event's complement, which
turns the cut (x, delta) into (1/x, (x - 1 + delta)/x).
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

import numpy as np

from accountant import float_above
from accountant.loss import CutLoss, Floats

_FARTHEST = 640.0
_NEAR, _FAR = 1000, 200


@lru_cache(maxsize=256)
def envelope(rho: Fraction) -> CutLoss:
    """A loss that dominates every mechanism with parameter `rho`.

    Delta falls like e^(-epsilon^2/(4 rho)): epsilons are dense until it is about 1e-60 and sparse until it underflows.
    """
    scale = float_above(rho)
    reach = [min(_FARTHEST, scale + 2.0 * math.sqrt(scale * nats)) for nats in (140.0, _FARTHEST)]
    wanted = np.concatenate([np.linspace(0.0, reach[0], _NEAR), np.linspace(reach[0], reach[1], _FAR)])
    epsilons, deltas = _best_cuts(scale, wanted)
    # A mirrored cut has delta above 1 - e^-epsilon, so it helps only where the direct one does.
    back, others = _best_cuts(scale, -wanted[deltas > -np.expm1(-wanted)])
    with np.errstate(invalid="ignore"):
        mirrored = (-np.expm1(back) + others * np.exp(back)) * (1.0 + 2.0**-44)
    return CutLoss.through(np.concatenate([epsilons, -back]), np.concatenate([deltas, mirrored]))


_SPREADS = (8.0, 3.0, 1.7, 1.3, 1.12, 1.05)


def _best_cuts(rho: float, wanted: Floats) -> tuple[Floats, Floats]:
    """The best cut found near each epsilon, by narrowing in on an order and on the odds of p at the tangent point."""
    order = 1.0 + np.maximum((np.abs(wanted) + rho) / (2.0 * rho) - 1.0, 0.05)
    odds = np.full_like(wanted, np.inf)
    orders, factors = np.geomspace(1 / 16, 8.0, 25), np.array([1.0])
    for spread in (*_SPREADS, None):
        tried = 1.0 + (order[:, None, None] - 1.0) * orders[None, :, None]
        log_s = -np.log1p(odds[:, None, None] * factors[None, None, :])
        epsilons, deltas = (part.reshape(wanted.size, -1) for part in _cuts(rho, wanted[:, None, None], tried, log_s))
        # A cut that came out steeper than wanted is judged by what it says at the wanted slope.
        excess = np.maximum(epsilons - wanted[:, None], 0.0) * tried.repeat(factors.size, axis=2).reshape(wanted.size, -1)
        place = np.argmin(np.log(deltas) + excess, axis=1)
        epsilons, deltas = epsilons[np.arange(wanted.size), place], deltas[np.arange(wanted.size), place]
        row, column = np.divmod(place, factors.size)
        order = 1.0 + (order - 1.0) * orders[row]
        if factors.size > 1:
            odds = odds * factors[column]
        else:
            # With s = 0 the tangent point has p equal to the order times delta: a first idea where to look.
            chance = np.minimum(order * deltas, 0.9)
            odds = chance / (1.0 - chance)
        if spread is not None:
            orders = np.geomspace(1 / min(spread, 2.0), min(spread, 2.0), 9)
            factors = np.geomspace(1 / spread**2, spread**2, 9)
    return epsilons, deltas


def _cuts(rho: float, wanted: Floats, orders: Floats, log_s: Floats) -> tuple[Floats, Floats]:
    """Cuts with slope about e^wanted at each s, as (epsilon, delta), both rounded up; infinite where there is none."""
    with np.errstate(all="ignore"):
        classic = np.log(orders / (orders - 1.0))
        slope = np.zeros(())
        for _ in range(6):
            log_r = wanted + classic - slope
            gap = log_s - log_r
            fall = np.exp((orders - 1.0) * gap)
            slope = np.log1p(-fall * np.exp(gap)) - np.log1p(-fall)
        epsilons = log_r - classic + slope
        exponent = (orders - 1.0) * (rho * orders - log_r)
        terms = np.exp(exponent), orders * fall, (orders - 1.0) * np.exp(log_s) * fall
        rounding = 2.0**-48 * (8.0 + np.abs(exponent) + orders * (1.0 + np.abs(log_r))) * (terms[0] + terms[1] + terms[2])
        deltas = (terms[0] - terms[1] + terms[2] + rounding) / (-orders * np.expm1((orders - 1.0) * gap))
        epsilons = epsilons + 2.0**-44 * (1.0 + np.abs(log_r) + np.abs(classic)) / -np.expm1((orders - 1.0) * gap)
    valid = np.isfinite(epsilons) & np.isfinite(deltas) & (deltas > 0.0) & (gap < 0.0)
    return np.where(valid, epsilons, np.inf), np.where(valid, deltas * (1.0 + 2.0**-46), np.inf)
