"""Log moments of Skellam losses from their atoms, on the real line and off it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Self

import numpy as np
from attrs import evolve, field, frozen

from accountant import Interval
from accountant.loss import ROUNDOFF, TINY, AtomicLoss, AtomMoments, Atoms, Complexes, Floats

MOST_ATOMS = 2**14
"""So many places on each side of 0 are worth a sum at every node of a contour."""


@frozen(eq=False)
class RareAtoms(Atoms):
    """Atoms with the logarithms of their masses, each right to 8 roundoffs of 1 + its size, also where doubles run out."""

    log_masses: Floats = field(kw_only=True)


def log_moment_of_atoms(atoms: RareAtoms, order: float, log_ratio: float) -> Interval:
    """log(1 + sum over positive L of p (e^(t L) - 1)(1 - e^(-(1 + t) L))), t the order.

    Each atom is taken together with that of the opposite loss, which has e^-L of its mass, so that nothing cancels. Beyond
    the last atom, terms grow by at most e^log_ratio from one to the next.
    """
    above = atoms.losses > 0.0
    losses = atoms.losses[above]
    exponents = order * losses
    logs = atoms.log_masses[above] + exponents
    top = max(float(np.max(logs)), 0.0)
    if not top < 1e12:
        return Interval(0.0, math.inf)
    terms = np.exp(logs - top) * np.expm1(-exponents) * np.expm1(-(1.0 + order) * losses)
    doubt = ROUNDOFF * (128.0 + 2.0 * losses.size + 16.0 * np.abs(atoms.log_masses[above]) + 32.0 * exponents + 16.0 * top)
    total, error = float(np.sum(terms)), float(np.sum(terms * doubt)) * (1.0 + 1e-9)
    # Places beyond the last on the other side lose less than any here, and have a chance below TINY.
    lost = _series(float(logs[-1]) + float(doubt[-1]) - top, log_ratio) + TINY * math.exp(float(exponents[0]) - top)
    ends = max(0.0, total - error), total + error + lost
    if top < 600.0:
        low, high = (math.log1p(math.exp(top) * end) for end in ends)
    else:
        low, high = (top + math.log(end) if end > 0.0 else 0.0 for end in ends)
    return Interval(max(0.0, low * (1.0 - 2.0**-45)), high * (1.0 + 2.0**-45) + TINY)


def _series(log_first: float, log_ratio: float) -> float:
    """An upper bound on the sum of all terms after the first of a geometric series."""
    if not log_ratio < -1e-12:
        return math.inf
    exponent = log_first + log_ratio * (1.0 - 2.0**-40) - math.log(-math.expm1(log_ratio * (1.0 - 2.0**-40)))
    return math.exp(exponent + 1e-9) if exponent < 700.0 else math.inf


@frozen(eq=False)
class SkellamMoments(AtomMoments):
    """Log moments off the real line, without the places that are too rare to be felt."""

    sources: tuple[AtomicLoss, ...] = ()
    dropped: Floats | None = None

    @classmethod
    def of(cls, losses: Sequence[AtomicLoss]) -> Self:  # type: ignore[override]
        return cls((), tuple(losses))

    def trimmed(self, log_tail: float) -> Self:
        kept, lost = [], []
        for source in self.sources:
            atoms = source.atoms
            rare = atoms.masses < math.exp(max(log_tail - math.log(2.0 * atoms.masses.size), -700.0))
            left = ~rare
            kept.append((atoms.losses[left], atoms.masses[left], atoms.errors[left]))
            lost.append(float(np.sum((atoms.masses + atoms.errors)[rare])) * (1.0 + 1e-9) + 2.0 * TINY)
        return evolve(self, atoms=tuple(kept), dropped=np.array(lost))

    def lost(self) -> Floats:
        assert self.dropped is not None
        return self.dropped

    @property
    def work(self) -> int:
        """A complex exponential counts for several numbers."""
        return 8 * super().work

    def log_moments(self, points: Complexes) -> tuple[Complexes, Floats]:
        """Those of what is left, where the moments of atoms speak of laws whose masses add up to 1."""
        values, errors = super().log_moments(points)
        share = self.lost()[:, None] * np.exp(-np.maximum(values.real, -300.0))
        unsure = share > 0.25
        values = values + np.where(unsure | np.isinf(errors), np.log1p(share), 0.0)
        return values, np.where(unsure, np.inf, errors + 4.0 / 3.0 * share)
