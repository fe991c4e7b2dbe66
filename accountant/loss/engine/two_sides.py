"""Losses known from both sides, read one side at a time."""

from __future__ import annotations

from collections.abc import Callable

from accountant.loss.engine.composition import ComposedLoss, sides
from accountant.loss.families.alternatives import OneOf
from accountant.loss.families.gaussian import GaussianLoss
from accountant.loss.families.rivals import Event, RivalledLoss
from accountant.loss.readings.base import PrivacyLoss
from accountant.numbers.interval import Interval


def enclosed(
    reading: Callable[[PrivacyLoss], Interval],
    loss: PrivacyLoss,
    *tests: float,
    at: Event = "level",
    least: Callable[[PrivacyLoss], Interval] | None = None,
) -> Interval:
    """A reading that grows with the loss, each end taken from its own side; `least` is one that looks for lower ends alone.

    Lower ends are also taken from losses that the release can have and that are bad for `tests` of such levels, or powers.

    Guarantee: as tight as the reading is where both sides are known, however far they are apart.
    """
    if isinstance(loss, OneOf):
        return loss.read(reading)
    above, below = sides(loss)
    if above is below:
        return reading(above)
    upper = reading(above).upper
    low = least or reading
    lower = [low(below).lower, *(low(rival).lower for test in tests for rival in rivals(loss, test, at))]
    return Interval(min(upper, max(lower)), upper)


def rivalled(loss: PrivacyLoss) -> RivalledLoss | None:
    """The loss as one beside which there are further ones, where it is such and they are not slow to read.

    Beside other noise than Gaussian they are, and hardly ever worse.
    """
    if isinstance(loss, ComposedLoss):
        simple = all(isinstance(part, (RivalledLoss, GaussianLoss)) for part, _ in loss.parts)
        return loss._bracket if simple and isinstance(loss._bracket, RivalledLoss) else None
    return loss if isinstance(loss, RivalledLoss) else None


def rivals(loss: PrivacyLoss, chance: float, at: Event) -> tuple[PrivacyLoss, ...]:
    """Further losses that releases can have, bad for tests of about this level or power, where a loss knows some."""
    found = rivalled(loss)
    return () if found is None else found.rivals(chance, at)


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
