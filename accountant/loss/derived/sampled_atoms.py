"""Atoms of a sampled loss, and of a mirrored one, from those of the base."""

from __future__ import annotations

import math

import numpy as np

from accountant.loss.families.atomic import Atoms
from accountant.loss.families.atomic_moments import FARTHEST
from accountant.loss.readings.arrays import Floats
from accountant.numbers.interval import Interval
from accountant.numbers.rounding import TINY, Ball, Balls, exp, joined, total

MOST_ATOMS = 2**13
_LARGEST_STRETCH = 5.0


def lifted_atoms(atoms: Atoms, rate: float, rest: float, *, sharp: bool) -> Atoms | None:
    """The atoms of R against Q from those of P against Q; None where they are too many, too far or too blurred.

    Losses of `sharp` atoms are what they are. Others are known up to some roundoffs, of which lifting may make more.
    """
    found = _lifted(atoms.losses, rate, rest, sharp)
    if found is None:
        return None
    p = Balls(atoms.masses, atoms.errors)
    q = (p * exp(Balls(-atoms.losses))).at_most(1.0)
    r = q * Ball.rounded(rest) + p * Ball.rounded(rate)
    infinite = Ball.of(atoms.infinite) * Ball.rounded(rate)
    # What no atom has is lifted from outcomes that P never has; or it was lost, and then nothing less could be said of it.
    return _with(found, r, _lowest(rate, rest), 1.0 - total(r) - infinite, infinite.interval(0.0, 1.0))


def lifted_back(atoms: Atoms, rate: float, rest: float, *, sharp: bool, lowest: float | None = None) -> Atoms | None:
    """The atoms of Q against R from those of Q against P, whose infinite losses become the largest finite ones.

    Where atoms are less than all of Q, the rest of it is put at the lowest loss that any outcome can have.
    """
    found = _lifted(-atoms.losses, rate, rest, sharp)
    if found is None:
        return None
    losses, masses = -found, Balls(atoms.masses, atoms.errors)
    if lowest is not None:
        left = 1.0 - total(masses) - Ball.of(atoms.infinite)
        losses, masses = np.append(losses, lowest), joined([masses, left.widened(max(-left.middle, 0.0)).at_least(0.0)])
    return _with(losses, masses, -_lowest(rate, rest), Ball.of(atoms.infinite), Interval.of(0))


def mirrored_atoms(atoms: Atoms) -> Atoms:
    """Those above 0, their mirror images, and what is left at 0."""
    above = atoms.losses > 0.0
    losses, masses = atoms.losses[above], Balls(atoms.masses[above], atoms.errors[above])
    images = masses * exp(Balls.rounded(-losses, 8.0))
    left = 1.0 - total(masses) - total(images) - Ball.of(atoms.infinite)
    return _with(np.concatenate([-losses, losses]), joined([images, masses]), 0.0, left, atoms.infinite)


def _lifted(losses: Floats, rate: float, rest: float, sharp: bool) -> Floats | None:
    """log(1 - rate + rate e^loss), unless there is a reason not to use it."""
    if not 0 < losses.size < MOST_ATOMS or float(np.max(np.abs(losses))) > FARTHEST:
        return None
    growth = rate * np.expm1(losses)
    near = growth > -0.5
    lifted = np.where(near, np.log1p(np.where(near, growth, 0.0)), np.log(rest + rate * np.exp(np.minimum(losses, 0.0))))
    # By how much an error of a loss, relative to it, grows.
    slope = 1.0 / (1.0 + rest / rate * np.exp(-losses))
    stretch = np.where(losses == 0.0, 1.0, slope * np.abs(losses) / np.maximum(np.abs(lifted), TINY))
    return lifted if sharp or float(np.max(stretch)) <= _LARGEST_STRETCH else None


def _lowest(rate: float, rest: float) -> float:
    """log(1 - rate), from whichever of the two is the smaller: next to 1 a double has lost what the log is made of."""
    return math.log1p(-rate) if rate <= 0.5 else math.log(rest)


def _with(losses: Floats, masses: Balls, place: float, left: Ball, infinite: Interval) -> Atoms:
    """Atoms in rising order, with one more for what is left."""
    losses, both = np.append(losses, place), joined([masses, left.widened(max(-left.middle, 0.0)).at_least(0.0)])
    order = np.argsort(losses)
    return Atoms(losses[order], both.middle[order], both.radii[order], infinite)
