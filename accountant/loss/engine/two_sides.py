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


def directions(loss: PrivacyLoss) -> list[PrivacyLoss]:
    """The loss in both directions, once where these are the same: a product may be made of pairs and of their exchanges."""
    other = loss.reverse()
    same = other is loss or other == loss
    if not same and loss.precision is not None:
        same = _counted(loss) == _counted(other)
    return [loss] if same else [loss, other]


def _counted(loss: PrivacyLoss) -> dict[PrivacyLoss, int]:
    """How often a product takes each of its parts."""
    counts: dict[PrivacyLoss, int] = {}
    for part, count in loss.taken_apart():
        counts[part] = counts.get(part, 0) + count
    return counts
