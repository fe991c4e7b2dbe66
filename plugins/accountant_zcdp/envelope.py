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
from attrs import field, frozen

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


_COARSE = 120
_WIDE = (8.0, 3.0, 1.7, 1.3, 1.12)
_NARROW = (1.1, 1.04)


def _best_cuts(rho: float, wanted: Floats) -> tuple[Floats, Floats]:
    """The best cut found near each epsilon: searched widely on a few of them, then narrowly on all from there."""
    if wanted.size == 0:
        return wanted, wanted
    few = np.linspace(wanted.min(), wanted.max(), _COARSE)
    order = 1.0 + np.maximum((np.abs(few) + rho) / (2.0 * rho) - 1.0, 0.05)
    orders = np.geomspace(1 / 16, 8.0, 25)
    search = _Search(few, order, np.full_like(few, np.inf)).narrowed(rho, orders, np.array([1.0]))
    # With s = 0 the tangent point has p equal to the order times delta: a first idea where to look.
    chance = np.minimum(search.order * search.deltas, 0.9)
    search = _Search(few, search.order, chance / (1.0 - chance))
    for spread in _WIDE:
        search = search.narrowed(rho, _around(min(spread, 2.0), 9), _around(spread**2, 9))
    order = 1.0 + np.exp(np.interp(wanted, few, np.log(search.order - 1.0)))
    search = _Search(wanted, order, np.exp(np.interp(wanted, few, np.log(search.odds))))
    for spread in _NARROW:
        search = search.narrowed(rho, _around(spread, 5), _around(spread**2, 5))
    return search.epsilons, search.deltas


def _around(spread: float, size: int) -> Floats:
    return np.geomspace(1.0 / spread, spread, size)


@frozen(eq=False)
class _Search:
    """For each epsilon, the order and the odds of p at the tangent point that did best, and the cut they gave."""

    wanted: Floats
    order: Floats
    odds: Floats
    epsilons: Floats = field(factory=lambda: np.empty(0))
    deltas: Floats = field(factory=lambda: np.empty(0))

    def narrowed(self, rho: float, orders: Floats, factors: Floats) -> _Search:
        """The best of all given multiples of the order less 1 and of the odds."""
        tried = 1.0 + (self.order[:, None, None] - 1.0) * orders[None, :, None]
        log_s = -np.log1p(self.odds[:, None, None] * factors[None, None, :])
        cuts = _cuts(rho, self.wanted[:, None, None], tried, log_s)
        epsilons, deltas = (part.reshape(self.wanted.size, -1) for part in cuts)
        # A cut that came out steeper than wanted is judged by what it says at the wanted slope.
        excess = np.maximum(epsilons - self.wanted[:, None], 0.0) * tried.repeat(factors.size, axis=2).reshape(deltas.shape)
        place = np.argmin(np.log(deltas) + excess, axis=1)
        row, column = np.divmod(place, factors.size)
        each = np.arange(self.wanted.size)
        order = 1.0 + (self.order - 1.0) * orders[row]
        return _Search(self.wanted, order, self.odds * factors[column], epsilons[each, place], deltas[each, place])


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
