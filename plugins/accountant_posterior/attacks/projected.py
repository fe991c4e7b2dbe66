"""The law of a count after it was made to add up with its siblings."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from accountant import Interval, InvalidValue
from accountant.numbers.rounding import Ball
from accountant_posterior.attacks.noise_sums import NoiseSum
from accountant_posterior.attacks.whole_noise import NoiseMasses

Places = np.ndarray[tuple[int, int], np.dtype[np.int64]]
_MOST = 2**28
_AT_ONCE = 2**20


def projected_laws(
    scale: Fraction, siblings: int, parent: int, total: int, known: int
) -> tuple[list[Interval], list[Interval]]:
    """The chances of 0, 1, ... up to the total after post-processing, with and without the target beside `known` others.

    All counts have noise of one scale; the siblings are so many, and hold the rest of what the parent does.
    """
    own = NoiseMasses.discrete_gaussian(scale)
    # The sum of the siblings' noise as it is, on the window that discrete Gaussian noise of its variance would have.
    reach = NoiseMasses.discrete_gaussian(scale * siblings).last
    beside = NoiseSum(scale, siblings).exact.narrowed(reach)
    size = len(own.masses) * len(beside.masses)
    if size > _MOST:
        raise InvalidValue(
            f"noise of scale {float(scale):.3g} on {siblings} siblings has {size:.2g} outcomes (at most {_MOST:,} are "
            "followed)"
        )
    # Additions one after another: their number bounds the rounding, though it is hardly ever reached.
    times = 8 + size**0.5 + len(own.masses) + size
    relative = Ball.rounded(1.0, times).widened(own.spread + beside.spread).radius
    missing = own.missing + beside.missing
    laws = []
    for count in (known + 1, known):
        sums = np.zeros(total + 1)
        for start in range(0, len(own.masses), max(1, _AT_ONCE // len(beside.masses))):
            rows = slice(start, start + max(1, _AT_ONCE // len(beside.masses)))
            first = np.arange(-own.last, own.last + 1)[rows, np.newaxis]
            outputs = _outputs(count, first, beside.last, siblings, parent, total)
            weights = np.outer(own.masses[rows], beside.masses)
            sums += np.bincount(outputs.ravel(), weights.ravel(), minlength=total + 1)
        laws.append([Ball(float(s)).widened(float(s) * relative + missing).interval(0.0, 1.0) for s in sums])
    return laws[0], laws[1]


def _outputs(count: int, first: Places, last: int, siblings: int, parent: int, total: int) -> Places:
    """What each noise of the area and of the siblings' sum makes of (d x + t - y)/(d + 1), rounded and put in range."""
    second = np.arange(-last, last + 1)[np.newaxis, :]
    moved = siblings * (count + first) + total - (parent - count + second)
    whole, rest = np.divmod(moved, siblings + 1)
    parts = siblings + 1
    rounded = whole + ((2 * rest > parts) | ((2 * rest == parts) & (whole % 2 == 1)))
    found: Places = np.clip(rounded, 0, total)
    return found
