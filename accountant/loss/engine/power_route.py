"""Many copies of a loss whose values are equally far apart, as any two are: their sum is told by a whole number.

The law of that number is found by joining halves. All terms are positive, so that every chance keeps its relative error,
which grows with the number of copies: readings are as sharp as the values are, and no grid is needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from attrs import frozen

from accountant.loss.engine.atom_route import sampled_atoms
from accountant.loss.families.atomic import AtomicLoss, Atoms, grain_of
from accountant.loss.families.atomic_moments import HasAtoms
from accountant.loss.families.finite import FiniteLoss
from accountant.loss.families.response import ResponseLoss
from accountant.loss.readings.base import PrivacyLoss
from accountant.numbers.rounding import TINY, Ball, Balls, raised

_MOST_VALUES = 2**13
_TOLD = (AtomicLoss, FiniteLoss, ResponseLoss)


@frozen(eq=False)
class AtomPower(AtomicLoss):
    """So many copies of a loss with such chances of its smallest value, of the next, and so on, all equally far apart."""

    ends: tuple[Ball, Ball]
    """The smallest value and the largest."""
    chances: Balls
    count: int

    @classmethod
    def of(cls, parts: Sequence[tuple[PrivacyLoss, int]]) -> AtomPower | None:
        """The loss of these parts, if they are copies of one with such values that is nowhere infinite."""
        if len(parts) != 1:
            return None
        ((loss, count),) = parts
        if count == 1 or loss.bracketed() or not (isinstance(loss, _TOLD) or sampled_atoms(loss)):
            return None
        if loss.infinite().upper > 0.0 or loss.reverse().infinite().upper > 0.0:
            return None
        values, masses = loss.finite_atoms()
        if not 0 < (values.size - 1) * count < _MOST_VALUES or not _equally_far_apart(loss, values.size):
            return None
        order = np.argsort(values.middle)
        return cls((values.entry(int(order[0])), values.entry(int(order[-1]))), masses[order], count)

    def find_atoms(self) -> Atoms:
        law = _law(self.chances, self.count)
        low, high = self.ends
        places = np.arange(law.size, dtype=np.float64)
        values = (Balls(places[::-1].copy()) * low + Balls(places) * high) / float(self.chances.size - 1)
        return Atoms(values.middle, law.middle, law.radii, grain=grain_of(values))


def _equally_far_apart(loss: HasAtoms, size: int) -> bool:
    """Whether all values are; of more than two this is only known from exact chances."""
    if size == 2 or not isinstance(loss, FiniteLoss):
        return size == 2
    ratios = [p / q for p, q in loss.atoms]
    return len({here / there for here, there in pairwise(ratios)}) == 1


def _law(chances: Balls, count: int) -> Balls:
    """The chances of each sum of so many whole numbers."""
    whole = chances
    for digit in format(count, "b")[1:]:
        whole = _joined(whole, whole)
        whole = _joined(whole, chances) if digit == "1" else whole
    return whole


def _joined(left: Balls, right: Balls) -> Balls:
    """The law of the sum of two numbers. Every chance is a sum of no more products than the shorter law is long."""
    terms = float(min(left.size, right.size))
    middle = np.convolve(left.middle, right.middle)
    moved = np.convolve(left.middle, right.radii) + np.convolve(left.radii, right.middle + right.radii)
    return Balls.rounded(middle, terms + 1.0).widened(raised(moved, 2.0 * terms + 8.0)).widened(TINY)
