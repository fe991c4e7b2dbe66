"""A law of how the values of a definition move with its words."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

from accountant.loss import PrivacyLoss
from accountant.numbers.exact import plain
from accountant.promise.divergence import Divergence, Reading
from accountant.testing.counterexamples import broken, measured, show

_INSIDE = (Fraction(1, 50), Fraction(1, 5), Fraction(1, 2))


def values_move_as_declared(definition: Divergence, loss: PrivacyLoss) -> None:
    """A value that is said to fall as its word grows never grows, and the other way round."""
    for reading in definition.readings:
        if reading.trend is None:
            continue
        if len(reading.at) != 1:
            broken(f"'{definition.name}' says that {reading.value} {reading.trend}, and does not say with which word")
        (word,) = reading.at
        read = [(place, measured(definition, loss, {word: place})) for place in _places(definition, reading)]
        for (first, before), (second, after) in combinations(read, 2):
            high, low = (before, after) if reading.trend == "falls" else (after, before)
            if low.lower > high.upper:
                broken(
                    f"'{definition.name}' declares that {reading.value} {reading.trend} as {word} grows",
                    loss=show(loss),
                    **{f"at {word} {plain(first)}": before, f"at {word} {plain(second)}": after},
                )


def _places(definition: Divergence, reading: Reading) -> list[Fraction]:
    """Places worth trying, and some of the range over which curves are read, in order."""
    described = definition.word(reading.at[0])
    inside = []
    if described.span is not None:
        start, end = described.span
        inside = [start, *(start + share * (end - start) for share in _INSIDE), end]
    return sorted({*described.places, *inside})
