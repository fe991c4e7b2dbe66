"""Atoms between edges."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from accountant.loss.readings.arrays import Floats
from accountant.loss.readings.base import ROUNDOFF, TINY, Cells
from accountant.numbers.interval import Interval


def atom_cells(edges: Floats, losses: Floats, masses: Floats, mass_errors: Floats, infinite: Interval) -> Cells:
    """The cells of a law that puts `masses` of P on finite `losses`, each loss known up to 16 roundoffs of 1 + |loss|.

    A loss that lies within rounding of an edge counts as lying on it, so that lattices meet their grid exactly. Who
    builds a measure from the cells answers for that displacement with a slack.
    """
    tolerance = 16 * ROUNDOFF * (1.0 + np.abs(losses))
    index = np.searchsorted(edges, losses - tolerance, side="left")
    anchors = np.concatenate([edges[:1], edges])[index]
    ratios = np.where(index > 0, np.exp(np.minimum(anchors - losses, 0.0)), 0.0)
    size = edges.size + 1
    p = _sums(index, masses, size)
    q = _sums(index, masses * ratios, size)
    # A sum of n terms is off by at most n roundoffs of itself.
    adding = ROUNDOFF * (4.0 + np.bincount(index, minlength=size))
    spread = 24 * ROUNDOFF * (1.0 + np.abs(losses) + np.abs(anchors))
    p_error = _sums(index, mass_errors + TINY, size) + p * adding
    q_error = _sums(index, ratios * (mass_errors + masses * spread) + TINY, size) + q * adding
    # What an atom's Q mass lacks to its P mass, for the loss as it stands between its edges: no subtraction of masses.
    ceiling = np.append(edges, np.inf)[index]
    lacks = np.where(index > 0, -np.expm1(np.minimum(anchors - np.minimum(losses, ceiling), 0.0)), 1.0)
    gap = _sums(index, masses * lacks, size)
    gap_error = _sums(index, lacks * mass_errors + TINY, size) + gap * (adding + 8 * ROUNDOFF)
    return Cells(p, q, p_error, q_error, infinite, gap, gap_error)


def _sums(index: NDArray[np.intp], weights: Floats, size: int) -> Floats:
    return np.bincount(index, weights, size).astype(np.float64)
