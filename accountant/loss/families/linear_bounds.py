"""A loss known by linear bounds on what any test can gain."""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np
from attrs import field, frozen

from accountant.loss.families.atomic import Atoms
from accountant.loss.families.atomic_cells import atom_cells
from accountant.loss.families.atomic_moments import FARTHEST, AtomMoments
from accountant.loss.readings.arrays import Floats
from accountant.loss.readings.base import Cells, PrivacyLoss
from accountant.loss.readings.moments import Moments
from accountant.numbers.interval import Interval
from accountant.numbers.rounding import Ball, Balls, exp, expm1, log, log_of_sum, raised, total

_MOST_ATOMS = 2100
_NEXT_TO_NONE = 1e-11


@frozen(eq=False)
class CutLoss(PrivacyLoss):
    """The smallest loss above all cuts "P(A) <= e^epsilon Q(A) + delta for every event A", in both directions.

    Each cut is a point (e^epsilon, delta) above the convex function x -> delta(log x). Convex combinations of cuts are
    cuts, so the lower hull of the points bounds that function everywhere; its corners are the atoms of this loss.
    """

    losses: Floats = field()
    masses: Floats = field()
    infinite_mass: float

    @classmethod
    def through(cls, epsilons: Floats, deltas: Floats) -> CutLoss:
        """The loss of the given cuts.

        Cuts with epsilon below 0, or whose delta/e^epsilon would underflow, are left out: fewer cuts bound less tightly. A
        delta of exactly 0 says that no loss exceeds its epsilon.
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            kept = (epsilons >= 0.0) & ((np.log(deltas) - epsilons > -640.0) | ((deltas == 0.0) & (epsilons < 640.0)))
        places, heights = Balls(epsilons[kept]), np.minimum(deltas[kept], 1.0)
        # The same cuts for exchanged roles and the complement of the event: they settle the hull around 1.
        left = exp(-places)
        others = heights * left - expm1(-places)
        x, height = _lower_hull(
            np.concatenate([[0.0], exp(places).upper, left.upper]), np.concatenate([[1.0], heights, others.upper])
        )
        # A corner that only rounding tells from 1 has no slope to its other side.
        start = int(np.searchsorted(x, Ball.rounded(1.0, 32.0).upper, side="right"))
        at_one = float(np.interp(1.0, x, height))
        x, height = np.concatenate([[1.0], x[start:]]), np.concatenate([[at_one], height[start:]])
        slopes = np.append(np.diff(height) / np.diff(x), 0.0)
        density = np.maximum(np.diff(slopes), 0.0)
        infinite = float(height[-1])
        # What rounding took away is given back by scaling: the hull of the result must reach every corner again.
        reached = infinite + np.array([float(density @ np.maximum(x[1:] - point, 0.0)) for point in x])
        # A sum of products of differences, none negative; the masses below are products of it.
        ratio = float(np.max(height[height > 0.0] / reached[height > 0.0], initial=1.0))
        factor = raised(ratio, x.size + 8.0)
        # The pair is symmetric: Q's mass at a loss is P's at its negative, and what is left over has no loss.
        above, below = density * x[1:] * factor, density * factor
        rest = max(0.0, (1.0 - total(Balls(above)) - total(Balls(below)) - infinite).upper)
        # Losses are rounded up, on both sides of 0: that never makes a pair easier to keep.
        # The ratio of two masses is off by the rounding of both.
        losses = log(Balls.rounded(x[1:], 4.0))
        if not rest and below.size and losses.upper[0] < _NEXT_TO_NONE:
            # So is the first loss below 0, that there be some mass without loss.
            rest, below[0] = float(below[0]), 0.0
        return cls(
            np.concatenate([(-losses).upper[::-1], [0.0], losses.upper]),
            np.concatenate([below[::-1], [rest], above]),
            raised(infinite, 1),
        )

    def reverse(self) -> PrivacyLoss:
        return self

    def window(self, log_tail: float) -> tuple[float, float]:
        present = self.losses[self.masses > math.exp(log_tail)]
        return (float(present[0]), float(present[-1])) if present.size else (0.0, 0.0)

    def delta_formula(self, epsilon: float) -> Interval:
        above = int(self.losses.searchsorted(epsilon, side="right"))
        gains = -np.expm1(epsilon - self.losses[above:])
        value = float(np.sum(self.masses[above:] * gains)) + self.infinite_mass
        # A difference, a function that counts for eight and a product, and a sum.
        return Ball.rounded(value, gains.size + 12.0).interval(0.0, 1.0)

    def infinite_formula(self) -> Interval:
        if self.infinite_mass == 0.0:
            return Interval.of(0)
        return Interval.around(self.infinite_mass, 0.0).clamp(0.0, 1.0)

    def anchor(self) -> float:
        return float(self.losses[int(np.argmax(self.masses))])

    def log_moment_formula(self, order: float) -> Interval:
        if self.infinite_mass > 0.0:
            return Interval.infinite()
        logs, losses = self._logs
        with np.errstate(over="ignore"):
            exponents = Balls(losses) * order
        return (
            log_of_sum(logs + exponents).interval(0.0) if math.isfinite(exponents.middle[-1]) else Interval(0.0, math.inf)
        )

    @cached_property
    def _logs(self) -> tuple[Balls, Floats]:
        """The logarithms of masses, with the losses that have some."""
        present = self.masses > 0.0
        return log(Balls(self.masses[present])), self.losses[present]

    def supremum_formula(self) -> Interval:
        if self.infinite_mass > 0.0:
            return Interval.infinite()
        top = float(self.losses[self.masses > 0.0][-1])
        return Interval(top, top)

    def analytic(self) -> type[Moments] | None:
        held = self.losses.size <= _MOST_ATOMS and float(np.max(np.abs(self.losses))) < FARTHEST
        # Masses may add up to more than 1. What those with a loss leave is taken to be without, so they must leave some.
        left = 1.0 - total(Balls(self.masses[self.losses != 0.0])) - self.infinite_mass
        return AtomMoments if held and left.lower >= 0.0 and self.infinite_mass < 0.5 else None

    def finite_atoms(self) -> tuple[Balls, Balls]:
        """The values and their masses given that none is infinite, each with what is not known of it."""
        return self.atoms.given_finite()

    @property
    def atoms(self) -> Atoms:
        """The values with their masses."""
        lost = self.infinite_formula()
        return Atoms(self.losses, self.masses, Balls.rounded(self.masses, 8.0).radii, lost, lost, grain=0.0)

    def cells(self, edges: Floats) -> Cells:
        return atom_cells(edges, self.losses, self.masses, Balls.rounded(self.masses, 8.0).radii, self.infinite_formula())


def _lower_hull(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """The corners of the greatest convex function below all points that does not increase."""
    hull: list[tuple[float, float]] = []
    for k in np.lexsort((y, x)).tolist():
        point = (float(x[k]), float(y[k]))
        if hull and point[1] >= hull[-1][1]:
            continue
        while len(hull) >= 2 and _above(hull[-2], hull[-1], point):
            hull.pop()
        hull.append(point)
    corners = np.array(hull)
    return corners[:, 0], corners[:, 1]


def _above(left: tuple[float, float], middle: tuple[float, float], right: tuple[float, float]) -> bool:
    """Whether the middle point lies on or above the line between its neighbours."""
    return (middle[1] - left[1]) * (right[0] - middle[0]) >= (right[1] - middle[1]) * (middle[0] - left[0])
