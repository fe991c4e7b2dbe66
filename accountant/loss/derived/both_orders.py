"""Losses that count in both orders."""

from __future__ import annotations

from fractions import Fraction

from accountant.loss.derived.discretised import flat_above
from accountant.loss.derived.replaced_gaussian import ExchangedGaussian
from accountant.loss.derived.sampled import SampledLoss
from accountant.loss.derived.symmetrised import MirroredLoss
from accountant.loss.families.alternatives import OneOf
from accountant.loss.families.finite import FiniteLoss
from accountant.loss.families.power_bounds import power_curve
from accountant.loss.families.two_sided import BracketLoss
from accountant.loss.readings.base import PrivacyLoss


def both_orders(loss: PrivacyLoss) -> PrivacyLoss:
    """A loss that dominates (P, Q) and (Q, P), and is as bad as one of them.

    Guarantee: its delta is the larger of the two at every epsilon; below it stands the loss itself, which is attained.
    """
    if loss.reverse() is loss:
        return loss
    if isinstance(loss, OneOf):
        orders = (order for one in loss.several for order in (one, one.reverse()))
        return OneOf.of(_above(loss.above), orders, complete=loss.complete)
    return BracketLoss(_above(loss), loss)


def _above(loss: PrivacyLoss) -> PrivacyLoss:
    if isinstance(loss, FiniteLoss):
        corners, level, power = [], Fraction(0), Fraction(0)
        for p, q in loss.atoms:
            level, power = level + q, power + p
            corners.append((level, power))
        return power_curve(corners)
    if isinstance(loss, SampledLoss) and not loss.swapped and loss.base.reverse() is loss.base:
        return MirroredLoss(loss)
    if isinstance(loss, ExchangedGaussian) and not loss.swapped:
        return MirroredLoss(loss)
    return flat_above(loss)
