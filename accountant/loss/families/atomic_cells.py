"""Atoms between edges."""

from __future__ import annotations

import numpy as np

from accountant.loss.readings.arrays import Floats
from accountant.loss.readings.base import Cells
from accountant.numbers.interval import Interval
from accountant.numbers.rounding import Balls, binned_rows, times_exp, up


def atom_cells(
    edges: Floats, losses: Floats, masses: Floats, mass_errors: Floats, infinite: Interval, slack: float = 0.0
) -> Cells:
    """The cells of a law that puts `masses` of P on finite `losses`, known up to 16 roundoffs of 1 + |loss|, and `slack`.

    A loss that lies within rounding of an edge counts as lying on it, so that lattices meet their grid exactly. Who
    builds a measure from the cells answers for that displacement with a slack.
    """
    weights, last = Balls(masses, mass_errors), edges.size - 1
    tolerance = Balls.rounded(losses, 16.0, 1.0 + np.abs(losses)).radius
    index = edges.searchsorted(losses - tolerance, side="left")
    anchors = edges[np.maximum(index - 1, 0)]
    shares = times_exp(weights, Balls.rounded(np.minimum(anchors - losses, 0.0)).widened(tolerance))
    # What an atom's Q mass lacks to its P mass, for the loss as it stands between its edges: no subtraction of masses.
    # The distance, the function and the product round, and what the distance is off by moves no lack by a larger share.
    ceiling = np.where(index > last, losses, edges[np.minimum(index, last)])
    lacks = -np.expm1(np.minimum(anchors - np.minimum(losses, ceiling), 0.0))
    wanting = Balls.rounded(masses * lacks, 12.0).widened(up(mass_errors * lacks))
    p, q, gap = binned_rows(index, (weights, shares, wanting), edges.size + 1)
    (p_error, q_error, gap_error) = (row.radii for row in (p, q, gap))
    # Q is not asked about below the first edge.
    q.middle[0], q_error[0], gap.middle[0], gap_error[0] = 0.0, 0.0, p.middle[0], p_error[0]
    return Cells(p.middle, q.middle, p_error, q_error, infinite, gap.middle, gap_error, slack)
