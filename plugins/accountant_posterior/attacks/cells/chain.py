"""Areas above the targets': sums over all that they may hold, from the top down, for many areas at once.

Everything that is summed is log-concave in the count of the area above: noise that is followed here is, so are the priors,
and sums of such are again. Beyond the window in which counts are summed, terms therefore fall at least as fast as at its
edge, and all of them together are at most a geometric series.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from attrs import frozen

from accountant.loss import Floats
from accountant_posterior.attacks.cells.noise import CellNoise, Nothing
from accountant_posterior.attacks.cells.weights import SLOPE, Logs, Places, total

if TYPE_CHECKING:
    from accountant_posterior.attacks.parents import ParentPrior

_TAIL = -75.0
"""The log of the weight of noise beyond the window in which the counts of an area are summed."""
_UNKNOWN = 1e6
"""The log of a bound that says nothing."""
_AT_ONCE = 2**20


@frozen(eq=False)
class Around:
    """What is seen around areas of one level, a row for each: the sums over their siblings, and which message is above.

    There is a row of `beside` for each release of the level. `expected` is what an area is expected to hold beforehand.
    """

    parent: Places
    siblings: Places
    beside: Floats
    expected: Floats

    def taken(self, rows: Places) -> Around:
        """Some of them."""
        return Around(self.parent[rows], self.siblings[rows], self.beside[:, rows], self.expected[rows])


@frozen(eq=False)
class Step:
    """What is seen of areas of one level above the targets': their noisy counts, a row for each release of the level."""

    noises: tuple[CellNoise, ...]
    released: Floats
    around: Around | None
    """None at the top."""


@frozen(eq=False)
class Message:
    """The weights of the counts of areas, given all that is seen of them, around them and above, the largest being one.

    Those of a row begin at its `low`. Each is known within the error of its row; what was left out of all of them is at
    most e^stray. Before the first and beyond the last one they add up to at most so much, and where it is `closed` no other
    count is possible.
    """

    low: Places
    values: Floats
    errors: Floats
    stray: Floats
    before: Floats
    beyond: Floats
    closed: bool


def message_of(steps: Sequence[Step], above: ParentPrior) -> Message:
    """The message to the targets' level; `steps` begin with the level above it."""
    found: Message | None = None
    for step in reversed(steps):
        found = _passed(step, found, above)
    assert found is not None
    return found


def _passed(step: Step, outer: Message | None, above: ParentPrior) -> Message:
    low, width, closed = _window(step, above)
    counts = low[:, np.newaxis] + np.arange(width, dtype=np.float64)
    values, errors = np.zeros(counts.shape), np.zeros(len(low))
    faint = -math.inf
    for noise, released in zip(step.noises, step.released, strict=True):
        more, doubt = noise.logs(released[:, np.newaxis] - counts)
        values, errors, faint = values + more, errors + doubt, max(faint, noise.faint)
    own = Logs(values, errors, np.where(np.isneginf(values), faint, -np.inf))
    if step.around is not None:
        assert outer is not None
        own = own.times(above_logs(outer, step.around, step.noises, counts, above))
    top = own.values.max(axis=1)
    shift = np.where(np.isfinite(top), top, 0.0)
    found = own.values - shift[:, np.newaxis]
    stray = total(own.stray, errors)[0] - shift + 1e-9
    left, right = (
        _series(found[:, edge], found[:, inside], stray, np.zeros(len(low)), width)
        for edge, inside in ((0, min(1, width - 1)), (-1, max(width - 2, 0)))
    )
    before = np.where((low == 0) | closed, -np.inf, left)
    return Message(low, found, own.errors + SLOPE * np.abs(shift), stray, before, np.where(closed, -np.inf, right), closed)


def _window(step: Step, above: ParentPrior) -> tuple[Places, int, bool]:
    """Where the counts of each area begin, how many there are, and whether there are no others."""
    largest = above.largest_count
    if largest is not None and above.smallest_count == largest:
        return np.full(step.released.shape[1], largest, dtype=np.int64), 1, True
    reaches = [noise.reach(_TAIL) for noise in step.noises]
    best = int(np.argmin(reaches))
    centre = np.rint(step.released[best]).astype(np.int64)
    if largest is not None:
        centre = np.minimum(centre, largest)
    closed = any(isinstance(noise, Nothing) for noise in step.noises)
    return np.maximum(centre - reaches[best] - 1, 0), 2 * reaches[best] + 3, closed


def above_logs(outer: Message, around: Around, noises: Sequence[CellNoise], counts: Floats, above: ParentPrior) -> Logs:
    """The weights of counts of areas, given what is seen around them and above; up to a factor of each row."""
    values, errors, stray = np.empty(counts.shape), np.empty(len(counts)), np.empty(counts.shape)
    size = max(1, _AT_ONCE // (counts.shape[1] * outer.values.shape[1]))
    for number in np.unique(around.siblings):
        chosen = np.flatnonzero(around.siblings == number)
        sums = [noise.summed(int(number)) if number else Nothing() for noise in noises]
        for start in range(0, len(chosen), size):
            part = chosen[start : start + size]
            values[part], errors[part], stray[part] = _summed(outer, around.taken(part), sums, counts[part], above)
    return Logs(values, errors, stray)


def _summed(
    outer: Message, around: Around, sums: Sequence[CellNoise], counts: Floats, above: ParentPrior
) -> tuple[Floats, Floats, Floats]:
    """Sums over the counts of the areas above: logs, how far off they may be, and what may be left out."""
    low, width = outer.low[around.parent], outer.values.shape[1]
    rest = (low[:, np.newaxis] - counts)[:, :, np.newaxis] + np.arange(width, dtype=np.float64)
    terms = np.repeat(outer.values[around.parent][:, np.newaxis, :], counts.shape[1], axis=1)
    errors, first, beyond = outer.errors[around.parent], np.zeros(counts.shape), np.zeros(counts.shape)
    number = int(around.siblings[0])
    if number:
        inner = counts[:, :, np.newaxis]
        weights = above.log_weights(inner, inner + rest, (around.expected * number)[:, np.newaxis, np.newaxis])
        # A factor of the row is of no matter; without it no weight inside the window is above one.
        most = weights.max(axis=(1, 2))
        shift = np.where(np.isfinite(most), most, 0.0)
        terms += weights - shift[:, np.newaxis, np.newaxis]
        errors = errors + SLOPE * (1.0 + np.abs(shift))
        # Priors never rise with what the siblings hold: before and beyond the window they are at most this.
        expected = (around.expected * number)[:, np.newaxis]
        first, beyond = (
            above.log_weights(counts, counts + held, expected) - shift[:, np.newaxis]
            for held in (np.zeros(counts.shape), np.maximum(rest[:, :, -1], 0.0))
        )
    faint = -math.inf
    for noise, beside in zip(sums, around.beside, strict=True):
        more, doubt = noise.logs(beside[:, np.newaxis, np.newaxis] - rest)
        terms += more
        errors, faint = errors + doubt, max(faint, noise.faint)
    found, off = total(terms, errors[:, np.newaxis])
    unsure = np.logaddexp(outer.stray[around.parent], faint + math.log(width))[:, np.newaxis]
    stray = np.broadcast_to(unsure, counts.shape)
    if not outer.closed:
        left = _series(terms[..., 0], terms[..., 1], unsure, found, width)
        left = np.minimum(left, outer.before[around.parent][:, np.newaxis] + first)
        left = np.where((rest[..., 0] < 0.0) | (low == 0)[:, np.newaxis], -np.inf, left)
        right = _series(terms[..., -1], terms[..., -2], unsure, found, width)
        right = np.where(rest[..., -1] < 0.0, _UNKNOWN, right)
        right = np.minimum(right, outer.beyond[around.parent][:, np.newaxis] + beyond)
        stray = np.logaddexp(stray, np.logaddexp(left, right))
    top = found.max(axis=1)
    scale = np.where(np.isfinite(top), top, 0.0)
    return found - scale[:, np.newaxis], off.max(axis=1) + SLOPE * np.abs(scale), stray - scale[:, np.newaxis]


def _series(edge: Floats, inside: Floats, unsure: Floats, top: Floats, width: int) -> Floats:
    """The log of a bound on all terms beyond an edge of the window, from the two last ones inside and the largest.

    Where the edge is too faint to be known, terms fall from the largest one to it within the width of the window.
    """
    last = np.logaddexp(edge, unsure)
    with np.errstate(invalid="ignore", divide="ignore"):
        steep = last - inside
        slow = (last - (top - math.log(width))) / width
        fall = np.where(np.isfinite(steep) & (steep < 0.0), np.fmin(steep, slow), slow)
        fall = fall + 1e-8
        found = last + fall - np.log(-np.expm1(np.minimum(fall, -1e-300))) + 1e-6
    return np.where(np.isneginf(last), -np.inf, np.where(fall < -1e-6, found, _UNKNOWN))
