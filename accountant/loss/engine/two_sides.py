"""Losses known from both sides, read one side at a time."""

from __future__ import annotations

from collections.abc import Callable

from accountant.loss.engine.composition import sides
from accountant.loss.readings.base import PrivacyLoss
from accountant.numbers.interval import Interval


def enclosed(reading: Callable[[PrivacyLoss], Interval], loss: PrivacyLoss) -> Interval:
    """A reading that grows with the loss, each end taken from its own side.

    Guarantee: as tight as the reading is where both sides are known, however far they are apart.
    """
    above, below = sides(loss)
    if above is below:
        return reading(above)
    upper = reading(above).upper
    return Interval(min(upper, reading(below).lower), upper)
