"""Atoms of a sampled loss, and of a mirrored one, from those of the base."""

from __future__ import annotations

import math

import numpy as np

from accountant.loss.families.atomic import Atoms
from accountant.loss.families.atomic_moments import FARTHEST
from accountant.loss.readings.arrays import Floats
from accountant.loss.readings.base import ROUNDOFF, TINY
from accountant.numbers.interval import Interval

MOST_ATOMS = 2**13
_LARGEST_STRETCH = 5.0


def lifted_atoms(atoms: Atoms, rate: float, rest: float, *, sharp: bool) -> Atoms | None:
    """The atoms of R against Q from those of P against Q; None where they are too many, too far or too blurred.

    Losses of `sharp` atoms are what they are. Others are known up to some roundoffs, of which lifting may make more.
    """
    found = _lifted(atoms.losses, rate, rest, sharp)
    if found is None:
        return None
    losses, masses, errors = atoms.losses, atoms.masses, atoms.errors
    with np.errstate(divide="ignore"):
        logs = np.log(masses)
    q = np.exp(np.minimum(logs - losses, 0.0))
    doubts = 8 * ROUNDOFF * (2.0 + np.abs(losses) + np.abs(np.where(masses > 0.0, logs, 0.0)))
    r = rest * q + rate * masses
    r_errors = rest * (errors * np.exp(-losses) + doubts * q) + rate * errors + 4 * ROUNDOFF * r + TINY
    low, high = (rate * end * (1.0 + sign * 4 * ROUNDOFF) for end, sign in zip(_ends(atoms.infinite), (-1, 1), strict=True))
    # What no atom has is lifted from outcomes that P never has; or it was lost, and then nothing less could be said of it.
    left = 1.0 - float(r.sum()) - 0.5 * (low + high)
    doubt = float(r_errors.sum()) + ROUNDOFF * (16.0 + r.size) + (high - low)
    return _with(found, r, r_errors, _lowest(rate, rest), left, doubt, Interval(low, high))


def lifted_back(atoms: Atoms, rate: float, rest: float, *, sharp: bool) -> Atoms | None:
    """The atoms of Q against R from those of Q against P, whose infinite losses become the largest finite ones."""
    found = _lifted(-atoms.losses, rate, rest, sharp)
    if found is None:
        return None
    low, high = _ends(atoms.infinite)
    return _with(-found, atoms.masses, atoms.errors, -_lowest(rate, rest), 0.5 * (low + high), high - low, Interval.of(0))


def mirrored_atoms(atoms: Atoms) -> Atoms:
    """Those above 0, their mirror images, and what is left at 0."""
    above = atoms.losses > 0.0
    losses, masses, errors = atoms.losses[above], atoms.masses[above], atoms.errors[above]
    fall = np.exp(-losses)
    images, image_errors = masses * fall, (errors + 8 * ROUNDOFF * (1.0 + losses) * masses) * fall + TINY
    low, high = _ends(atoms.infinite)
    left = 1.0 - float(masses.sum()) - float(images.sum()) - 0.5 * (low + high)
    doubt = float(errors.sum() + image_errors.sum()) + (high - low) + ROUNDOFF * (16.0 + masses.size)
    places, both = np.concatenate([-losses, losses]), np.concatenate([images, masses])
    return _with(places, both, np.concatenate([image_errors, errors]), 0.0, left, doubt, atoms.infinite)


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


def _ends(value: Interval) -> tuple[float, float]:
    return value.lower, value.upper


def _with(
    losses: Floats, masses: Floats, errors: Floats, place: float, left: float, doubt: float, infinite: Interval
) -> Atoms:
    """Atoms in rising order, with one more for what is left."""
    losses, masses = np.append(losses, place), np.append(masses, max(left, 0.0))
    errors = np.append(errors, doubt + max(-left, 0.0))
    order = np.argsort(losses)
    return Atoms(losses[order], masses[order], errors[order], infinite)
