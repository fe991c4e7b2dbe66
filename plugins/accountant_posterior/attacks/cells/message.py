"""Message: the weights of the counts that areas may have, and what all others may weigh.

Everything that is summed is log-concave in the count of the area above: noise that is followed here is, so are the priors,
and sums of such are again. Beyond the window in which counts are summed, terms therefore fall at least as fast as at its
edge, and all of them together are at most a geometric series.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from attrs import frozen

from accountant.loss import Floats
from accountant_posterior.attacks.cells.weights import SLOPE, Logs, Places

UNKNOWN = 1e6
"""The log of a bound that says nothing."""


@frozen(eq=False)
class Message:
    """The weights of the counts of areas, given all that is seen of them, around them and above, the largest being one.

    Those of a row begin at its `low`. Each is known within the error of its row; what was left out of each is at most
    e^stray. Before the first and beyond the last one they add up to at most so much, and where it is `closed` no other
    count is possible.
    """

    low: Places
    values: Floats
    errors: Floats
    stray: Floats
    before: Floats
    beyond: Floats
    closed: bool

    @classmethod
    def of(cls, low: Places, own: Logs, closed: bool) -> Message:
        """The message of areas whose counts from `low` on have these weights."""
        top = own.values.max(axis=1)
        shift = np.where(np.isfinite(top), top, 0.0)
        found = own.values - shift[:, np.newaxis]
        stray = own.stray - shift[:, np.newaxis] + 1e-9
        width = found.shape[1]
        left, right = (
            series(found[:, edge], found[:, inside], stray[:, edge], np.zeros(len(low)), width)
            for edge, inside in ((0, min(1, width - 1)), (-1, max(width - 2, 0)))
        )
        before, beyond = np.where((low == 0) | closed, -np.inf, left), np.where(closed, -np.inf, right)
        return cls(low, found, own.errors + SLOPE * np.abs(shift), stray, before, beyond, closed)

    @classmethod
    def joined(cls, parts: Sequence[Message]) -> Message:
        """Those of areas that were taken in parts."""
        return cls(
            np.concatenate([part.low for part in parts]),
            np.concatenate([part.values for part in parts]),
            np.concatenate([part.errors for part in parts]),
            np.concatenate([part.stray for part in parts]),
            np.concatenate([part.before for part in parts]),
            np.concatenate([part.beyond for part in parts]),
            parts[0].closed,
        )


def series(edge: Floats, inside: Floats, unsure: Floats, top: Floats, width: int) -> Floats:
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
    return np.where(np.isneginf(last), -np.inf, np.where(fall < -1e-6, found, UNKNOWN))
