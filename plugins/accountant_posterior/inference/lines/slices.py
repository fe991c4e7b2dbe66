"""Slices along lines: one step of many chains at once, for any density that can be evaluated."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.random import Generator

from accountant.loss import Floats
from accountant_posterior.inference.lines.sums import Chosen

_MOST = 200
"""Halving an interval so often leaves nothing of it; a chain that has found nothing else then stays where it is."""


def slice_steps(
    log_density: Callable[[Floats, Chosen], Floats],
    now: Floats,
    width: float,
    generator: Generator,
    *,
    whole: bool = False,
) -> Floats:
    """How far each chain goes along its line, 0 being where it stands with log density `now`.

    Definition: a level below the density is drawn, then places in an interval of this width that holds 0, which shrinks
    towards 0 until a place lies above the level. `log_density` takes distances and for which chains they are. With
    `whole` distances are whole: a place counts for the whole number nearest to it, and 0 begins at a place that does.
    """
    chains = len(now)
    level = now - generator.standard_exponential(chains)
    origin = generator.random(chains) - 0.5 if whole else np.zeros(chains)
    low = origin - width * generator.random(chains)
    high = low + width
    steps, waiting = np.zeros(chains), np.arange(chains)
    for _ in range(_MOST):
        places = low[waiting] + (high - low)[waiting] * generator.random(len(waiting))
        distances = np.rint(places) if whole else places
        above = log_density(distances, waiting) >= level[waiting]
        steps[waiting[above]] = distances[above]
        left, start = ~above, origin[waiting]
        below = places < start
        low[waiting[left & below]] = places[left & below]
        high[waiting[left & ~below]] = places[left & ~below]
        waiting = waiting[left]
        if not len(waiting):
            break
    return steps
