"""A loss from below: two laws whose outcomes are merged until few are left."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from attrs import frozen

from accountant.loss.families.atomic import AtomicLoss, Atoms
from accountant.loss.families.atomic_moments import FARTHEST, AtomMoments
from accountant.loss.readings.arrays import Floats
from accountant.loss.readings.base import PrivacyLoss
from accountant.loss.readings.moments import Moments
from accountant.numbers.interval import Interval
from accountant.numbers.rounding import TINY, Balls, binned, exp, log, total

_ATOMS = 800


def under(first: Balls, second: Balls, lost: float = 0.0) -> Atoms:
    """Atoms below those of two laws with such masses, of which the first may have some that the second never has.

    Masses of the first law are rounded down and losses too, which rounds masses of the second up. No more than all of the
    second is left: what was added to it is taken from both.
    """
    p, q = Balls(first.lower), Balls(second.upper)
    losses = log(p / q).lower
    whole = total(p * exp(Balls(-losses))).upper
    masses = (p / whole).lower if whole > 1.0 else p.middle
    order = np.argsort(losses)
    return Atoms(losses[order], masses[order], np.zeros(masses.size), Interval(lost, lost), grain=0.0)


class Outcomes(ABC):
    """Two laws, known by the masses of events that exclude each other."""

    symmetric: bool = False
    """Whether exchanging the laws changes nothing but the names of outcomes."""

    @abstractmethod
    def masses(self) -> tuple[Floats, Floats]:
        """Lower bounds on the masses of the first law and upper bounds on those of the second, event by event."""

    @abstractmethod
    def exchanged(self) -> Outcomes:
        """The two laws in the other order."""


@frozen
class MergedLoss(AtomicLoss):
    """The loss of two laws after outcomes with much the same loss are merged.

    Guarantee: every reading is at most that of the two laws: merging is a function of the outcome, masses of the first law
    are rounded down and those of the second up, and events that are left out count for nothing.
    """

    source: Outcomes
    most: int = _ATOMS

    def reverse(self) -> PrivacyLoss:
        return self if self.source.symmetric else MergedLoss(self.source.exchanged(), self.most)

    def analytic(self) -> type[Moments] | None:
        return _moments(self.atoms)

    def find_atoms(self) -> Atoms:
        p, q = self.source.masses()
        present = (p > TINY) & (q > TINY)
        p, q = p[present], q[present]
        logs = np.log(p) - np.log(q)
        # Cells of a size in proportion to the loss, and near 0 to how far losses usually are from 0.
        usual = max(float(np.sqrt(p @ np.square(logs) / p.sum())) / 4.0, 1e-150)
        turned = np.arcsinh(logs / usual)
        low, high = float(turned.min()), float(turned.max())
        places = ((turned - low) * ((self.most - 1) / max(high - low, 1e-9))).astype(np.int64)
        first, second = (binned(places, Balls(masses), self.most) for masses in (p, q))
        filled = first.middle > 0.0
        return under(first[filled], second[filled])


def _moments(atoms: Atoms) -> type[Moments] | None:
    held = 0 < atoms.losses.size <= _ATOMS and float(np.max(np.abs(atoms.losses))) < FARTHEST
    return AtomMoments if held and atoms.infinite.upper < 0.5 else None
