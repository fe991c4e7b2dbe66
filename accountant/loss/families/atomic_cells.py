"""Atoms between edges."""

from __future__ import annotations

import numpy as np

from accountant.loss.readings.arrays import Floats
from accountant.loss.readings.base import Cells
from accountant.numbers.interval import Interval
from accountant.numbers.rounding import Balls, binned, exp, expm1, where


def atom_cells(edges: Floats, losses: Floats, masses: Floats, mass_errors: Floats, infinite: Interval) -> Cells:
    """The cells of a law that puts `masses` of P on finite `losses`, each loss known up to 16 roundoffs of 1 + |loss|.

    A loss that lies within rounding of an edge counts as lying on it, so that lattices meet their grid exactly. Who
    builds a measure from the cells answers for that displacement with a slack.
    """
    values, weights, size = Balls.rounded(losses, 16.0, 1.0 + np.abs(losses)), Balls(masses, mass_errors), edges.size + 1
    index = np.searchsorted(edges, values.lower, side="left")
    anchors, ceiling = np.concatenate([edges[:1], edges])[index], np.append(edges, np.inf)[index]
    ratios = where(index > 0, exp((anchors - values).at_most(0.0)), 0.0)
    # What an atom's Q mass lacks to its P mass, for the loss as it stands between its edges: no subtraction of masses.
    lacks = where(index > 0, -expm1((Balls(anchors) - np.minimum(losses, ceiling)).at_most(0.0)), 1.0)
    p, q, gap = (binned(index, part, size) for part in (weights, weights * ratios, weights * lacks))
    return Cells(p.middle, q.middle, p.radii, q.radii, infinite, gap.middle, gap.radii)
