"""Losses known from both sides, read one side at a time."""

from __future__ import annotations

from collections.abc import Callable

from accountant.loss.engine.composition import ComposedLoss, compose
from accountant.loss.readings.base import PrivacyLoss
from accountant.numbers.interval import Interval


def sides(loss: PrivacyLoss) -> tuple[PrivacyLoss, PrivacyLoss]:
    """The losses that upper and lower ends are taken from, part by part: the same object where both are the loss itself."""
    if not isinstance(loss, ComposedLoss):
        return loss.dominating(), loss.dominated()
    parts = [(sides(part), part, count) for part, count in loss.parts]
    if all(above is part and below is part for (above, below), part, _ in parts):
        return loss, loss
    return compose((ends[0], count) for ends, _, count in parts), compose((ends[1], count) for ends, _, count in parts)


def enclosed(reading: Callable[[PrivacyLoss], Interval], loss: PrivacyLoss) -> Interval:
    """A reading that grows with the loss, each end taken from its own side.

    Guarantee: as tight as the reading is where both sides are known, however far they are apart.
    """
    above, below = sides(loss)
    if above is below:
        return reading(above)
    upper = reading(above).upper
    return Interval(min(upper, reading(below).lower), upper)
