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
from accountant.loss.readings.base import ROUNDOFF, TINY, Cells, PrivacyLoss
from accountant.loss.readings.moments import Moments, expm1, log_of_moments
from accountant.numbers.exact import plain
from accountant.numbers.interval import Interval, float_above, float_below

_ERROR = 32 * ROUNDOFF
_LARGEST_ANALYTIC = Fraction(300)
_LARGEST = math.nextafter(math.inf, 0.0)


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
        reach = _double(self.epsilon_parameter)
        return -reach, reach

    def delta_formula(self, epsilon: float) -> Interval:
        edge, point = self.epsilon_parameter, Fraction(epsilon)
        if point >= edge:
            return Interval.of(self.delta_parameter)
        if point >= -edge:
            rest = -math.expm1(_double(point - edge)) / (1.0 + math.exp(-_double(edge)))
        else:
            rest = -math.expm1(epsilon)
        value = float(self.delta_parameter) + float(1 - self.delta_parameter) * rest
        return Interval.around(value, value * _ERROR + TINY).clamp(0.0, 1.0)

    def anchor(self) -> float:
        return _double(self.epsilon_parameter)

    def _epsilon_at(self, target: Fraction, least: float = 0.0) -> Interval:
        """Exact where the target is the chance of losing everything; one logarithm otherwise."""
        spare = target - self.delta_parameter
        if spare < 0:
            return Interval.infinite()
        if spare == 0:
            return Interval.of(self.epsilon_parameter)
        epsilon = _double(self.epsilon_parameter)
        fall = float(spare / (1 - self.delta_parameter)) * (1.0 + math.exp(-epsilon))
        rest = [1.0 - fall * (1.0 + direction * _ERROR) for direction in (1.0, -1.0)]
        low, high = (epsilon + math.log(part) if part > 0.0 else 0.0 for part in rest)
        doubt = _ERROR * (1.0 + epsilon)
        return Interval(max(0.0, low - doubt), max(0.0, high + doubt))

    def analytic(self) -> type[Moments] | None:
        return ResponseMoments if self.epsilon_parameter <= _LARGEST_ANALYTIC else None

    def log_moment_formula(self, order: float) -> Interval:
        """log cosh((order + 1/2) epsilon) - log cosh(epsilon/2), written without cancellation."""
        if self.delta_parameter:
            return Interval.infinite()
        if not self.epsilon_parameter:
            return Interval.of(0)
        epsilon = _double(self.epsilon_parameter)
        if order * epsilon == math.inf:
            return Interval(_LARGEST, math.inf)
        if order * epsilon > 30.0:
            tail = math.log1p(math.exp(-(1.0 + 2.0 * order) * epsilon)) - math.log1p(math.exp(-epsilon))
            value = order * epsilon + tail
        else:
            growth = math.expm1(order * epsilon) * -math.expm1(-(1.0 + order) * epsilon)
            value = math.log1p(growth / (1.0 + math.exp(-epsilon)))
        return Interval.around(value, value * _ERROR + TINY).clamp(0.0, math.inf)

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
        epsilon = _double(self.epsilon_parameter)
        value = epsilon * math.tanh(0.5 * epsilon)
        return Interval.around(value, value * _ERROR + TINY).clamp(0.0, math.inf)

    @property
    def atoms(self) -> Atoms:
        """The values with their masses."""
        epsilon = min(_double(self.epsilon_parameter), 1e300)
        chance = float(1 - self.delta_parameter)
        masses = chance / np.array([1.0 + math.exp(min(epsilon, 709.0)), 1.0 + math.exp(-epsilon)])
        lost = Interval(float_below(self.delta_parameter), float_above(self.delta_parameter))
        return Atoms(np.array([-epsilon, epsilon]), masses, masses * _ERROR + TINY, lost, lost)

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
        turn, rest = self.epsilons * points, np.exp(-self.epsilons)
        up, down = expm1(turn), rest * expm1(-turn)
        error = 32 * ROUNDOFF * (np.abs(up) + np.abs(down) + np.abs(turn) * np.abs(1.0 + up))
        return log_of_moments((up + down) / (1.0 + rest), error)

    def deviations(self, tilt: float) -> Floats:
        """Half the distance of the two values."""
        return self.epsilons[:, 0] * (1.0 + 8 * ROUNDOFF)

    def falls(self, tilt: float, height: float) -> Floats:
        """The size of a lattice's transform returns to 1."""
        return np.zeros(self.epsilons.size)


def _double(value: Fraction) -> float:
    """The nearest double; what is out of range becomes the largest."""
    return max(-_LARGEST, min(_LARGEST, float_below(value) if abs(value) > 2**1000 else float(value)))
