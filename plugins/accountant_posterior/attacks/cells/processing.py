"""Post-processing as agencies do it: counts that are not negative, whole, and add up to those of the area above.

What an attacker learns from processed counts alone is not worked out here: it depends on everybody in every area. On
average it is never more than what the same attacker learns from the noisy counts that they are made of.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from accountant.loss import Floats
from accountant_posterior.attacks.cells.areas import CellCounts
from accountant_posterior.attacks.cells.noise import Nothing
from accountant_posterior.attacks.cells.released import Released


def processed(cells: CellCounts, released: Released) -> NDArray[np.int64]:
    """The counts of the smallest areas after processing from the top down, a column for each group of kinds.

    Definition: at the top noisy counts are rounded, and nothing is negative. Then those of the areas in each area are moved
    by least squares to where they are not negative and add up to what it was given, and rounded so that they still do. Of
    several noisy tables of a level the narrowest is taken; one that is published exactly stays as it is.
    """
    top = len(cells.places) - 1
    found = np.maximum(np.rint(_noisy(released, top)), 0.0).astype(np.int64)
    for level in range(top - 1, -1, -1):
        noisy, parent, inside = _noisy(released, level), cells.parents[level], cells.inside(level)
        below = np.empty(noisy.shape, dtype=np.int64)
        order = np.argsort(parent, kind="stable")
        starts = np.searchsorted(parent[order], np.arange(len(inside)))
        for number in np.unique(inside):
            areas = np.flatnonzero(inside == number)
            rows = order[starts[areas][:, np.newaxis] + np.arange(number)]
            # Areas, kinds, and the areas in them last.
            shares = adding_up(noisy[rows].transpose(0, 2, 1), found[areas])
            below[rows] = shares.transpose(0, 2, 1)
        found = below
    return found


def _noisy(released: Released, level: int) -> Floats:
    places = released.of_level(level)
    best = min(
        places,
        key=lambda place: (not isinstance(released.looked[place].noise, Nothing), released.looked[place].noise.total),
    )
    return released.noisy(best)


def adding_up(noisy: Floats, totals: NDArray[np.int64]) -> NDArray[np.int64]:
    """Whole numbers from 0 on along the last axis that add up to totals, next to the nearest such numbers."""
    near = nearest(noisy, totals)
    whole = np.floor(near)
    left = totals - whole.sum(axis=-1).astype(np.int64)
    ranks = np.argsort(np.argsort(-(near - whole), axis=-1, kind="stable"), axis=-1, kind="stable")
    found: NDArray[np.int64] = whole.astype(np.int64) + (ranks < left[..., np.newaxis])
    return found


def nearest(noisy: Floats, totals: NDArray[np.int64]) -> Floats:
    """The nearest numbers from 0 on along the last axis that add up to totals, in the sum of squares.

    Definition: max(v - t, 0) with the one t for which they add up.
    """
    falling = -np.sort(-noisy, axis=-1)
    places = np.arange(1, noisy.shape[-1] + 1)
    shifts = (np.cumsum(falling, axis=-1) - totals[..., np.newaxis]) / places
    last = np.maximum((falling > shifts).sum(axis=-1) - 1, 0)
    shift = np.take_along_axis(shifts, last[..., np.newaxis], axis=-1)
    found: Floats = np.where(totals[..., np.newaxis] > 0, np.maximum(noisy - shift, 0.0), 0.0)
    return found
