"""The loss of randomised response, with a chance of losing everything: the worst case of (epsilon, delta)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
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
from accountant.numbers.interval import Interval
from accountant.numbers.rounding import Ball, Balls, exp, expm1, log, log1p, nearest, raised, tanh
from accountant.numbers.rounding.direction import LARGEST

_LARGEST_ANALYTIC = Fraction(300)


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

    @cached_property
    def _known(self) -> _Known:
        return _Known.of(self.epsilon_parameter, self.delta_parameter)

    def delta_formula(self, epsilon: float) -> Interval:
        known = self._known
        edge = known.edge
        if epsilon >= edge.upper:
            return known.lost
        if -epsilon > edge.lower:
            rest = -expm1(Ball(epsilon))
        else:
            # Two steps, so that the difference is known up to a share of itself.
            rest = -expm1(Ball(epsilon) - known.near - known.rest) / known.whole
        if known.lost.exact:
            rest = known.delta + known.kept * rest
        return rest.interval(0.0, 1.0)

    def anchor(self) -> float:
        return nearest(self.epsilon_parameter)

    def _epsilon_at(self, target: Fraction, least: float = 0.0) -> Interval:
        """Exact where the target is the chance of losing everything; one logarithm otherwise."""
        known = self._known
        spare = target - self.delta_parameter if self.delta_parameter else target
        if spare.numerator <= 0:
            return known.edge if spare == 0 else Interval.infinite()
        share = Ball.of(spare) / known.kept if self.delta_parameter else Ball.of(spare)
        epsilon, kept = known.epsilon, 1.0 - share * known.whole
        if kept.lower > 0.0:
            return (epsilon + log(kept)).interval(0.0)
        return Interval(0.0, max(0.0, (epsilon + log(Ball(kept.upper))).upper) if kept.upper > 0.0 else 0.0)

    def finite_atoms(self) -> tuple[Balls, Balls]:
        """Both values and their masses given that neither is infinite, each with what is not known of it."""
        return self.atoms.given_finite()

    def analytic(self) -> type[Moments] | None:
        return ResponseMoments if self.epsilon_parameter <= _LARGEST_ANALYTIC else None

    def log_moment_formula(self, order: float) -> Interval:
        """log cosh((order + 1/2) epsilon) - log cosh(epsilon/2), written without cancellation."""
        if self.delta_parameter:
            return Interval.infinite()
        if not self.epsilon_parameter:
            return Interval.of(0)
        known = self._known
        epsilon = known.epsilon
        turn, beyond = order * epsilon, (Ball(order) + 1.0) * epsilon
        if turn.middle == math.inf:
            return Interval(LARGEST, math.inf)
        if turn.middle > 30.0:
            return (turn + log1p(exp(-turn - beyond)) - log1p(known.fall)).interval(0.0)
        growth = expm1(turn) * -expm1(-beyond)
        return log1p(growth / known.whole).interval(0.0)

    def supremum_formula(self) -> Interval:
        return Interval.infinite() if self.delta_parameter else self._known.edge

    def infinite_formula(self) -> Interval:
        return self._known.lost

    def concentration_formula(self) -> Interval:
        """epsilon tanh(epsilon/2), the limit at order 1.

        With s = order - 1/2 the ratio Renyi/order is the slope of log cosh(epsilon sqrt w) between w = 1/4 and w = s^2,
        and that function is concave in w because tanh(x)/x decreases: the slope is largest where s tends to 1/2.
        """
        if self.delta_parameter:
            return Interval.infinite()
        if not self.epsilon_parameter:
            return Interval.of(0)
        epsilon = self._known.epsilon
        return (epsilon * tanh(0.5 * epsilon)).interval(0.0)

    @cached_property
    def atoms(self) -> Atoms:
        """The values with their masses."""
        known = self._known
        reach = min(nearest(self.epsilon_parameter), 1e300)
        common = known.kept / known.whole
        masses = Balls.of([common * known.fall, common])
        lost = Interval(known.lost.lower, known.lost.upper)
        return Atoms(np.array([-reach, reach]), masses.middle, masses.radii, lost, lost, grain=0.0)

    def cells(self, edges: Floats) -> Cells:
        atoms = self.atoms
        return atom_cells(edges, atoms.losses, atoms.masses, atoms.errors, atoms.infinite)


@frozen(eq=False)
class _Known:
    """What every reading of a response asks for: epsilon in two parts, e^-epsilon, 1 + e^-epsilon, and the chances."""

    edge: Interval
    lost: Interval
    epsilon: Ball
    near: float
    rest: Ball
    fall: Ball
    whole: Ball
    delta: Ball
    kept: Ball

    @classmethod
    def of(cls, epsilon: Fraction, delta: Fraction) -> _Known:
        held, near = _held(epsilon), nearest(epsilon)
        fall = exp(-held)
        return cls(
            edge=Interval.of(epsilon),
            lost=Interval.of(delta),
            epsilon=held,
            near=near,
            rest=Ball(0.0) if held.radius == 0.0 else _held(epsilon - Fraction(near)),
            fall=fall,
            whole=fall + 1.0,
            delta=Ball.of(delta),
            kept=Ball.of(1 - delta) if delta else Ball(1.0),
        )


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

    @cached_property
    def _falls(self) -> Balls:
        """e^-epsilon of each loss."""
        return exp(-Balls.rounded(self.epsilons))

    def log_moments(self, points: Complexes) -> tuple[Complexes, Floats]:
        if float(self.epsilons.max()) * float(points.real.max()) > 300.0:
            raise OverflowError("a response times the order is too large")
        # Epsilon is rounded once, and so are both parts of the product.
        fall, turn = self._falls, Balls.rounded(self.epsilons * points, 2.0)
        moments = (expm1(turn) + expm1(-turn) * fall) / (fall + 1.0)
        return log_of_moments(moments.middle, moments.radii)

    def deviations(self, tilt: float) -> Floats:
        """Half the distance of the two values."""
        return raised(self.epsilons[:, 0], 1.0)

    def falls(self, tilt: float, height: float) -> Floats:
        """The size of a lattice's transform returns to 1."""
        return np.zeros(self.epsilons.size)


def _held(value: Fraction) -> Ball:
    """A number in the range of doubles; one that is out of range becomes the largest, which functions do not tell apart."""
    ball = Ball.of(value)
    return ball if ball.radius < math.inf else Ball.rounded(nearest(value))
