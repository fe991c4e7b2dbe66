"""A loss from below: two laws whose outcomes are merged until few are left."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from attrs import frozen

from accountant.loss.families.atomic import AtomicLoss, Atoms
from accountant.loss.families.atomic_moments import FARTHEST, AtomMoments
from accountant.loss.readings.arrays import Floats
from accountant.loss.readings.base import ROUNDOFF, TINY, PrivacyLoss
from accountant.loss.readings.moments import Moments

_ATOMS = 800


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

    def reverse(self) -> PrivacyLoss:
        return self if self.source.symmetric else MergedLoss(self.source.exchanged())

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
        places = ((turned - low) * ((_ATOMS - 1) / max(high - low, 1e-9))).astype(np.int64)
        p, q = (np.bincount(places, masses).astype(np.float64) for masses in (p, q))
        # Adding up rounds by at most a roundoff for every event.
        spread = ROUNDOFF * (16.0 + float(np.max(np.bincount(places))))
        filled = p > 0.0
        p, q = p[filled] * (1.0 - spread), q[filled] * (1.0 + spread)
        losses = np.log(p / q)
        losses -= 16 * ROUNDOFF * (1.0 + np.abs(losses))
        # No more than all of the second law: what was added to it is taken from both.
        adding = ROUNDOFF * (64.0 + p.size + 2.0 * float(np.max(np.abs(losses))))
        p *= (1.0 - 8 * ROUNDOFF) / max(1.0, float(np.sum(p * np.exp(-losses))) * (1.0 + adding))
        order = np.argsort(losses)
        return Atoms(losses[order], p[order], np.zeros(p.size))


def _moments(atoms: Atoms) -> type[Moments] | None:
    held = 0 < atoms.losses.size <= _ATOMS and float(np.max(np.abs(atoms.losses))) < FARTHEST
    return AtomMoments if held and atoms.infinite.upper < 0.5 else None
