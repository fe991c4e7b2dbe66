"""Band: a value that is known from both sides over an axis, ready to be drawn."""

from __future__ import annotations

from attrs import frozen


@frozen
class Box:
    """From one place to the next the value lies between two ends all the way."""

    left: float
    right: float
    lower: float
    upper: float


@frozen
class Band:
    """What is drawn of a curve: boxes where something is known between places, and the places with both ends.

    `floor` is where a logarithmic axis of values starts; None for a plain axis.
    """

    label: str
    word: str
    value: str
    points: tuple[tuple[float, float, float], ...]
    boxes: tuple[Box, ...]
    logarithmic: bool
    floor: float | None
