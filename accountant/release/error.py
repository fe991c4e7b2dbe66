"""How far noise takes a published number from the exact one, from the law of the noise."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from accountant.loss import RealNoise, WholeNoise
from accountant.numbers.interval import Interval
from accountant.numbers.rounding import down, running, up

if TYPE_CHECKING:
    from accountant.loss import Noise

_WIDEST = 2_000_000
"""Of wider whole noise the numbers are not counted one by one."""
_STEPS = 60


def distance(noise: Noise, share: Fraction) -> Interval | None:
    """The least distance from 0 that noise keeps with at least a probability; None where the law is too wide to say.

    Guarantee: the upper end is kept with at least that probability, and no distance below the lower end is.
    """
    if not 0 < share < 1:
        raise ValueError("a share is between 0 and 1")
    if isinstance(noise, WholeNoise):
        return _of_whole(noise, share)
    return _of_real(noise, share) if isinstance(noise, RealNoise) else None


def _of_whole(noise: WholeNoise, share: Fraction) -> Interval | None:
    reach = math.ceil(noise.reach(math.log(1.0 - float(share)) - 3.0)) + 2
    if not reach <= _WIDEST:
        return None
    places = np.arange(reach + 1, dtype=float)
    within = running(noise.chances(places) * np.where(places == 0.0, 1.0, 2.0))
    first, last = np.flatnonzero(within.upper >= down(float(share))), np.flatnonzero(within.lower >= up(float(share)))
    return Interval(float(first[0]), float(last[0])) if first.size and last.size else None


def _of_real(noise: RealNoise, share: Fraction) -> Interval | None:
    """By halving: beyond the upper end less is left than the share leaves, beyond the lower end surely more."""
    left = (1 - share) / 2
    high = noise.reach(math.log(1.0 - float(share)) - 1.0)
    for _ in range(_STEPS):
        if _beyond(noise, high)[1] <= left:
            break
        high *= 2.0
    else:
        return None
    low, known = 0.0, high
    for _ in range(_STEPS):
        middle = 0.5 * (low + known)
        least, most = _beyond(noise, middle)
        if most <= left:
            known = middle
        elif least > left:
            low = middle
        else:
            # Rounding does not tell: both ends stay where they are known.
            break
    return Interval(low, known)


def _beyond(noise: RealNoise, place: float) -> tuple[Fraction, Fraction]:
    found = noise.beyond(np.array([place]))
    return Fraction(float(found.lower[0])), Fraction(float(found.upper[0]))
