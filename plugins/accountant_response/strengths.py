"""Symmetric pairs as mixtures of randomised responses.

A pair that exchanging P and Q leaves the same is a randomised response of random strength: given |loss| = l, the loss is l
with odds e^l to 1. With t = tanh(l/2) the delta of a response, max(0, (1 + t) - e^epsilon (1 - t))/2, is convex in t and
grows with it. So a law of t dominates another if it is a spread of it that keeps the mean, or if it is larger throughout.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from attrs import frozen

from accountant.loss import Atoms, Floats
from accountant.numbers.rounding import TINY, Balls, joined, lowered, raised

MOST = 4096
"""So many strengths are kept apart."""
_NUDGE = 128
"""Strengths are off by far fewer roundoffs of themselves, and moved by as many in the safe direction."""

Rows = Iterable[tuple[Floats, Floats]]
"""Strengths, as losses, and their chances."""


@frozen(eq=False)
class Strengths:
    """The law of |loss|: each value in rising order, its mass, and a bound on the error of the mass."""

    losses: Floats
    masses: Floats
    errors: Floats

    @classmethod
    def apart(cls, rows: Rows, most: float, doubt: float, above: bool) -> Strengths:
        """All strengths as they are, of which none exceeds `most`; chances are off by at most `doubt` of themselves."""
        losses, masses = (np.concatenate(parts) for parts in zip(*rows, strict=True))
        order = np.argsort(losses)
        moved = (raised if above else lowered)(losses[order], _NUDGE)
        return cls(np.minimum(moved, most), masses[order], doubt * masses[order])

    @classmethod
    def grouped(cls, rows: Rows, top: float, most: float, doubt: float, above: bool) -> Strengths:
        """Strengths up to `top`, which is about the largest, taken together; none exceeds `most`.

        They are spread to nodes around them from above, merged at their mean from below.
        """
        nodes = np.linspace(0.0, min(raised(top, _NUDGE), most), MOST + 1)
        left, right = nodes[:-1], nodes[1:]
        scale = np.cosh(0.5 * right) / np.sinh(0.5 * (right - left))
        masses, shares = np.zeros(MOST), np.zeros(MOST)
        for losses, chances in rows:
            index = np.minimum((losses * (MOST / top)).astype(np.intp), MOST - 1)
            # Where tanh(l/2) stands between those of the nodes, without their difference.
            share = np.sinh(0.5 * (losses - left[index])) / np.cosh(0.5 * losses) * scale[index]
            masses += np.bincount(index, chances, MOST)
            shares += np.bincount(index, chances * np.clip(share, 0.0, 1.0), MOST)
        # A strength that is off by 16 roundoffs of itself is off between its nodes by as much, times their number.
        misplaced = Balls.rounded(masses, 32.0 * MOST).widened(doubt * masses).radii
        if above:
            spread = np.append(np.maximum(masses - shares, 0.0), 0.0) + np.append(0.0, shares)
            return cls(nodes, spread, np.append(misplaced, 0.0) + np.append(0.0, misplaced))
        share = shares / np.maximum(masses, TINY)
        # The odds of the mean are 1 + t/((1 - t)/2) to 1: all of it is positive, and keeps its digits however small it is.
        ends = np.tanh(0.5 * nodes), 1.0 / (1.0 + np.exp(nodes))
        gain, rest = ((1.0 - share) * part[:-1] + share * part[1:] for part in ends)
        # Far more than rounding may have added to the mean is taken from it.
        means = np.log1p(gain / rest) - 2.0**-16 * (right - left)
        return cls(np.maximum(means, 0.0), masses, doubt * masses)

    def and_worst(self, loss: float, mass: float) -> Strengths:
        """The same with a mass added at a loss that none exceeds."""
        return Strengths(np.append(self.losses, loss), np.append(self.masses, mass), np.append(self.errors, 0.0))

    def atoms(self) -> Atoms:
        """The values of the loss itself, below and above 0."""
        shares = [1.0 / (1.0 + np.exp(sign * self.losses)) for sign in (1.0, -1.0)]
        # A share rounds ten times: e^x, granted 8, the sum and the quotient. The strengths are those that are written down.
        parts = [Balls.rounded(share, 10.0) * Balls(self.masses, self.errors) for share in shares]
        losses = np.concatenate([-self.losses[::-1], self.losses])
        both = joined([parts[0][::-1], parts[1]]).widened(TINY)
        return Atoms(losses, both.middle, both.radii)
