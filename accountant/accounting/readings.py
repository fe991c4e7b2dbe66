"""Readings: what definitions said of a loss, for whoever asks again."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from attrs import field, frozen

from accountant.display.brief import Brief, full
from accountant.loss import PrivacyLoss
from accountant.numbers.interval import Interval
from accountant.promise.divergence import Divergence

_Key = tuple[str, tuple[tuple[str, Fraction], ...]]


@frozen(eq=False)
class Readings(Brief):
    """Values of definitions, each kept with the definition and the loss that it was read from.

    Guarantee: a value is given again only for the same definition at the same words, of the same loss or of one that equals
    it and is written like it.
    """

    _known: dict[_Key, dict[int, list[tuple[Divergence, PrivacyLoss, Interval]]]] = field(
        factory=dict, init=False, repr=False
    )

    def measure(self, definition: Divergence, loss: PrivacyLoss, at: Mapping[str, Fraction]) -> Interval:
        """The value of a definition on a loss."""
        place = self._known.setdefault((definition.name, tuple(sorted(at.items()))), {})
        kept = place.setdefault(_hash(loss), [])
        for known, other, value in kept:
            if known is definition and same_loss(loss, other):
                return value
        value = definition.measure(loss, at)
        kept.append((definition, loss, value))
        return value


def _hash(loss: PrivacyLoss) -> int:
    """The same for losses that are equal; those of strangers may not tell."""
    try:
        return hash(loss)
    except TypeError:
        return 0


def same_loss(left: PrivacyLoss, right: PrivacyLoss) -> bool:
    """Whether two losses are one value, which has one reading."""
    return left is right or (left == right and full(left) == full(right))
