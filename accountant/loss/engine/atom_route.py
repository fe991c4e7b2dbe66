"""Several losses on few atoms taken together, atom by atom: as sharp as the atoms are, and no grid is needed."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from attrs import frozen

from accountant.errors import GridTooLarge
from accountant.loss.families.atomic import AtomicLoss, Atoms
from accountant.loss.readings.base import ROUNDOFF, TINY, PrivacyLoss
from accountant.numbers.interval import Interval

_MOST_ATOMS = 2**19
_MOST_COPIES = 16
_LOG_RARE = -100.0
"""Atoms that are rarer than this are left out, and count as lost outright."""


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
            if not isinstance(loss, AtomicLoss) or loss.dominating() is not loss or loss.dominated() is not loss:
                return None
            try:
                atoms = _common(loss.atoms)
            except GridTooLarge:
                return None
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


def _common(atoms: Atoms) -> Atoms:
    """The atoms without rare ones."""
    rare = atoms.masses < math.exp(_LOG_RARE)
    lost = float(np.sum((atoms.masses + atoms.errors)[rare])) * (1.0 + 1e-9)
    infinite = Interval(atoms.infinite.lower, atoms.infinite.upper + lost)
    losses, masses, errors = (array[~rare] for array in (atoms.losses, atoms.masses, atoms.errors))
    return Atoms(losses, masses, errors, infinite, grain=atoms.grain)


def _together(left: Atoms, right: Atoms) -> Atoms:
    """Both together. Sums that can hardly be told apart are taken as one."""
    a, b = left.infinite, right.infinite
    infinite = Interval(
        _either(a.lower, b.lower) * (1.0 - 8 * ROUNDOFF), min(1.0, _either(a.upper, b.upper) * (1.0 + 8 * ROUNDOFF))
    )
    if not left.losses.size * right.losses.size:
        return Atoms(np.empty(0), np.empty(0), np.empty(0), infinite)
    losses = np.add.outer(left.losses, right.losses).ravel()
    masses = np.multiply.outer(left.masses, right.masses).ravel()
    doubts = np.multiply.outer(left.errors, right.masses + right.errors) + np.multiply.outer(left.masses, right.errors)
    errors = doubts.ravel() * (1.0 + 1e-9) + 4 * ROUNDOFF * masses + TINY * TINY
    largest = sum(float(np.max(np.abs(atoms.losses), initial=0.0)) for atoms in (left, right))
    order = np.argsort(losses)
    losses, masses, errors = losses[order], masses[order], errors[order]
    places = np.floor(losses / max(64 * ROUNDOFF * largest, TINY))
    first = np.flatnonzero(np.concatenate([[True], places[1:] > places[:-1]]))
    counts = np.diff(np.append(first, losses.size))
    masses, errors = np.add.reduceat(masses, first), np.add.reduceat(errors, first) * (1.0 + 1e-9)
    # Adding up rounds, and what is taken as one moves by up to 64 roundoffs of the largest loss.
    grain = left.grain + right.grain + 10.0 * largest
    return Atoms(losses[first], masses, errors + masses * (ROUNDOFF * (2.0 + counts)), infinite, grain=grain)


def _either(first: float, second: float) -> float:
    """The chance of one or both of two events."""
    return first + second * (1.0 - first)
