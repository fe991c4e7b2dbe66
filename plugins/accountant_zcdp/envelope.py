"""The largest loss that a zCDP parameter permits: every Renyi divergence is at most rho times its order."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

import numpy as np

from accountant.loss import CutLoss, Floats, largest_ratio, log_odds, tangent_loss
from accountant.numbers import float_above
from accountant.numbers.rounding import raised

_EVERY = 8
_WIDE = np.geomspace(1e-6, 4.0, 40)
_NARROW = [np.geomspace(1.0 / spread, spread, 9) for spread in (1.5, 1.12, 1.03)]


@lru_cache(maxsize=256)
def envelope(rho: Fraction) -> CutLoss:
    """A loss that dominates every mechanism with parameter `rho`."""
    scale = float_above(rho)
    odds = log_odds(2.0 * scale + 40.0)
    orders = binding_orders(scale, odds)
    return tangent_loss(odds, orders, raised(scale * orders, 1))


def binding_orders(rho: float, odds: Floats) -> Floats:
    """About the orders that allow events with these log odds, which rise, the smallest ratios."""
    some = odds[::_EVERY]
    return 1.0 + np.interp(odds, some, _binding(rho, some))


def _binding(rho: float, odds: Floats) -> Floats:
    """For each event, about the order that allows it the smallest ratio, less 1. It falls to 0 for likely events."""
    each = np.arange(odds.size)
    best = np.sqrt((1.0 - np.minimum(odds, 0.0)) / rho)
    for factors in (_WIDE, *_NARROW):
        above_one = best[:, None] * factors
        ratio = largest_ratio(odds[:, None], 1.0 + above_one, rho * (1.0 + above_one))
        best = above_one[each, np.argmin(np.where(ratio > 0.0, ratio, np.inf), axis=1)]
    return best
