"""Log moments of losses that have finitely many values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Protocol, Self, runtime_checkable

import numpy as np
from attrs import frozen

from accountant.loss.readings.arrays import Complexes, Floats
from accountant.loss.readings.moments import Moments, log_of_moments
from accountant.numbers.rounding import TINY, Ball, Balls, expm1, raised

MOST_ATOMS = 256
_BLOCK = 2**13
FARTHEST = 300.0
"""Losses beyond this are not raised to complex powers."""
_ROOM = 2.0**-20


@runtime_checkable
class HasAtoms(Protocol):
    """A loss with finitely many values."""

    def finite_atoms(self) -> tuple[Balls, Balls]:
        """The values and their masses given that none is infinite, each with what is not known of it."""
        ...


@frozen(eq=False)
class AtomMoments(Moments):
    """Log moments of atoms that are not infinite, each loss with its values and their masses."""

    atoms: tuple[tuple[Balls, Balls], ...]

    @classmethod
    def of(cls, losses: Sequence[HasAtoms]) -> Self:
        return cls(tuple(loss.finite_atoms() for loss in losses))

    @property
    def work(self) -> int:
        return sum(masses.size for _, masses in self.atoms)

    def log_moments(self, points: Complexes) -> tuple[Complexes, Floats]:
        values = np.empty((len(self.atoms), points.size), dtype=np.complex128)
        errors = np.empty(values.shape)
        heights = np.abs(points)
        for row, (places, weights) in enumerate(self.atoms):
            losses, masses, mass_errors = places.middle, weights.middle, weights.radii
            block, count = max(1, _BLOCK // losses.size), float(losses.size)
            # A point times a value rounds once in either part.
            doubts = Balls.rounded(losses, 2.0).widened(places.radius).radii
            worst = float(heights.max()) * float(doubts.max())
            if worst > 0.5:
                raise OverflowError("a value times the order is too uncertain")
            # A turn that is off by d moves its exponential by at most e^d d of it.
            shifts = (masses + mass_errors) * doubts * math.exp(worst)
            for start in range(0, points.size, block):
                some = slice(start, start + block)
                turns = np.outer(points[some], losses)
                along = turns.real.copy()
                if float(along.max()) > FARTHEST:
                    raise OverflowError("a loss times the order is too large")
                rises = expm1(Balls(turns))
                sizes = np.abs(rises.middle)
                total = (masses * rises.middle).sum(axis=1)
                # A product and a sum, in any order; then what the rises, the masses and the values are off by.
                found = Balls.rounded(total, count + 2.0, sizes @ masses)
                error = rises.radius @ masses + sizes @ mass_errors + heights[some] * (np.exp(along) @ shifts)
                error = found.widened(raised(error, count + 64.0) + TINY).radii
                values[row, some], errors[row, some] = log_of_moments(total, error)
        return values, errors

    def deviations(self, tilt: float) -> Floats:
        """The root mean square distance from any place: here from about the mean."""
        return np.array([_deviation(*atoms, tilt) for atoms in self.atoms])

    def falls(self, tilt: float, height: float) -> Floats:
        """The size of the transform of atoms returns to about 1."""
        return np.zeros(len(self.atoms))


def _deviation(values: Balls, weighed: Balls, tilt: float) -> float:
    losses, masses, errors = values.middle, weighed.middle, weighed.radii
    farthest, doubt = float(np.max(np.abs(losses))), float(np.max(values.radii))
    weights = np.exp(tilt * (losses - losses.max()))
    least = float(np.sum(np.maximum(masses - errors, 0.0) * weights))
    half = 0.5 * float(np.ptp(losses))
    if least > TINY:
        centre = float(np.sum(masses * weights * losses)) / float(np.sum(masses * weights))
        square = float(np.sum((masses + errors) * weights * np.square(losses - centre))) / least
        # Weights and sums are relatively exact to far more than this, wherever a loss may be raised to a power; what the
        # values are off by moves weights above and below.
        half = min(half, math.sqrt(square * math.exp(_ROOM + 4.0 * abs(tilt) * doubt)))
    # Every distance from the centre is rounded, and off by what its value is off by.
    return Ball.rounded(half, 8.0, half + farthest).widened(2.0 * doubt + TINY).upper
