"""What a zCDP parameter permits at one event: two outcomes that reach the envelope there."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

import numpy as np
from attrs import frozen

from accountant import Interval
from accountant.loss import Event, FiniteLoss, Floats, PrivacyLoss, RivalledLoss, largest_ratio, log_odds
from accountant_zcdp.best_order import best_epsilon
from accountant_zcdp.envelope import binding_orders

_LEAST = 1e-30
_MARGINS = (1e-8, 1e-7, 1e-6, 1e-4, 1e-2)


@frozen
class ClaimedConcentration(RivalledLoss):
    """The worst case of a zCDP parameter, which is `most_concentration`: Gaussian noise or two outcomes are as bad.

    Both orders of neighbours are bounded alike, so what is bad in one may be had in the other.
    """

    def _epsilon_at(self, target: Fraction, least: float = 0.0) -> Interval:
        """The envelope has corners; between them the published conversion is a little less."""
        known = super()._epsilon_at(target, least)
        if not self.most_concentration:
            return known
        most = best_epsilon(self.most_concentration, target).upper
        return Interval(min(known.lower, most), min(known.upper, most))

    def rivals(self, chance: float, at: Event = "gain") -> tuple[PrivacyLoss, ...]:
        rho = self.most_concentration
        if rho is None or not _LEAST < chance < 0.9:
            return ()
        log_p, log_q = _events(rho)
        log_chance = math.log(chance)
        if at == "gain":
            with np.errstate(divide="ignore", invalid="ignore"):
                spare = np.log1p(-np.exp(np.minimum(log_chance - log_p, 0.0)))
                place = int(np.argmax(np.where(log_p > log_chance, log_p + spare - log_q, -math.inf)))
        else:
            place = int(np.argmin(np.abs((log_q if at == "level" else log_p) - log_chance)))
        found = _two_outcomes(rho, place)
        return () if found is None else (found,)


@lru_cache(maxsize=64)
def _events(rho: Fraction) -> tuple[Floats, Floats]:
    """About the logarithms of chances under both laws of events that are as far apart as the parameter permits."""
    scale = float(rho)
    odds = log_odds(2.0 * scale + 40.0)
    orders = binding_orders(scale, odds)
    log_p = -np.logaddexp(0.0, -odds)
    log_q = log_p - largest_ratio(odds, orders, scale * orders)
    # With the laws exchanged, what does not happen is bounded as well; of likely events that asks for more.
    held = log_q < 0.0
    likely, least = -np.expm1(log_q[held]), -np.expm1(log_p[held])
    order = np.argsort(likely)
    with np.errstate(divide="ignore"):
        other = np.log(np.interp(np.exp(log_p), likely[order], least[order], left=0.0))
    return log_p, np.maximum(log_q, other)


@lru_cache(maxsize=1024)
def _two_outcomes(rho: Fraction, place: int) -> PrivacyLoss | None:
    """Two laws on two outcomes that keep the parameter in both directions; None where none is found close to the event.

    Guarantee: that they keep it is certified, however they were found.
    """
    log_p, log_q = (float(logs[place]) for logs in _events(rho))
    p = Fraction(math.exp(log_p))
    for margin in _MARGINS:
        q = Fraction(math.exp(log_q) * (1.0 + margin))
        if not 0 < q < p < 1:
            return None
        loss = FiniteLoss([(p, q), (1 - p, 1 - q)])
        if all(side.concentration().upper <= rho for side in (loss, loss.reverse())):
            return loss
    return None
