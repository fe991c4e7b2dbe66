"""Areas above the targets': what they may hold, from the top down, for many areas at once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from attrs import frozen

from accountant.loss import Floats
from accountant_posterior.attacks.cells.message import Message
from accountant_posterior.attacks.cells.noise import CellNoise, Nothing
from accountant_posterior.attacks.cells.sums import Around, summed
from accountant_posterior.attacks.cells.weights import Logs, Places

if TYPE_CHECKING:
    from accountant_posterior.attacks.parents import ParentPrior

_TAIL = -75.0
"""The log of the weight of noise beyond the window in which the counts of an area are summed."""
_AT_ONCE = 2**18
_FARTHEST = 512
"""Beliefs that pull counts farther from what was released than this are not followed to the end."""


@frozen(eq=False)
class LevelSeen:
    """What is seen of areas of one level above the targets': their noisy counts, a row for each release of the level.

    Beliefs pull counts down, since they fall with what siblings hold, and those in a larger area up: `pulled` is by how
    much at most for each one, in logs.
    """

    noises: tuple[CellNoise, ...]
    released: Floats
    around: Around | None
    """None at the top."""
    pulled: tuple[float, float] = (0.0, 0.0)


def message_of(steps: Sequence[LevelSeen], above: ParentPrior) -> Message:
    """The message to the targets' level; `steps` begin with the level above it."""
    found: Message | None = None
    for step in reversed(steps):
        found = _passed(step, found, above)
    assert found is not None
    return found


def _passed(step: LevelSeen, outer: Message | None, above: ParentPrior) -> Message:
    low, width, closed = _window(step, above)
    size = max(1, _AT_ONCE // width)
    parts = []
    for start in range(0, len(low), size):
        rows = np.arange(start, min(start + size, len(low)))
        own = _own(step, rows, low[rows], width)
        if step.around is not None:
            assert outer is not None
            own = own.times(above_logs(outer, step.around.taken(rows), step.noises, low[rows], width, above))
        parts.append(Message.of(low[rows], own, closed))
    return Message.joined(parts)


def _own(step: LevelSeen, rows: Places, low: Places, width: int) -> Logs:
    """The weights of counts of some areas, given their own noisy counts."""
    counts = low[:, np.newaxis] + np.arange(width, dtype=np.float64)
    values, errors, faint = np.zeros(counts.shape), np.zeros(len(rows)), -math.inf
    for noise, released in zip(step.noises, step.released, strict=True):
        more, doubt = noise.logs(released[rows, np.newaxis] - counts)
        values, errors, faint = values + more, errors + doubt, max(faint, noise.faint)
    return Logs(values, errors, np.where(np.isneginf(values), faint, -np.inf))


def _window(step: LevelSeen, above: ParentPrior) -> tuple[Places, int, bool]:
    """Where the counts of each area begin, how many there are, and whether there are no others."""
    largest = above.largest_count
    if largest is not None and above.smallest_count == largest:
        return np.full(step.released.shape[1], largest, dtype=np.int64), 1, True
    reaches = [tuple(_reach(noise, pull) for pull in step.pulled) for noise in step.noises]
    best = int(np.argmin([sum(reach) for reach in reaches]))
    left, right = reaches[best]
    centre = np.rint(step.released[best]).astype(np.int64)
    if largest is not None:
        centre = np.minimum(centre, largest)
    closed = any(isinstance(noise, Nothing) for noise in step.noises)
    return np.maximum(centre - left - 1, 0), left + right + 3, closed


def _reach(noise: CellNoise, pull: float) -> int:
    """How far from what was released counts matter which are so much likelier with every step away from it."""
    near = far = noise.reach(_TAIL)
    while pull and near:
        places = np.arange(far + 1.0)
        logs = noise.logs(places)[0] + pull * places
        matter = np.flatnonzero(logs > logs.max() + _TAIL)
        near = max(near, int(matter[-1]) + 1)
        if near <= far or far >= _FARTHEST:
            return min(near, max(far, _FARTHEST))
        far = 2 * far
    return near


def above_logs(
    outer: Message, around: Around, noises: Sequence[CellNoise], low: Places, width: int, above: ParentPrior
) -> Logs:
    """The weights of so many counts of areas from `low` on, given what is seen around them and above.

    They are up to a factor of each row.
    """
    shape = (len(low), width)
    values, errors, stray = np.empty(shape), np.empty(len(low)), np.empty(shape)
    size = max(1, _AT_ONCE // (width + outer.values.shape[1]))
    for number in np.unique(around.siblings):
        chosen = np.flatnonzero(around.siblings == number)
        sums = [noise.summed(int(number)) if number else Nothing() for noise in noises]
        for start in range(0, len(chosen), size):
            part = chosen[start : start + size]
            values[part], errors[part], stray[part] = summed(outer, around.taken(part), sums, low[part], width, above)
    return Logs(values, errors, stray)
