"""The law of a count after it was made to add up with its siblings."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from accountant import Interval
from accountant.loss import ROUNDOFF
from accountant_posterior.attacks.noise_sums import NoiseSum
from accountant_posterior.attacks.whole_noise import WholeNoise

if TYPE_CHECKING:
    from accountant_posterior.attacks.projection import ProjectionAttack


def projected_laws(attack: ProjectionAttack) -> tuple[list[Interval], list[Interval]]:
    """The chances of 0, 1, ... up to the total after post-processing, with and without the target."""
    total = attack.parent if attack.total is None else attack.total
    own = WholeNoise.discrete_gaussian(attack.scale)
    beside = NoiseSum(attack.scale, attack.siblings).law
    masses = np.outer(own.masses, beside.masses)
    first = np.arange(-own.last, own.last + 1)[:, np.newaxis]
    second = np.arange(-beside.last, beside.last + 1)[np.newaxis, :]
    parts = attack.siblings + 1
    relative = own.spread + beside.spread + ROUNDOFF * (8 + masses.size**0.5 + len(own.masses))
    missing = own.missing + beside.missing
    laws = []
    for count in (attack.known + 1, attack.known):
        # (d x + t - y)/(d + 1) with x = count + first and y = parent - count + second.
        moved = attack.siblings * (count + first) + total - (attack.parent - count + second)
        whole, rest = np.divmod(moved, parts)
        rounded = whole + ((2 * rest > parts) | ((2 * rest == parts) & (whole % 2 == 1)))
        outputs = np.clip(rounded, 0, total)
        sums = np.bincount(outputs.ravel(), masses.ravel(), minlength=total + 1)
        # Additions one after another: their number bounds the rounding, though it is hardly ever reached.
        error = relative + masses.size * ROUNDOFF
        laws.append([Interval.around(float(s), float(s) * error + missing).clamp(0.0, 1.0) for s in sums])
    return laws[0], laws[1]
