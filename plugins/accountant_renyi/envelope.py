"""The largest loss that Renyi parameters at some orders permit."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

import numpy as np

from accountant.loss import TOTAL_LOSS, PrivacyLoss, log_odds, tangent_loss
from accountant.numbers import float_above, float_below

_HIGHEST = 2.0**20


@lru_cache(maxsize=256)
def envelope(points: tuple[tuple[Fraction, Fraction], ...]) -> PrivacyLoss:
    """A loss that dominates every mechanism with gamma at an order, for all the given pairs (order, gamma).

    Renyi divergences grow with the order, so an order may be rounded down. One that doubles cannot tell from 1 is left out.
    """
    known = [(min(float_below(order), _HIGHEST), float_above(gamma)) for order, gamma in points]
    known = [(order, gamma) for order, gamma in known if order > 1.0]
    if not known:
        return TOTAL_LOSS
    odds = log_odds(2.0 * max(gamma for _, gamma in known) + 40.0)
    orders, bounds = (np.repeat(values, odds.size) for values in zip(*known, strict=True))
    return tangent_loss(np.tile(odds, len(known)), orders, bounds)
