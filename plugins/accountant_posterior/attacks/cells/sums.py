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

_LITTLE = -60.0
"""The log of what is too little to be looked at more closely."""
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
    stray = seen.left_out(found)
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
    is how far off the product of both kinds may be, beside `SLOPE` of itself. `unknown` are the logs of what was left out
    of weights above, `held_most` those of bounds on weights of siblings, `lost` the same where these are not followed and
    nowhere else, and `most` before and beyond the window.
    """

    outer: Message
    parent: Places
    outside: Floats
    held: Floats
    beside: Floats
    held_most: Floats
    lost: Floats
    unknown: Floats
    errors: Floats
    most: tuple[Floats, ...]

    @classmethod
    def of(
        cls, outer: Message, around: Around, sums: Sequence[CellNoise], low: Places, width: int, above: ParentPrior
    ) -> _Above:
        """From the message above and what is seen beside areas that hold so many counts from `low` on."""
        parent, number = around.parent, int(around.siblings[0])
        outside, window = outer.values[parent], outer.values.shape[1]
        first = outer.low[parent][:, np.newaxis]
        held = (first - low[:, np.newaxis]) + np.arange(1.0 - width, window)
        beside, errors = np.zeros(held.shape), outer.errors[parent]
        edges = tuple(np.maximum(edge[:, ::-1], 0.0) for edge in (held[:, :width], held[:, window - 1 :]))
        steep, most = np.zeros((len(low), 1)), (np.zeros((len(low), width)), np.zeros((len(low), width)))
        if number:
            expected = (around.expected * number)[:, np.newaxis]
            beside, steep = above.log_beside(held, expected), above.steepest(expected)
            # Priors never rise with what the siblings hold.
            most = above.log_beside(edges[0], expected), above.log_beside(edges[1], expected)
            if above.largest_count is not None:
                counts = first + np.arange(window)
                outside = np.where((counts < above.smallest_count) | (counts > above.largest_count), -np.inf, outside)
        held_most = beside
        for noise, seen in zip(sums, around.beside[:, :, np.newaxis], strict=True):
            more, doubt = noise.logs(seen - held)
            beside, errors = beside + more, errors + doubt
            held_most = held_most + noise.most(seen - held)
            # Farther from what is seen than the edge of the window noise is no likelier than at it; and since its log is
            # concave, it falls at least as fast there as from what is seen to the edge.
            sides = np.maximum(seen - edges[0], 0.0), np.maximum(edges[1] - seen, 0.0)
            most = most[0] + noise.most(sides[0]), most[1] + noise.most(sides[1])
            steep = steep - np.where(sides[0] > 0.0, -noise.most(sides[0]) / np.maximum(sides[0], 1e-300), 0.0)
        most = most[0] + np.maximum(steep, 0.0) * edges[0], most[1]
        top = beside.max(axis=1)
        shift = np.where(np.isfinite(top), top, 0.0)[:, np.newaxis]
        held_most = held_most - shift + 1e-9
        lost = np.where(np.isneginf(beside), held_most, -np.inf)
        return cls(
            outer,
            parent,
            outside,
            held,
            beside - shift,
            held_most,
            lost,
            outer.stray[parent],
            errors + SLOPE * (1.0 + np.abs(shift[:, 0])),
            tuple(_no_more(side - shift + 1e-9, farthest, held_most) for side, farthest in zip(most, (-1, 0), strict=True)),
        )

    def correlated(self) -> Floats:
        """The logs of the sums of products, for every count.

        Only positive numbers are multiplied and added, so that no digits are lost but those of rounding; and what is below
        the least double.
        """
        return _correlated(self.beside, self.outside)

    def left_out(self, found: Floats) -> Floats:
        """The logs of bounds on what was left out of the sums: of weights above, and where siblings are not followed.

        Where the largest of each is not little enough beside what was found, their products are added up.
        """
        room = math.log(self.outside.shape[1])
        pairs = ((self.lost, self.outside), (self.held_most, self.unknown))
        tops = [[part.max(axis=1, keepdims=True) for part in pair] for pair in pairs]
        rough = np.logaddexp(*(sum(top) + room for top in tops))
        bounds = np.broadcast_to(np.logaddexp(rough, _UNDERFLOW + room), found.shape).copy()
        least = np.where(np.isfinite(found), found, np.inf).min(axis=1)
        near = np.flatnonzero(rough[:, 0] > least + _LITTLE)
        if len(near):
            closer = np.full((len(near), found.shape[1]), _UNDERFLOW + room)
            for pair, top in zip(pairs, tops, strict=True):
                scale = [np.where(np.isfinite(most[near]), most[near], 0.0) for most in top]
                parts = [part[near] - most for part, most in zip(pair, scale, strict=True)]
                added = np.logaddexp(_correlated(*parts) + 1e-9, _UNDERFLOW + room)
                closer = np.logaddexp(closer, added + scale[0] + scale[1])
            bounds[near] = closer
        return bounds

    def beyond(self, found: Floats) -> tuple[Floats, Floats]:
        """The logs of bounds on all products before and beyond the window."""
        width, window = found.shape[1], self.outside.shape[1]

        def at(place: int) -> Floats:
            return self.outside[:, place, np.newaxis] + self.beside[:, place : place + width][:, ::-1]

        def most(place: int) -> Floats:
            outside = np.logaddexp(self.outside[:, place], self.unknown[:, place])
            return outside[:, np.newaxis] + self.held_most[:, place : place + width][:, ::-1]

        held, parent = self.held, self.parent[:, np.newaxis]
        left = series(at(0), at(1), most(0), found, window)
        left = np.minimum(left, self.outer.before[parent] + self.most[0])
        left = np.where((held[:, :width][:, ::-1] < 0.0) | (self.outer.low[parent] == 0), -np.inf, left)
        right = series(at(window - 1), at(window - 2), most(window - 1), found, window)
        right = np.where(held[:, window - 1 :][:, ::-1] < 0.0, UNKNOWN, right)
        return left, np.minimum(right, self.outer.beyond[parent] + self.most[1])


def _no_more(side: Floats, farthest: int, inside: Floats) -> Floats:
    """Bounds on weights beyond an edge, one for each count: what is beyond that of some is inside for others."""
    found: Floats = np.minimum(side, np.maximum(inside.max(axis=1), side[:, farthest])[:, np.newaxis])
    return found


def _correlated(beside: Floats, outside: Floats) -> Floats:
    """The logs of the sums of products, from logs, for every place of one beside the other."""
    windows = np.lib.stride_tricks.sliding_window_view(np.exp(beside), outside.shape[1], axis=1)
    sums = np.einsum("rcm,rm->rc", windows, np.exp(outside))[:, ::-1]
    with np.errstate(divide="ignore"):
        found: Floats = np.log(sums)
    return found
