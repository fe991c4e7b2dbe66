"""The loss of randomised response, with a chance of losing everything: the worst case of (epsilon, delta)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Self

import numpy as np
from attrs import field, frozen

from accountant.fields import at_least, at_most, exact
from accountant.loss.families.atomic import Atoms
from accountant.loss.families.atomic_cells import atom_cells
from accountant.loss.readings.arrays import Complexes, Floats
from accountant.loss.readings.base import Cells, PrivacyLoss
from accountant.loss.readings.moments import Moments, log_of_moments
from accountant.numbers.exact import plain
from accountant.numbers.interval import Interval, float_above, float_below
from accountant.numbers.rounding import Ball, Balls, down, exp, expm1, linear, log, log1p, nearest, tanh

_LARGEST_ANALYTIC = Fraction(300)
_LARGEST = down(math.inf)


@frozen
class ResponseLoss(PrivacyLoss):
    """+infinity with probability delta; otherwise +epsilon with probability e^epsilon/(1 + e^epsilon), else -epsilon."""

    epsilon_parameter: Fraction = field(converter=exact, validator=at_least(0), alias="epsilon")
    delta_parameter: Fraction = field(
        default=Fraction(0), converter=exact, validator=(at_least(0), at_most(1)), alias="delta"
    )

    def __str__(self) -> str:
        kept = f"randomised response with epsilon = {plain(self.epsilon_parameter)}"
        if not self.delta_parameter:
            return kept
        return f"{kept} that gives everything away with chance {plain(self.delta_parameter)}"

    def reverse(self) -> PrivacyLoss:
        return self

    def step(self) -> Fraction | None:
        return self.epsilon_parameter or None

    def lattice(self) -> Fraction | None:
        return self.step()

    def window(self, log_tail: float) -> tuple[float, float]:
        reach = nearest(self.epsilon_parameter)
        return -reach, reach

    def delta_formula(self, epsilon: float) -> Interval:
        edge, point = self.epsilon_parameter, Fraction(epsilon)
        if point >= edge:
            return Interval.of(self.delta_parameter)
        below = point < -edge
        rest = -expm1(Ball(epsilon) if below else _held(point - edge))
        rest = rest if below else rest / (exp(_held(-edge)) + 1.0)
        if not self.delta_parameter:
            return rest.interval(0.0, 1.0)
        return (Ball.of(self.delta_parameter) + Ball.of(1 - self.delta_parameter) * rest).interval(0.0, 1.0)

    def anchor(self) -> float:
        return nearest(self.epsilon_parameter)

    def _epsilon_at(self, target: Fraction, least: float = 0.0) -> Interval:
        """Exact where the target is the chance of losing everything; one logarithm otherwise."""
        spare = target - self.delta_parameter
        if spare < 0:
            return Interval.infinite()
        if spare == 0:
            return Interval.of(self.epsilon_parameter)
        epsilon = _held(self.epsilon_parameter)
        kept = 1.0 - Ball.of(spare / (1 - self.delta_parameter)) * (exp(-epsilon) + 1.0)
        if kept.lower > 0.0:
            return (epsilon + log(kept)).interval(0.0)
        return Interval(0.0, max(0.0, (epsilon + log(Ball(kept.upper))).upper) if kept.upper > 0.0 else 0.0)

    def analytic(self) -> type[Moments] | None:
        return ResponseMoments if self.epsilon_parameter <= _LARGEST_ANALYTIC else None

    def log_moment_formula(self, order: float) -> Interval:
        """log cosh((order + 1/2) epsilon) - log cosh(epsilon/2), written without cancellation."""
        if self.delta_parameter:
            return Interval.infinite()
        if not self.epsilon_parameter:
            return Interval.of(0)
        epsilon = _held(self.epsilon_parameter)
        turn, beyond = order * epsilon, (Ball(order) + 1.0) * epsilon
        if turn.middle == math.inf:
            return Interval(_LARGEST, math.inf)
        if turn.middle > 30.0:
            return (turn + log1p(exp(-turn - beyond)) - log1p(exp(-epsilon))).interval(0.0)
        growth = expm1(turn) * -expm1(-beyond)
        return log1p(growth / (exp(-epsilon) + 1.0)).interval(0.0)

    def supremum_formula(self) -> Interval:
        return Interval.infinite() if self.delta_parameter else Interval.of(self.epsilon_parameter)

    def infinite_formula(self) -> Interval:
        return Interval.of(self.delta_parameter)

    def concentration_formula(self) -> Interval:
        """epsilon tanh(epsilon/2), the limit at order 1.

        With s = order - 1/2 the ratio Renyi/order is the slope of log cosh(epsilon sqrt w) between w = 1/4 and w = s^2,
        and that function is concave in w because tanh(x)/x decreases: the slope is largest where s tends to 1/2.
        """
        if self.delta_parameter:
            return Interval.infinite()
        if not self.epsilon_parameter:
            return Interval.of(0)
        epsilon = _held(self.epsilon_parameter)
        return (epsilon * tanh(0.5 * epsilon)).interval(0.0)

    @property
    def atoms(self) -> Atoms:
        """The values with their masses."""
        epsilon = min(nearest(self.epsilon_parameter), 1e300)
        fall = exp(-_held(self.epsilon_parameter))
        common = Ball.of(1 - self.delta_parameter) / (fall + 1.0)
        masses = Balls.of([common * fall, common])
        lost = Interval(float_below(self.delta_parameter), float_above(self.delta_parameter))
        return Atoms(np.array([-epsilon, epsilon]), masses.middle, masses.radii, lost, lost)

    def cells(self, edges: Floats) -> Cells:
        atoms = self.atoms
        return atom_cells(edges, atoms.losses, atoms.masses, atoms.errors, atoms.infinite)


@frozen(eq=False)
class ResponseMoments(Moments):
    """Log moments log(1 + (e^(z epsilon) - 1 + e^-epsilon (e^(-z epsilon) - 1))/(1 + e^-epsilon))."""

    epsilons: Floats

    @classmethod
    def of(cls, losses: Sequence[ResponseLoss]) -> Self:
        return cls(np.array([float(loss.epsilon_parameter) for loss in losses])[:, None])

    @property
    def work(self) -> int:
        return self.epsilons.size

    def log_moments(self, points: Complexes) -> tuple[Complexes, Floats]:
        if float(self.epsilons.max()) * float(points.real.max()) > 300.0:
            raise OverflowError("a response times the order is too large")
        epsilons = Balls.rounded(self.epsilons)
        turn, rest = epsilons * points, exp(-epsilons)
        moments = linear((expm1(turn), 1.0), (rest, expm1(-turn))) / (rest + 1.0)
        return log_of_moments(moments.middle, moments.radii)

    def deviations(self, tilt: float) -> Floats:
        """Half the distance of the two values."""
        return Balls.rounded(self.epsilons[:, 0]).upper

    def falls(self, tilt: float, height: float) -> Floats:
        """The size of a lattice's transform returns to 1."""
        return np.zeros(self.epsilons.size)


def _held(value: Fraction) -> Ball:
    """A number in the range of doubles; one that is out of range becomes the largest, which functions do not tell apart."""
    return Ball.of(value) if abs(value) < 2**1000 else Ball.rounded(nearest(value))
