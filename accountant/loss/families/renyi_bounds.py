"""The largest loss that bounds on Renyi divergences permit, as tangent cuts.

Restricted to one event of probabilities p under P and q under Q, a Renyi divergence of order a > 1 that is at most b says

    p^a q^(1-a) + (1-p)^a (1-q)^(1-a) <= e^(b (a-1)),

a convex inequality. Both terms are homogeneous of degree one, so each lies above its tangent through the origin: for every
r > s > 0

    a (r^(a-1) - s^(a-1)) p - (a-1) (r^a - s^a) q <= e^(b (a-1)) - a s^(a-1) + (a-1) s^a,

a cut "p <= x q + delta". Any r and s give a valid one; the best come from points where the inequality is tight, with
r = p/q and s = (1-p)/(1-q). The choice s = 0 is the classic conversion. Where the divergence is bounded in both directions,
exchanging P and Q and the event for its complement turns the cut (x, delta) into (1/x, (x - 1 + delta)/x).
"""

from __future__ import annotations

import numpy as np

from accountant.loss.families.linear_bounds import CutLoss
from accountant.loss.readings.arrays import Floats
from accountant.numbers.rounding import Balls, exp, expm1, raised

_STEPS, _CLOSE = 40, 2.0**-45
_NEAR, _FAR, _HIGH = 1000, 150, 250


def log_odds(highest: float) -> Floats:
    """Log odds of p at which to touch the inequalities: dense around even odds and down to e^-140, sparse beyond."""
    near = -140.0 * np.linspace(1.0, 0.0, _NEAR) ** 2
    far = np.linspace(-640.0, -140.0, _FAR, endpoint=False)
    high = min(highest, 640.0) * np.linspace(0.0, 1.0, _HIGH)[1:] ** 2
    return np.concatenate([far, near, high])


def largest_ratio(odds: Floats, orders: Floats, bounds: Floats) -> Floats:
    """About the largest log p/q that the inequality of each order allows an event with these log odds under P.

    The logarithm of the left side is convex in log p/q, so Newton's method from the right never overshoots.
    """
    log_p, log_rest = -np.logaddexp(0.0, -odds), -np.logaddexp(0.0, odds)
    p = np.exp(log_p)
    step = orders - 1.0
    with np.errstate(all="ignore"):
        ratio = bounds - log_p / step
        for _ in range(_STEPS):
            beside = np.exp(log_rest) - p * np.expm1(-ratio)
            first, second = log_p + step * ratio, orders * log_rest - step * np.log(beside)
            share = 1.0 / (1.0 + np.exp(second - first))
            slope = step * (share - (1.0 - share) * p * np.exp(-ratio) / beside)
            move = (np.logaddexp(first, second) - step * bounds) / slope
            ratio = ratio - move
            if not np.any(np.abs(move) > _CLOSE * np.abs(ratio)):
                # The next step would move them by about the square of that.
                break
    return ratio


def tangent_loss(odds: Floats, orders: Floats, bounds: Floats) -> CutLoss:
    """A loss that dominates every mechanism whose Renyi divergences of these orders have these bounds, both directions.

    Each cut touches the inequality of one order where an event has these log odds under P. Guarantee: the result
    dominates whatever the log odds are; they and the search only decide how closely.
    """
    epsilons, deltas = _cuts(odds, orders, bounds)
    back, others = _exchanged(epsilons, deltas)
    return CutLoss.through(np.concatenate([epsilons, back]), np.concatenate([deltas, others]))


def _cuts(odds: Floats, orders: Floats, bounds: Floats) -> tuple[Floats, Floats]:
    """Cuts as (epsilon, delta), both rounded up; infinite where there is none."""
    log_r = largest_ratio(odds, orders, bounds)
    with np.errstate(all="ignore"):
        log_s = -np.logaddexp(0.0, odds) - np.log1p(-np.exp(-np.logaddexp(0.0, -odds) - log_r))
        gap = log_s - log_r
        fall, spread = np.exp((orders - 1.0) * gap), -np.expm1((orders - 1.0) * gap)
        classic = np.log(orders / (orders - 1.0))
        epsilons = log_r - classic + np.log1p(-fall * np.exp(gap)) - np.log(spread)
        exponent = (orders - 1.0) * (bounds - log_r)
        terms = np.exp(exponent), orders * fall, (orders - 1.0) * np.exp(log_s) * fall
        reach = 8.0 + np.abs(exponent) + orders * (1.0 + np.abs(log_r) + np.abs(log_s))
        # Every term is an exponential of sums and products that round a few times each, by 8 where they are logarithms.
        gained = Balls.rounded(terms[0] - terms[1] + terms[2], 32.0, reach * (terms[0] + terms[1] + terms[2])).upper
        deltas = raised(gained / (orders * spread), 128)
        epsilons = Balls.rounded(epsilons, 512.0, (1.0 + np.abs(log_r) + np.abs(classic)) / spread).upper
    valid = np.isfinite(epsilons) & np.isfinite(deltas) & (deltas > 0.0) & (gap < 0.0)
    return np.where(valid, epsilons, np.inf), np.where(valid, deltas, np.inf)


def _exchanged(epsilons: Floats, deltas: Floats) -> tuple[Floats, Floats]:
    """Cuts with epsilon below 0 as seen with exchanged roles, rounded up; those above 0 a CutLoss exchanges itself."""
    useful = (epsilons < 0.0) & (epsilons > -30.0) & (deltas < 1.0)
    falling, slack = Balls(epsilons[useful]), deltas[useful]
    return -falling.middle, ((expm1(falling) + slack) * exp(-falling)).upper
