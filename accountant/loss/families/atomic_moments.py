"""Log moments of losses that have finitely many values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Protocol, Self

import numpy as np
from attrs import frozen

from accountant.loss.readings.arrays import Complexes, Floats
from accountant.loss.readings.base import ROUNDOFF, TINY
from accountant.loss.readings.moments import Moments, expm1, log_of_moments

MOST_ATOMS = 256
_BLOCK = 2**18
FARTHEST = 300.0
"""Losses beyond this are not raised to complex powers."""


class HasAtoms(Protocol):
    """A loss with finitely many values."""

    def finite_atoms(self) -> tuple[Floats, Floats, Floats]:
        """The values, their masses given that none is infinite, and bounds on the errors of the masses."""
        ...


@frozen(eq=False)
class AtomMoments(Moments):
    """Log moments of atoms that are not infinite, each loss with its values, masses and their errors."""

    atoms: tuple[tuple[Floats, Floats, Floats], ...]

    @classmethod
    def of(cls, losses: Sequence[HasAtoms]) -> Self:
        return cls(tuple(loss.finite_atoms() for loss in losses))

    @property
    def work(self) -> int:
        return sum(masses.size for _, masses, _ in self.atoms)

    def log_moments(self, points: Complexes) -> tuple[Complexes, Floats]:
        values = np.empty((len(self.atoms), points.size), dtype=np.complex128)
        errors = np.empty(values.shape)
        for row, (losses, masses, mass_errors) in enumerate(self.atoms):
            block = max(1, _BLOCK // losses.size)
            for start in range(0, points.size, block):
                some = slice(start, start + block)
                turns = np.outer(points[some], losses)
                if float(turns.real.max()) > FARTHEST:
                    raise OverflowError("a loss times the order is too large")
                rises = expm1(turns)
                sizes = np.abs(rises)
                error = 64 * ROUNDOFF * (masses * (sizes + np.abs(turns) * np.exp(turns.real))).sum(axis=1)
                error = error * (1.0 + masses.size / 32.0) + sizes @ mass_errors * (1.0 + 1e-9)
                values[row, some], errors[row, some] = log_of_moments((masses * rises).sum(axis=1), error)
        return values, errors

    def deviations(self, tilt: float) -> Floats:
        """The root mean square distance from any place: here from about the mean."""
        return np.array([_deviation(*atoms, tilt) for atoms in self.atoms])

    def falls(self, tilt: float, height: float) -> Floats:
        """The size of the transform of atoms returns to about 1."""
        return np.zeros(len(self.atoms))


def _deviation(losses: Floats, masses: Floats, errors: Floats, tilt: float) -> float:
    weights = np.exp(tilt * (losses - losses.max()))
    least = float(np.sum(np.maximum(masses - errors, 0.0) * weights))
    half = 0.5 * float(np.ptp(losses))
    if least > TINY:
        centre = float(np.sum(masses * weights * losses)) / float(np.sum(masses * weights))
        square = float(np.sum((masses + errors) * weights * np.square(losses - centre))) / least
        # Weights and sums are relatively exact to far more than this, wherever a loss may be raised to a power.
        half = min(half, math.sqrt(square * (1.0 + 2.0**-20)))
    return half * (1.0 + 2.0**-40) + 16 * ROUNDOFF * float(np.max(np.abs(losses))) + TINY
