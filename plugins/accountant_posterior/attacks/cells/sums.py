"""Sums over all that the areas above may hold, given what is seen beside the areas in them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from attrs import frozen

from accountant.loss import Floats
from accountant_posterior.attacks.cells.message import UNKNOWN, Message, series
from accountant_posterior.attacks.cells.noise import CellNoise
from accountant_posterior.attacks.cells.weights import SLOPE, Places

if TYPE_CHECKING:
    from accountant_posterior.attacks.parents import ParentPrior

_UNDERFLOW = -700.0
"""The log of a bound on what a product of weights loses where it is below the least double."""


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


def summed(
    outer: Message, around: Around, sums: Sequence[CellNoise], low: Places, width: int, above: ParentPrior
) -> tuple[Floats, Floats, Floats]:
    """Sums over the counts of the areas above: logs, how far off they may be, and what may be left out.

    Definition: the weight of a count c is the sum over all counts m of the weight of m in the message above, times that of
    m - c for all siblings together. The latter are worked out once for each difference.
    """
    seen = _Above.of(outer, around, sums, low, width, above)
    found = seen.correlated()
    stray = np.broadcast_to(seen.unsure, found.shape)
    if not outer.closed:
        stray = np.logaddexp(stray, np.logaddexp(*seen.beyond(found)))
    size = np.abs(np.where(np.isfinite(found), found, 0.0))
    off = seen.errors + 2.0 * SLOPE * (size.max(axis=1) + 2.0 * seen.outside.shape[1] + 8.0)
    if around.siblings[0]:
        factor = above.log_below(low[:, np.newaxis] + np.arange(width, dtype=np.float64))
        found, stray, off = found + factor, stray + factor, off + SLOPE * np.abs(factor).max(axis=1)
    top = found.max(axis=1)
    scale = np.where(np.isfinite(top), top, 0.0)
    return found - scale[:, np.newaxis], off + SLOPE * np.abs(scale), stray - scale[:, np.newaxis]


@frozen(eq=False)
class _Above:
    """What is summed, for rows that have as many siblings: weights of counts above, and of what siblings hold together.

    `held` are the counts of siblings, `beside` the logs of their weights up to a factor, the largest being one; `errors`
    is how far off the product of both kinds may be, beside `SLOPE` of itself, and e^unsure bounds what was left out of all
    products of a row. `most` are the logs of bounds on weights of siblings before and beyond the window, whatever is seen.
    """

    outer: Message
    parent: Places
    outside: Floats
    held: Floats
    beside: Floats
    errors: Floats
    unsure: Floats
    most: tuple[Floats, Floats]

    @classmethod
    def of(
        cls, outer: Message, around: Around, sums: Sequence[CellNoise], low: Places, width: int, above: ParentPrior
    ) -> _Above:
        """From the message above and what is seen beside areas that hold so many counts from `low` on."""
        parent, number = around.parent, int(around.siblings[0])
        outside, window = outer.values[parent], outer.values.shape[1]
        first = outer.low[parent][:, np.newaxis]
        held = (first - low[:, np.newaxis]) + np.arange(1.0 - width, window)
        beside, errors, faint = np.zeros(held.shape), outer.errors[parent], -math.inf
        most = np.zeros((len(low), 1)), np.zeros((len(low), width))
        if number:
            expected = (around.expected * number)[:, np.newaxis]
            beside = above.log_beside(held, expected)
            # Priors never rise with what the siblings hold.
            most = (
                above.log_beside(np.zeros((len(low), 1)), expected),
                above.log_beside(np.maximum(held[:, window - 1 :][:, ::-1], 0.0), expected),
            )
            if above.largest_count is not None:
                counts = first + np.arange(window)
                outside = np.where((counts < above.smallest_count) | (counts > above.largest_count), -np.inf, outside)
        for noise, seen in zip(sums, around.beside, strict=True):
            more, doubt = noise.logs(seen[:, np.newaxis] - held)
            beside = beside + more
            errors, faint = errors + doubt, max(faint, noise.faint)
        top = beside.max(axis=1)
        shift = np.where(np.isfinite(top), top, 0.0)[:, np.newaxis]
        # Where the weight of what siblings hold is not followed it may be above the largest one that is.
        faintest = faint - shift
        unsure = np.logaddexp(outer.stray[parent][:, np.newaxis] + np.maximum(faintest, 0.0), faintest + math.log(window))
        return cls(
            outer,
            parent,
            outside,
            held,
            beside - shift,
            errors + SLOPE * (1.0 + np.abs(shift[:, 0])),
            np.logaddexp(unsure, _UNDERFLOW + math.log(window)),
            (most[0] - shift, most[1] - shift),
        )

    def correlated(self) -> Floats:
        """The logs of the sums of products, for every count.

        Only positive numbers are multiplied and added, so that no digits are lost but those of rounding; and what is below
        the least double.
        """
        windows = np.lib.stride_tricks.sliding_window_view(np.exp(self.beside), self.outside.shape[1], axis=1)
        sums = np.einsum("rcm,rm->rc", windows, np.exp(self.outside))[:, ::-1]
        with np.errstate(divide="ignore"):
            found: Floats = np.log(sums)
        return found

    def beyond(self, found: Floats) -> tuple[Floats, Floats]:
        """The logs of bounds on all products before and beyond the window."""
        width, window = found.shape[1], self.outside.shape[1]

        def at(place: int) -> Floats:
            return self.outside[:, place, np.newaxis] + self.beside[:, place : place + width][:, ::-1]

        held, parent = self.held, self.parent[:, np.newaxis]
        left = series(at(0), at(1), self.unsure, found, window)
        left = np.minimum(left, self.outer.before[parent] + self.most[0])
        left = np.where((held[:, :width][:, ::-1] < 0.0) | (self.outer.low[parent] == 0), -np.inf, left)
        right = series(at(window - 1), at(window - 2), self.unsure, found, window)
        right = np.where(held[:, window - 1 :][:, ::-1] < 0.0, UNKNOWN, right)
        return left, np.minimum(right, self.outer.beyond[parent] + self.most[1])
