"""Several losses on few atoms taken together, atom by atom: as sharp as the atoms are, and no grid is needed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Protocol, TypeGuard

import numpy as np
from attrs import frozen

from accountant.errors import GridTooLarge
from accountant.loss.families.atomic import AtomicLoss, Atoms, grain_of
from accountant.loss.families.atomic_moments import AtomMoments, HasAtoms
from accountant.loss.families.finite import FiniteLoss
from accountant.loss.families.response import ResponseLoss
from accountant.loss.readings.base import PrivacyLoss
from accountant.numbers.interval import Interval
from accountant.numbers.rounding import TINY, Ball, Balls, grouped, raised, total

_MOST_ATOMS = 2**19
_MOST_COPIES = 16
_LOG_RARE = -100.0
"""Atoms that are rarer than this are left out, and count as lost outright."""
_APART = 64.0
"""Sums that are nearer to each other than so many roundoffs of the largest loss are taken as one."""


@frozen(eq=False)
class AtomProduct(AtomicLoss):
    """The loss of all parts together, each taken so often."""

    parts: tuple[tuple[Atoms, int], ...]

    @classmethod
    def of(cls, parts: Sequence[tuple[PrivacyLoss, int]]) -> AtomProduct | None:
        """The product of these parts, if all are on atoms and few enough are possible together."""
        if not parts or sum(count for _, count in parts) > _MOST_COPIES:
            return None
        size, kept = 1, []
        for loss, count in parts:
            found = _atoms(loss)
            if found is None:
                return None
            atoms = _common(found)
            # Copies in any order lose the same.
            size *= math.comb(atoms.losses.size + count - 1, count)
            if size > _MOST_ATOMS:
                return None
            kept.append((atoms, count))
        return cls(tuple(kept))

    def find_atoms(self) -> Atoms:
        whole = Atoms(np.zeros(1), np.ones(1), np.zeros(1), grain=0.0)
        for atoms, count in self.parts:
            for _ in range(count):
                whole = _together(whole, atoms)
        return whole


class ToldByAtoms(HasAtoms, Protocol):
    """A loss with finitely many values, and the chances that it is infinite."""

    def infinite(self) -> Interval: ...

    def reverse(self) -> PrivacyLoss: ...


def _atoms(loss: PrivacyLoss) -> Atoms | None:
    """The atoms of a loss that is told by them; of families whose own cells may say something else they are not taken."""
    if type(loss) is FiniteLoss or type(loss) is ResponseLoss:
        # Without moments, some values are larger than doubles tell.
        if loss.analytic() is None:
            return None
        return loss.atoms if isinstance(loss, ResponseLoss) else _rounded(loss)
    if loss.dominating() is not loss or loss.dominated() is not loss:
        return None
    try:
        if isinstance(loss, AtomicLoss):
            return loss.atoms
        return _rounded(loss) if sampled_atoms(loss) else None
    except GridTooLarge:
        return None


def sampled_atoms(loss: PrivacyLoss) -> TypeGuard[ToldByAtoms]:
    """Whether a loss is that of samples of what is told by its atoms, so that it is told by its own."""
    if loss.unsampled() is loss or not isinstance(loss, HasAtoms):
        return False
    return loss.analytic() is AtomMoments and _atoms(loss.unsampled()) is not None


def _rounded(loss: ToldByAtoms) -> Atoms:
    """Values and chances as doubles."""
    values, masses = loss.finite_atoms()
    infinite, order = loss.infinite(), np.argsort(values.middle)
    kept = (masses * (1.0 - Ball.of(infinite)))[order]
    absent = loss.reverse().infinite()
    return Atoms(values.middle[order], kept.middle, kept.radii, infinite, absent, grain=grain_of(values))


def _common(atoms: Atoms) -> Atoms:
    """The atoms without rare ones; as seen from Q they need not be rare, and count as lost outright there too."""
    rare = atoms.masses < math.exp(_LOG_RARE)
    if not rare.any():
        return atoms
    losses, masses, errors = (array[~rare] for array in (atoms.losses, atoms.masses, atoms.errors))
    left, back = Atoms(atoms.losses[rare], atoms.masses[rare], atoms.errors[rare], grain=atoms.grain), atoms.absent
    infinite = Interval(atoms.infinite.lower, (_whole(left) + atoms.infinite.upper).upper)
    absent = Interval(back.lower, min(1.0, (_whole(left.reversed()) + back.upper).upper))
    return Atoms(losses, masses, errors, infinite, absent, grain=atoms.grain)


def _whole(atoms: Atoms) -> Ball:
    """The mass of all atoms together."""
    return total(Balls(atoms.masses, atoms.errors))


def _together(left: Atoms, right: Atoms) -> Atoms:
    """Both together. Sums that can hardly be told apart are taken as one."""
    infinite, absent = _either(left.infinite, right.infinite), _either(left.absent, right.absent)
    if not left.losses.size * right.losses.size:
        return Atoms(np.empty(0), np.empty(0), np.empty(0), infinite, absent)
    losses = np.add.outer(left.losses, right.losses).ravel()
    masses = Balls(left.masses[:, None], left.errors[:, None]) * Balls(right.masses, right.errors)
    largest = sum(float(np.max(np.abs(atoms.losses), initial=0.0)) for atoms in (left, right))
    order = np.argsort(losses)
    losses = losses[order]
    places = np.floor(losses / max(Ball.rounded(0.0, _APART, largest).radius, TINY))
    first = np.flatnonzero(np.concatenate([[True], places[1:] > places[:-1]]))
    masses = grouped(Balls(masses.middle.ravel()[order], masses.radii.ravel()[order]), first)
    # Both losses are known up to 8 roundoffs of themselves and their grain. Their sum rounds, and what is taken as one
    # moves by up to 64 roundoffs of the largest loss: together less than 8 times 10 of them.
    grain = raised(left.grain + right.grain + 10.0 * largest, 3)
    return Atoms(losses[first], masses.middle, masses.radii, infinite, absent, grain=grain)


def _either(first: Interval, second: Interval) -> Interval:
    """The chance of one or both of two events, which rises with either."""
    if first.exact == 0 or second.exact == 0:
        return second if first.exact == 0 else first
    lower, upper = (
        Ball(one) + Ball(other) * (1.0 - Ball(one))
        for one, other in ((first.lower, second.lower), (first.upper, second.upper))
    )
    return Interval(max(0.0, lower.lower), min(1.0, upper.upper))
