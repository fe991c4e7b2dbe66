"""The law of a count after it was made to add up with its siblings."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from accountant import Interval
from accountant.loss import ROUNDOFF
from accountant_posterior.attacks.noise_sums import NoiseSum
from accountant_posterior.attacks.whole_noise import WholeNoise


def projected_laws(
    scale: Fraction, siblings: int, parent: int, total: int, known: int
) -> tuple[list[Interval], list[Interval]]:
    """The chances of 0, 1, ... up to the total after post-processing, with and without the target beside `known` others.

    All counts have noise of one scale; the siblings are so many, and hold the rest of what the parent does.
    """
    own = WholeNoise.discrete_gaussian(scale)
    beside = NoiseSum(scale, siblings).law
    masses = np.outer(own.masses, beside.masses)
    first = np.arange(-own.last, own.last + 1)[:, np.newaxis]
    second = np.arange(-beside.last, beside.last + 1)[np.newaxis, :]
    parts = siblings + 1
    relative = own.spread + beside.spread + ROUNDOFF * (8 + masses.size**0.5 + len(own.masses))
    missing = own.missing + beside.missing
    laws = []
    for count in (known + 1, known):
        # (d x + t - y)/(d + 1) with x = count + first and y = parent - count + second.
        moved = siblings * (count + first) + total - (parent - count + second)
        whole, rest = np.divmod(moved, parts)
        rounded = whole + ((2 * rest > parts) | ((2 * rest == parts) & (whole % 2 == 1)))
        outputs = np.clip(rounded, 0, total)
        sums = np.bincount(outputs.ravel(), masses.ravel(), minlength=total + 1)
        # Additions one after another: their number bounds the rounding, though it is hardly ever reached.
        error = relative + masses.size * ROUNDOFF
        laws.append([Interval.around(float(s), float(s) * error + missing).clamp(0.0, 1.0) for s in sums])
    return laws[0], laws[1]
