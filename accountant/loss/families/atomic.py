"""Losses with finitely many values whose masses are known up to rounding."""

from __future__ import annotations

import math
from abc import abstractmethod
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

import numpy as np
from attrs import field, frozen

from accountant.loss.families.atomic_cells import atom_cells
from accountant.loss.families.atomic_moments import FARTHEST, MOST_ATOMS, AtomMoments
from accountant.loss.readings.arrays import Floats
from accountant.loss.readings.base import Cells, PrivacyLoss
from accountant.loss.readings.moments import Moments
from accountant.numbers.interval import Interval
from accountant.numbers.rounding import TINY, Ball, Balls, dot, expm1, log, log1p, raised, times_exp, total

_NOTHING = Interval.of(0)
_UNIT = Ball.rounded(0.0, 8.0, 1.0).radius
"""What values are known up to, for each unit of their grain."""


@frozen(eq=False)
class Atoms:
    """Values of a loss in rising order, each known up to 8 roundoffs of itself and `grain`, with their masses under P.

    `errors` bound the absolute error of each mass. `infinite` is the mass of P where Q has none, `absent` that of Q where
    P has none. Families that know small values as well as large ones say so by a grain of 0: they are read more sharply.
    """

    losses: Floats
    masses: Floats
    errors: Floats
    infinite: Interval = _NOTHING
    absent: Interval = _NOTHING
    grain: float = 1.0

    @cached_property
    def values(self) -> Balls:
        """The values of the loss, with what is not known of them."""
        return Balls.rounded(self.losses, 8.0, self.grain + np.abs(self.losses))

    @cached_property
    def reaches(self) -> Floats:
        """Upper bounds on this value and all before it, with room to spare."""
        found: Floats = np.maximum.accumulate(self.values.middle + 2.0 * self.values.radii)
        return found

    @cached_property
    def logs(self) -> Floats:
        """About the logarithms of the masses."""
        with np.errstate(divide="ignore"):
            found: Floats = np.log(self.masses)
        return found

    @cached_property
    def farthest(self) -> float:
        """The largest size of a value."""
        return float(np.max(self.values.most, initial=0.0))

    @cached_property
    def blur(self) -> Ball:
        """What is not known of the values, each times its mass."""
        return dot(Balls(self.masses, self.errors), self.values.radii)

    @cached_property
    def supremum(self) -> Interval:
        """The largest value that has mass."""
        if self.infinite.upper > 0.0:
            return Interval.infinite() if self.infinite.lower > 0.0 else Interval(0.0, math.inf)
        masses, values = Balls(self.masses, self.errors), self.values
        certain = float(np.max(values.lower[masses.lower > 0.0], initial=0.0))
        return Interval(certain, float(np.max(values.upper[masses.upper > 0.0], initial=certain)))

    def reversed(self) -> Atoms:
        """The same values as seen from Q."""
        present = self.masses > 0.0
        whole = present.all()
        most, sizes = (0.0, self.masses) if whole else (np.where(present, 0.0, 700.0), np.where(present, self.masses, 1.0))
        # The margin of what these are multiplied with pays for a quotient in their radius.
        weights = Balls(present.astype(np.float64), self.errors / sizes)
        # No mass of Q is above 1. Where only an error is known of the mass, the error is carried over.
        found = times_exp(weights, (log(Balls(sizes)) - self.values).at_most(most))
        return Atoms(-self.losses[::-1], found.middle[::-1], found.radii[::-1], self.absent, self.infinite, self.grain)

    def given_finite(self) -> tuple[Balls, Balls]:
        """The values and their masses given that none is infinite."""
        masses = Balls(self.masses, self.errors)
        return self.values, masses if self.infinite.upper == 0.0 else masses / (1.0 - Ball.of(self.infinite))


def grain_of(values: Balls) -> float:
    """A grain that holds what is not known of these values."""
    return raised(float(np.max(values.radii, initial=0.0)) / _UNIT, 2)


@frozen(eq=False)
class AtomicLoss(PrivacyLoss):
    """A loss with finitely many values. A family supplies them, and says whether exchanging P and Q changes anything."""

    symmetric: ClassVar[bool] = False
    _known: list[Atoms] = field(factory=list, init=False, eq=False, repr=False)

    @abstractmethod
    def find_atoms(self) -> Atoms:
        """The values with their masses; asked for once."""

    @property
    def atoms(self) -> Atoms:
        """The values with their masses."""
        if not self._known:
            self._known.append(self.find_atoms())
        return self._known[0]

    def reverse(self) -> PrivacyLoss:
        return self if self.symmetric else ReversedAtoms(self)

    def window(self, log_tail: float) -> tuple[float, float]:
        atoms = self.atoms
        present = atoms.losses[atoms.masses > math.exp(log_tail)]
        return (float(present[0]), float(present[-1])) if present.size else (0.0, 0.0)

    def anchor(self) -> float:
        atoms = self.atoms
        return float(atoms.losses[int(np.argmax(atoms.masses))]) if atoms.losses.size else 0.0

    def delta_formula(self, epsilon: float) -> Interval:
        atoms = self.atoms
        if atoms.supremum.upper <= epsilon:
            return atoms.infinite
        start = int(atoms.reaches.searchsorted(epsilon, side="right"))
        gains = -expm1((epsilon - atoms.values[start:]).at_most(0.0))
        masses = Balls(atoms.masses[start:], atoms.errors[start:])
        return (dot(masses, gains) + Ball.of(atoms.infinite)).interval(0.0, 1.0)

    def finite_atoms(self) -> tuple[Balls, Balls]:
        """The values and their masses given that none is infinite, each with what is not known of it."""
        return self.atoms.given_finite()

    def analytic(self) -> type[Moments] | None:
        losses = self.atoms.losses
        held = 0 < losses.size <= MOST_ATOMS and float(np.max(np.abs(losses))) < FARTHEST
        return AtomMoments if held and self.atoms.infinite.upper < 0.5 else None

    def log_moment_formula(self, order: float) -> Interval:
        atoms = self.atoms
        if atoms.infinite.upper > 0.0:
            return Interval(math.inf if atoms.infinite.lower > 0.0 else 0.0, math.inf)
        masses, count = Balls(atoms.masses, atoms.errors), float(atoms.losses.size)
        if order * atoms.farthest < 0.99:
            # Around order 0 the moment is close to 1, so only what it is more than 1 is added up. Below exponents of 1,
            # rounding one moves its rise by less than two of its roundoffs, and an error by at most three times as much.
            rises = np.expm1(order * atoms.losses)
            sizes = np.abs(rises)
            rise = Ball.rounded(float(atoms.masses @ rises), count + 12.0, float(atoms.masses @ sizes))
            doubt = float(atoms.errors @ sizes) + 3.0 * order * atoms.blur.upper
            return log1p(rise.widened(raised(doubt, count + 16.0) + TINY)).interval(0.0)
        with np.errstate(over="ignore", invalid="ignore"):
            turns = order * atoms.losses
            top = float(np.max(atoms.logs + turns))
            if not math.isfinite(top):
                return Interval(0.0, math.inf)
            exponents = Balls.rounded(turns - top, 2.0, np.abs(turns) + abs(top)).widened(order * atoms.values.radii)
        total_mass = total(times_exp(masses, exponents))
        low = (log(Ball(total_mass.lower)) + top).lower if total_mass.lower > 0.0 else 0.0
        return Interval(max(0.0, low), max(0.0, low, (log(Ball(total_mass.upper)) + top).upper))

    def supremum_formula(self) -> Interval:
        return self.atoms.supremum

    def infinite_formula(self) -> Interval:
        return self.atoms.infinite

    def cells(self, edges: Floats) -> Cells:
        atoms = self.atoms
        # Edges forgive what values with a grain of up to 1 are off by.
        slack = Ball.rounded(0.0, 8.0, max(atoms.grain - 1.0, 0.0)).radius
        return atom_cells(edges, atoms.losses, atoms.masses, atoms.errors, atoms.infinite, slack)


@frozen
class ReversedAtoms(AtomicLoss):
    """The loss of the exchanged pair."""

    base: AtomicLoss

    def find_atoms(self) -> Atoms:
        return self.base.atoms.reversed()

    def reverse(self) -> PrivacyLoss:
        return self.base

    def step(self) -> Fraction | None:
        return self.base.step()

    def lattice(self) -> Fraction | None:
        return self.base.lattice()
