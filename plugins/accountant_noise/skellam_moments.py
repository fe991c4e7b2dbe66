"""Log moments of Skellam losses from their atoms, on the real line and off it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Self

import numpy as np
from attrs import evolve, field, frozen

from accountant import Interval
from accountant.loss import AtomicLoss, AtomMoments, Atoms, Complexes, Floats
from accountant.numbers.rounding import TINY, Ball, Balls, exp, expm1, log, log1p, total

MOST_ATOMS = 2**14
"""So many places on each side of 0 are worth a sum at every node of a contour."""


@frozen(eq=False)
class RareAtoms(Atoms):
    """Atoms with the logarithms of their masses, each right to 8 roundoffs of 1 + its size, also where doubles run out."""

    log_masses: Floats = field(kw_only=True)


def log_moment_of_atoms(atoms: RareAtoms, order: float, log_ratio: Ball) -> Interval:
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
    # Logarithms of masses are right to 8 roundoffs, losses to 8 and exponents to 9, felt in e^x and twice in e^x - 1; three
    # functions are granted 8 each, sums with the top round once, and the sum of all as often as there are terms.
    times = 128.0 + 2.0 * losses.size + 16.0 * np.abs(atoms.log_masses[above]) + 32.0 * exponents + 16.0 * top
    found = Ball.rounded(float(np.sum(terms)), 1.0, float(terms @ times))
    last = Ball.rounded(float(logs[-1]) - top, 1.0, float(times[-1]))
    # Places beyond the last on the other side lose less than any here, and have a chance below TINY.
    beside = Ball.rounded(float(exponents[0]) - top, 16.0, float(exponents[0]) + top)
    lost = _series(last, log_ratio) + (TINY * exp(beside)).upper
    ends = max(0.0, found.lower), found.widened(lost).upper
    if top < 600.0:
        low, high = (log1p(exp(Ball(top)) * end) for end in ends)
    else:
        low, high = (log(Ball(end)) + top if end > 0.0 else Ball(0.0) for end in ends)
    return Interval(max(0.0, low.lower), high.widened(TINY).upper)


def _series(log_first: Ball, log_ratio: Ball) -> float:
    """An upper bound on the sum of all terms after the first of a geometric series."""
    ratio = Ball(log_ratio.upper)
    if not ratio.middle < 0.0:
        return math.inf
    exponent = log_first + ratio - log(-expm1(ratio))
    return exp(exponent).upper if exponent.middle < 700.0 else math.inf


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
            kept.append((atoms.values[left], Balls(atoms.masses[left], atoms.errors[left])))
            lost.append(total(Balls(atoms.masses[rare], atoms.errors[rare])).widened(2.0 * TINY).upper)
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
