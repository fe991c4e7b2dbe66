"""Losses with finitely many values whose masses are known up to rounding."""

from __future__ import annotations

import math
from abc import abstractmethod
from fractions import Fraction
from typing import ClassVar

import numpy as np
from attrs import field, frozen

from accountant.loss.families.atomic_cells import atom_cells
from accountant.loss.families.atomic_moments import FARTHEST, MOST_ATOMS, AtomMoments
from accountant.loss.readings.arrays import Floats
from accountant.loss.readings.base import Cells, PrivacyLoss
from accountant.loss.readings.moments import Moments
from accountant.numbers.interval import Interval
from accountant.numbers.rounding import Ball, Balls, dot, exp, expm1, log, log1p

_NOTHING = Interval.of(0)


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
    values: Balls = field(init=False, repr=False)
    """The values of the loss, with what is not known of them."""

    @values.default
    def _with_doubt(self) -> Balls:
        return Balls.rounded(self.losses, 8.0, self.grain + np.abs(self.losses))

    def reversed(self) -> Atoms:
        """The same values as seen from Q."""
        present = self.masses > 0.0
        sizes = np.where(present, self.masses, 1.0)
        # No mass of Q is above 1. Where only an error is known of the mass, the error is carried over.
        ratios = exp((log(Balls(sizes)) - self.values).at_most(np.where(present, 0.0, 700.0)))
        found = ratios * (Balls(self.masses, self.errors) / sizes)
        return Atoms(-self.losses[::-1], found.middle[::-1], found.radii[::-1], self.absent, self.infinite, self.grain)

    def given_finite(self) -> tuple[Floats, Floats, Floats]:
        """The values, their masses given that none is infinite, and bounds on the errors of the masses."""
        masses = Balls(self.masses, self.errors) / (1.0 - Ball.of(self.infinite))
        return self.losses, masses.middle, masses.radii


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
        top = self.supremum_formula()
        if top.at_most(Fraction(epsilon)):
            return self.atoms.infinite
        atoms, values = self.atoms, self.atoms.values
        above = values.middle + 2.0 * values.radius > epsilon
        gains = -expm1((epsilon - values[above]).at_most(0.0))
        return (dot(Balls(atoms.masses[above], atoms.errors[above]), gains) + Ball.of(atoms.infinite)).interval(0.0, 1.0)

    def finite_atoms(self) -> tuple[Floats, Floats, Floats]:
        """The values, their masses given that none is infinite, and bounds on the errors of the masses."""
        return self.atoms.given_finite()

    def analytic(self) -> type[Moments] | None:
        losses = self.atoms.losses
        held = 0 < losses.size <= MOST_ATOMS and float(np.max(np.abs(losses))) < FARTHEST
        return AtomMoments if held and self.atoms.infinite.upper < 0.5 else None

    def log_moment_formula(self, order: float) -> Interval:
        atoms = self.atoms
        if atoms.infinite.upper > 0.0:
            return Interval(math.inf if atoms.infinite.lower > 0.0 else 0.0, math.inf)
        masses, exponents = Balls(atoms.masses, atoms.errors), order * atoms.values
        if float(np.max(exponents.most)) < 1.0:
            # Around order 0 the moment is close to 1, so only what it is more than 1 is added up.
            return log1p(dot(masses, expm1(exponents))).interval(0.0)
        with np.errstate(divide="ignore"):
            top = float(np.max(np.log(atoms.masses) + exponents.middle))
        if not math.isfinite(top):
            return Interval(0.0, math.inf)
        total = dot(masses, exp(exponents - top))
        low = (log(Ball(total.lower)) + top).lower if total.lower > 0.0 else 0.0
        return Interval(max(0.0, low), max(0.0, low, (log(Ball(total.upper)) + top).upper))

    def supremum_formula(self) -> Interval:
        atoms = self.atoms
        if atoms.infinite.upper > 0.0:
            return Interval.infinite() if atoms.infinite.lower > 0.0 else Interval(0.0, math.inf)
        masses, values = Balls(atoms.masses, atoms.errors), atoms.values
        certain = float(np.max(values.lower[masses.lower > 0.0], initial=0.0))
        return Interval(certain, float(np.max(values.upper[masses.upper > 0.0], initial=certain)))

    def infinite_formula(self) -> Interval:
        return self.atoms.infinite

    def cells(self, edges: Floats) -> Cells:
        atoms = self.atoms
        return atom_cells(edges, atoms.losses, atoms.masses, atoms.errors, atoms.infinite)


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
