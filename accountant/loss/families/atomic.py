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
from accountant.loss.readings.base import ROUNDOFF, TINY, Cells, PrivacyLoss
from accountant.loss.readings.moments import Moments
from accountant.numbers.interval import Interval

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

    def reversed(self) -> Atoms:
        """The same values as seen from Q."""
        with np.errstate(divide="ignore"):
            logs = np.log(self.masses)
        masses = np.exp(np.minimum(logs - self.losses, 0.0))
        present = self.masses > 0.0
        sizes = np.where(present, self.masses, 1.0)
        spread = self.errors / sizes + 16 * ROUNDOFF * (2.0 + np.where(present, np.abs(logs), 0.0) + np.abs(self.losses))
        errors = np.where(present, masses * spread, self.errors * np.exp(np.minimum(-self.losses, 700.0)))
        errors = errors * (1.0 + 1e-9) + TINY
        return Atoms(-self.losses[::-1], masses[::-1], errors[::-1], self.absent, self.infinite, self.grain)

    def given_finite(self) -> tuple[Floats, Floats, Floats]:
        """The values, their masses given that none is infinite, and bounds on the errors of the masses."""
        low, high = 1.0 - self.infinite.upper, 1.0 - self.infinite.lower
        middle, doubt = 0.5 * (low + high), 0.5 * (high - low) / low + 8 * ROUNDOFF
        masses = self.masses / middle
        return self.losses, masses, (self.errors / low + masses * doubt) * (1.0 + 1e-9)


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
        atoms = self.atoms
        above = atoms.losses > epsilon - 8 * ROUNDOFF * (1.0 + np.abs(atoms.losses))
        losses, masses = atoms.losses[above], atoms.masses[above]
        gains = -np.expm1(np.minimum(epsilon - losses, 0.0))
        # A displaced value changes its gain by at most as much.
        displaced = 16 * ROUNDOFF * (atoms.grain + np.abs(losses) + abs(epsilon))
        adding = ROUNDOFF * (8.0 + losses.size) * gains
        error = float(np.sum(atoms.errors[above] * gains + (masses + atoms.errors[above]) * (displaced + adding)))
        found = Interval.around(float(np.sum(masses * gains)), error * (1.0 + 1e-9) + TINY).clamp(0.0, 1.0)
        return (found + atoms.infinite).clamp(0.0, 1.0)

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
        exponents = order * atoms.losses
        displaced = 8 * ROUNDOFF * order * (atoms.grain + np.abs(atoms.losses))
        adding = 8 * ROUNDOFF * (8.0 + atoms.losses.size)
        if float(np.max(np.abs(exponents))) < 1.0:
            # Around order 0 the moment is close to 1, so only what it is more than 1 is added up.
            rises = np.expm1(exponents)
            error = np.abs(rises) * (atoms.errors + adding * atoms.masses) + 3.0 * displaced * atoms.masses
            total = float(np.sum(atoms.masses * rises))
            return Interval.around(math.log1p(total), 2.0 * float(np.sum(error)) + TINY).clamp(0.0, math.inf)
        with np.errstate(divide="ignore"):
            terms = np.log(atoms.masses) + exponents
        top = float(np.max(terms))
        reach = displaced + adding + 8 * ROUNDOFF * np.abs(exponents)
        if not math.isfinite(top) or not np.all(reach < 0.1):
            return Interval(0.0, math.inf)
        sizes = np.exp(terms - top)
        total = float(np.sum(sizes))
        # What the masses are off by, measured by the largest term.
        lost = float(np.sum(np.exp(np.minimum(exponents - top, 700.0)) * atoms.errors)) + 3.0 * float(np.sum(sizes * reach))
        low = math.log(total - lost) if total > lost else -math.inf
        doubt = 16 * ROUNDOFF * (1.0 + abs(top))
        return Interval(max(0.0, top + low - doubt), max(0.0, top + math.log(total + lost) + doubt))

    def supremum_formula(self) -> Interval:
        atoms = self.atoms
        if atoms.infinite.upper > 0.0:
            return Interval.infinite() if atoms.infinite.lower > 0.0 else Interval(0.0, math.inf)
        certain, possible = (
            float(np.max(atoms.losses[atoms.masses + sign * atoms.errors > 0.0], initial=-math.inf)) for sign in (-1.0, 1.0)
        )
        rounding = 8 * ROUNDOFF * abs(possible)
        return Interval(max(0.0, certain - rounding), max(0.0, possible + rounding))

    def infinite_formula(self) -> Interval:
        return self.atoms.infinite

    def cells(self, edges: Floats) -> Cells:
        atoms = self.atoms
        return atom_cells(edges, atoms.losses, atoms.masses, atoms.errors + TINY, atoms.infinite)


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
