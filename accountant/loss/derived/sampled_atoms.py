"""Atoms of a sampled loss, and of a mirrored one, from those of the base.

What is not known of their values follows from what the base states of its own, however it states it.
"""

from __future__ import annotations

import numpy as np
from attrs import frozen

from accountant.loss.families.atomic import Atoms
from accountant.loss.families.atomic_moments import FARTHEST
from accountant.numbers.interval import Interval
from accountant.numbers.rounding import Ball, Balls, exp, expm1, joined, log, log1p, total, where

MOST_ATOMS = 2**13


@frozen(eq=False)
class DerivedAtoms:
    """Values of a loss and their masses under P, in any order, and the mass of P where Q has none."""

    values: Balls
    masses: Balls
    infinite: Interval

    def given_finite(self) -> tuple[Balls, Balls]:
        """The values and their masses given that none is infinite."""
        return self.values, self.masses if self.infinite.upper == 0.0 else self.masses / (1.0 - Ball.of(self.infinite))


def lifted_atoms(atoms: Atoms, rate: Ball, rest: Ball) -> DerivedAtoms | None:
    """The atoms of R against Q from those of P against Q; None where they are too many or too far."""
    found = _lifted(atoms.values, rate, rest)
    if found is None:
        return None
    p = Balls(atoms.masses, atoms.errors)
    q = (p * exp(-atoms.values)).at_most(1.0)
    r = q * rest + p * rate
    infinite = Ball.of(atoms.infinite) * rate
    if max(atoms.infinite.upper, atoms.absent.upper) == 0.0:
        return DerivedAtoms(found, r, Interval.of(0))
    # What no atom has is lifted from outcomes that P never has.
    return _with(found, r, _lowest(rate, rest), 1.0 - total(r) - infinite, infinite.interval(0.0, 1.0))


def lifted_back(atoms: Atoms, rate: Ball, rest: Ball) -> DerivedAtoms | None:
    """The atoms of Q against R from those of Q against P, whose infinite losses become the largest finite ones."""
    found = _lifted(-atoms.values, rate, rest)
    if found is None:
        return None
    masses = Balls(atoms.masses, atoms.errors)
    if atoms.infinite.upper == 0.0:
        return DerivedAtoms(-found, masses, Interval.of(0))
    return _with(-found, masses, -_lowest(rate, rest), Ball.of(atoms.infinite), Interval.of(0))


def mirrored_atoms(atoms: DerivedAtoms) -> DerivedAtoms:
    """Those above 0, their mirror images, and what is left at 0."""
    above = atoms.values.middle > 0.0
    values, masses = atoms.values[above], atoms.masses[above]
    images = masses * exp(-values)
    left = 1.0 - total(masses) - total(images) - Ball.of(atoms.infinite)
    # A value that may be on either side of 0 is left at 0 with its image, and neither is farther from there than this.
    rest = atoms.values[~above]
    place = Ball(0.0, float(np.max(rest.radii, initial=0.0, where=rest.upper > 0.0)))
    return _with(joined([-values, values]), joined([images, masses]), place, left, atoms.infinite)


def _lifted(losses: Balls, rate: Ball, rest: Ball) -> Balls | None:
    """log(1 - rate + rate e^loss), unless there is a reason not to use it."""
    if not 0 < losses.size < MOST_ATOMS or float(np.max(np.abs(losses.middle))) > FARTHEST:
        return None
    growth = expm1(losses) * rate
    near = growth.middle > -0.5
    if near.all():
        return log1p(growth)
    return where(near, log1p(where(near, growth, 0.0)), log(exp(losses.at_most(0.0)) * rate + rest))


def _lowest(rate: Ball, rest: Ball) -> Ball:
    """log(1 - rate), from whichever of the two is the smaller: next to 1 a double has lost what the log is made of."""
    return log1p(-rate) if rate.middle <= 0.5 else log(rest)


def _with(values: Balls, masses: Balls, place: Ball, left: Ball, infinite: Interval) -> DerivedAtoms:
    """Atoms with one more for what is left, which is never less than nothing."""
    return DerivedAtoms(joined([values, place]), joined([masses, left.at_least(0.0)]), infinite)
