"""The loss of randomised response, with a chance of losing everything: the worst case of (epsilon, delta)."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from attrs import field, frozen

from accountant.fields import at_least, at_most, exact
from accountant.interval import Interval, float_above, float_below
from accountant.loss.atoms import atom_cells
from accountant.loss.base import ROUNDOFF, Cells, Floats, PrivacyLoss

_ERROR = 32 * ROUNDOFF


@frozen
class ResponseLoss(PrivacyLoss):
    """+infinity with probability delta; otherwise +epsilon with probability e^epsilon/(1 + e^epsilon), else -epsilon."""

    epsilon_parameter: Fraction = field(converter=exact, validator=at_least(0), alias="epsilon")
    delta_parameter: Fraction = field(
        default=Fraction(0), converter=exact, validator=(at_least(0), at_most(1)), alias="delta"
    )

    def reverse(self) -> PrivacyLoss:
        return self

    def step(self) -> Fraction | None:
        return self.epsilon_parameter or None

    def window(self, log_tail: float) -> tuple[float, float]:
        reach = float(self.epsilon_parameter)
        return -reach, reach

    def delta_formula(self, epsilon: float) -> Interval:
        edge, point = self.epsilon_parameter, Fraction(epsilon)
        if point >= edge:
            return Interval.of(self.delta_parameter)
        rest = -math.expm1(float(point - edge)) / (1.0 + math.exp(-float(edge))) if point >= -edge else -math.expm1(epsilon)
        value = float(self.delta_parameter) + float(1 - self.delta_parameter) * rest
        return Interval.around(value, value * _ERROR).clamp(0.0, 1.0)

    def log_moment_formula(self, order: float) -> Interval:
        """log cosh((order + 1/2) epsilon) - log cosh(epsilon/2), written without cancellation."""
        if self.delta_parameter:
            return Interval.infinite()
        epsilon = float(self.epsilon_parameter)
        if order * epsilon > 30.0:
            tail = math.log1p(math.exp(-(1.0 + 2.0 * order) * epsilon)) - math.log1p(math.exp(-epsilon))
            value = order * epsilon + tail
        else:
            growth = math.expm1(order * epsilon) * -math.expm1(-(1.0 + order) * epsilon)
            value = math.log1p(growth / (1.0 + math.exp(-epsilon)))
        return Interval.around(value, value * _ERROR * (1.0 + order * epsilon))

    def supremum_formula(self) -> Interval:
        return Interval.infinite() if self.delta_parameter else Interval.of(self.epsilon_parameter)

    def concentration_formula(self) -> Interval:
        """epsilon tanh(epsilon/2), the limit at order 1.

        With s = order - 1/2 the ratio Renyi/order is the slope of log cosh(epsilon sqrt w) between w = 1/4 and w = s^2,
        and that function is concave in w because tanh(x)/x decreases: the slope is largest where s tends to 1/2.
        """
        if self.delta_parameter:
            return Interval.infinite()
        if not self.epsilon_parameter:
            return Interval.of(0)
        epsilon = float(self.epsilon_parameter)
        value = epsilon * math.tanh(0.5 * epsilon)
        return Interval.around(value, value * _ERROR)

    def cells(self, edges: Floats) -> Cells:
        epsilon = float(self.epsilon_parameter)
        chance = float(1 - self.delta_parameter)
        masses = np.array(
            [
                chance / (1.0 + math.exp(epsilon)) if epsilon < 700 else 0.0,
                chance / (1.0 + math.exp(-epsilon)),
            ]
        )
        infinite = Interval(float_below(self.delta_parameter), float_above(self.delta_parameter))
        return atom_cells(edges, np.array([-epsilon, epsilon]), masses, masses * _ERROR, infinite)
