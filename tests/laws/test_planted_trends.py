"""A definition that says how its values move is held to it."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import ClassVar

import pytest
from attrs import evolve, frozen

from accountant import Interval, default_registry
from accountant.loss import GaussianLoss, PrivacyLoss
from accountant.plugin import DIVERGENCES, Divergence, Reading
from accountant.testing import laws
from accountant.testing.planting import changed

LOSS = GaussianLoss("1/4")
MOVING = [
    (name, place)
    for name, definition in default_registry()[DIVERGENCES].items()
    for place, reading in enumerate(definition.readings)
    if reading.trend is not None
]


def turned(reading: Reading) -> Reading:
    return evolve(reading, trend="grows" if reading.trend == "falls" else "falls")


@pytest.mark.parametrize(("name", "place"), MOVING)
def test_a_trend_the_wrong_way_round_is_caught(name: str, place: int) -> None:
    definition = default_registry()[DIVERGENCES][name]
    laws.values_move_as_declared(definition, LOSS)
    readings = tuple(turned(item) if index == place else item for index, item in enumerate(definition.readings))

    @frozen
    class Turned(type(definition)):  # type: ignore[misc]
        pass

    Turned.readings = readings
    with pytest.raises(AssertionError, match=f"'{name}' declares that {readings[place].value} {readings[place].trend}"):
        laws.values_move_as_declared(Turned(), LOSS)


def test_a_value_that_turns_round_on_the_way_is_caught() -> None:
    definition = default_registry()[DIVERGENCES]["fdp"]

    def measure(self: Divergence, loss: PrivacyLoss, at: Mapping[str, Fraction]) -> Interval:
        return Interval.of(at["level"] * (1 - at["level"]))

    with pytest.raises(AssertionError, match="power grows as level grows"):
        laws.values_move_as_declared(changed(definition, measure=measure), LOSS)


def test_a_trend_without_a_word_is_caught() -> None:
    definition = default_registry()[DIVERGENCES]["pure"]

    @frozen
    class Nowhere(type(definition)):  # type: ignore[misc]
        readings: ClassVar[tuple[Reading, ...]] = (Reading((), "epsilon", "falls"),)

    with pytest.raises(AssertionError, match="does not say with which word"):
        laws.values_move_as_declared(Nowhere(), LOSS)
