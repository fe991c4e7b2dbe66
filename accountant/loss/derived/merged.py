"""A loss from below: two laws whose outcomes are merged until few are left."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from fractions import Fraction

import numpy as np
from attrs import frozen

from accountant.loss.families.atomic import AtomicLoss, Atoms, ReversedAtoms
from accountant.loss.families.atomic_moments import FARTHEST, AtomMoments
from accountant.loss.readings.arrays import Floats
from accountant.loss.readings.base import PrivacyLoss
from accountant.loss.readings.moments import Moments
from accountant.numbers.interval import Interval
from accountant.numbers.rounding import TINY, Ball, Balls, binned

_ATOMS = 800
_NEAR = 1e-12
_BELOW = 1 - Fraction(1, 2**40)
"""What is merged is below other atoms by more than their order may be wrong."""


def under(first: Balls, second: Balls, lost: float = 0.0) -> Atoms:
    """Atoms below those of two laws with such masses, of which the first may have some that the second never has.

    Masses of the first law are rounded down and those of the second up. What that leaves of either, and what was left out,
    is merged with the lowest atoms, as many as it takes for what is merged to lose least.
    Guarantee: both laws are whole. Delta is 1 - e^epsilon below the lowest atom, and no pair has less; above it no atom
    has more of the first law or less of the second than it had.
    """
    p, q = first.lower, second.upper
    order = np.argsort(np.log(p) - np.log(q))
    p, q = p[order], q[order]
    start, (top, bottom) = _lowest(p, q, Fraction(lost))
    p, q, rest = p[start:], q[start:], Ball.of(top)
    losses = [_log(*atom) for atom in zip(p.tolist(), q.tolist(), strict=True)]
    infinite, errors = Interval(lost, lost), np.zeros(p.size)
    if not top:
        return Atoms(np.array(losses), p, errors, infinite, Interval.of(bottom), grain=0.0)
    masses, errors = np.append(rest.middle, p), np.append(rest.radius, errors)
    return Atoms(np.array([_log(top, bottom), *losses]), masses, errors, infinite, grain=0.0)


def _lowest(p: Floats, q: Floats, lost: Fraction) -> tuple[int, tuple[Fraction, Fraction]]:
    """How many of the lowest atoms are merged with what is missing, and what both laws have there."""
    # Sums of doubles tell about where to look, and exact ones whether it is so.
    above = [np.append(np.cumsum(masses[::-1])[::-1], 0.0) for masses in (p, q)]
    least, most = 1.0 - float(lost) - above[0], 1.0 - above[1]
    ratios = np.append(p / q, np.inf)
    for start in np.nonzero((most > _NEAR) & (least < ratios * most))[0].tolist()[:-1]:
        top, bottom = (1 - sum(map(Fraction, masses[start:].tolist()), Fraction(0)) for masses in (p, q))
        if 0 <= top - lost <= bottom * _BELOW * Fraction(float(ratios[start])):
            return start, (top - lost, bottom)
    return p.size, (1 - lost, Fraction(1))


def _log(top: float | Fraction, bottom: float | Fraction) -> float:
    """The logarithm of a ratio, up to 6 roundoffs of itself.

    Numbers within a factor of 2 have an exact difference; a quotient rounds once, and the function counts for four.
    """
    return math.log1p(float((top - bottom) / bottom)) if bottom < 2 * top < 4 * bottom else math.log(float(top / bottom))


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

    def exchanged(self) -> PrivacyLoss:
        return ReversedAtoms(self)

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
