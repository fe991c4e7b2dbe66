"""The loss of staircase noise on one coordinate: whole multiples of epsilon."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise
from typing import ClassVar

import numpy as np
from attrs import field, frozen

from accountant import Interval, fields
from accountant.loss import AtomicLoss, Atoms
from accountant.numbers.rounding import Balls

_UNDERFLOW = 800.0

Levels = dict[int, list[tuple[float, int]]]


@frozen(cache_hash=True)
class StaircaseLoss(AtomicLoss):
    """The loss of staircase noise when the answer moves by `move` steps.

    Definition: epsilon (h(|x - move|) - h(|x|)), where h(y) is how many of gamma, gamma + 1, gamma + 2, ... are at most y,
    and x has a density proportional to e^(-epsilon h(|x|)). The pair is symmetric: x and move - x have the same density
    under exchanged laws.
    """

    symmetric: ClassVar[bool] = True

    epsilon_parameter: Fraction = field(converter=fields.exact, validator=fields.above(0), alias="epsilon")
    gamma: Fraction = field(converter=fields.exact, validator=[fields.above(0), fields.at_most(1)])
    move: Fraction = field(converter=fields.exact, validator=fields.above(0))

    def step(self) -> Fraction:
        return self.epsilon_parameter

    def lattice(self) -> Fraction:
        return self.epsilon_parameter

    def supremum_formula(self) -> Interval:
        """As many stairs as fit into the move are passed somewhere on the far side of the answer."""
        return Interval.of(self.epsilon_parameter * math.ceil(self.move))

    def find_atoms(self) -> Atoms:
        epsilon = float(self.epsilon_parameter)
        fall = math.exp(-epsilon)
        whole = 0.5 / (float(self.gamma) + fall * float(1 - self.gamma))
        # The density of the highest stair, and all that lies left of -gamma: a geometric series.
        top, far = -math.expm1(-epsilon) * whole, Fraction(fall * whole)
        beyond = self.move % 1
        steps = {math.ceil(self.move): beyond or Fraction(1), math.floor(self.move): 1 - beyond}
        rows = []
        for level, parts in self._levels().items():
            drops = [min(epsilon * stairs, _UNDERFLOW) for _, stairs in parts]
            terms = [length * top * math.exp(-drop) for (length, _), drop in zip(parts, drops, strict=True)]
            mass = math.fsum([*terms, float(steps.get(level, Fraction(0)) * far)])
            # The three factors and the sum round at most 64 times; an exponent, twice, is felt as often as it is large, in
            # the geometric series too.
            farthest = min(epsilon, _UNDERFLOW) if steps.get(level) else 0.0
            doubt = 64.0 + 8.0 * max(drops, default=0.0) + 8.0 * farthest
            if level == 0:
                rows.append((0, 2.0 * mass, doubt))
            else:
                # The opposite loss has e^-loss of the mass.
                below = min(epsilon * level, _UNDERFLOW)
                rows += [(level, mass, doubt), (-level, mass * math.exp(-below), doubt + 16.0 + 8.0 * below)]
        levels, masses, doubts = (np.array(column, dtype=np.float64) for column in zip(*sorted(rows), strict=True))
        errors = Balls.evaluated(masses, 1.0, masses * doubts).radii
        return Atoms(epsilon * levels, masses, errors, grain=0.0)

    def _levels(self) -> Levels:
        """For each loss that is not negative, in multiples of epsilon, the parts between -gamma and move/2 that have it.

        A part is a length and how many stairs down its density is. Places are whole numbers of so small a unit that the
        middles of parts are whole numbers too.
        """
        unit = 4 * math.lcm(self.gamma.denominator, self.move.denominator)
        gamma, move = int(unit * self.gamma), int(unit * self.move)

        def passed(place: int) -> int:
            """How many stairs are passed on the way from 0 to a place."""
            return max(0, (place - gamma) // unit + 1)

        levels: Levels = {level: [] for level in (math.floor(self.move), math.ceil(self.move))}
        stairs = range(gamma, move // 2, unit)
        mirrored = range(move - gamma, -gamma, -unit)
        for left, right in pairwise(sorted({-gamma, move // 2, *stairs, *(cut for cut in mirrored if cut < move // 2)})):
            middle = (left + right) // 2
            # Around 0 the density is that of the highest stair on both sides.
            down = passed(abs(middle))
            levels.setdefault(passed(move - middle) - down, []).append(((right - left) / unit, down))
        return levels
