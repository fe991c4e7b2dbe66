"""The law that all values of a loss are multiples of the step that it says, where it says that there are no others."""

from __future__ import annotations

import math

import numpy as np

from accountant.loss import Floats, PrivacyLoss
from accountant.numbers.exact import plain
from accountant.testing.counterexamples import broken, method, show
from accountant.testing.laws.masses import ROUNDING, cells_of, sides_of

_MOST, _BESIDE, _SHARP = 1000, 16.0, 1e9


def lattices_hold_all_values(loss: PrivacyLoss) -> None:
    """Between multiples of its step a loss has no mass, where it says so: grids put all of it on these."""
    for side in sides_of(loss):
        step = side.lattice()
        if step is None:
            continue
        if side.step() != step:
            broken("a lattice must be the step of its atoms", loss=show(side), lattice=plain(step), step=side.step())
        cells = cells_of(side, _beside_multiples(side, float(step)))
        if cells is None:
            continue
        # Every other cell lies between two multiples; the first and the last are beyond what is looked at.
        between = (cells.p - cells.p_error)[2:-1:2]
        if float(between.max(initial=0.0)) > ROUNDING:
            broken(
                "all values of a loss must be multiples of its step",
                loss=show(side),
                step=plain(step),
                mass_between_two_multiples=f"at least {float(between.max()):.6g}",
                look_at=f"{method(side, 'lattice')}, {method(side, 'step')}",
            )


def _beside_multiples(loss: PrivacyLoss, step: float) -> Floats:
    """Edges just below and just above multiples of a step, of which most of the loss lies at some."""
    low, high = loss.window(-30.0)
    middle = round((low + high) / 2.0 / step)
    count = min(math.ceil((high - low) / 2.0 / step) + 1, _MOST)
    # Where doubles hardly tell the multiples apart none of them is looked at.
    sharp = abs(middle) + count < _SHARP
    places = np.arange(middle - count, middle + count + 1.0) * step if sharp else np.zeros(1)
    return np.sort(np.concatenate([places - step / _BESIDE, places + step / _BESIDE]))
