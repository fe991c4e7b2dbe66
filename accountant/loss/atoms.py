"""Atoms between edges."""

from __future__ import annotations

import numpy as np

from accountant.interval import Interval
from accountant.loss.base import ROUNDOFF, Cells, Floats


def atom_cells(edges: Floats, losses: Floats, masses: Floats, mass_errors: Floats, infinite: Interval) -> Cells:
    """The cells of a law that puts `masses` of P on finite `losses`.

    A loss that lies within rounding of an edge counts as lying on it, so that lattices meet their grid exactly.
    """
    tolerance = 16 * ROUNDOFF * (1.0 + np.abs(losses))
    index = np.searchsorted(edges, losses - tolerance, side="left")
    anchors = np.concatenate([edges[:1], edges])[index]
    ratios = np.where(index > 0, np.exp(np.minimum(anchors - losses, 0.0)), 0.0)
    size = edges.size + 1
    p = np.bincount(index, masses, size).astype(np.float64)
    q = np.bincount(index, masses * ratios, size).astype(np.float64)
    p_error = np.bincount(index, mass_errors + masses * 4 * ROUNDOFF, size).astype(np.float64)
    spread = 16 * ROUNDOFF * (1.0 + np.abs(losses) + np.abs(anchors))
    q_error = np.bincount(index, ratios * (mass_errors + masses * spread), size).astype(np.float64)
    return Cells(p, q, p_error, q_error, infinite)
