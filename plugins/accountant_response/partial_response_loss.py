"""The loss of a report that tells two answers apart only sometimes."""

from __future__ import annotations

from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, localcontext
from fractions import Fraction

import numpy as np
from attrs import field, frozen

from accountant import Interval, PrivacyLoss, fields
from accountant.loss import NO_LOSS, AtomicLoss, Atoms, ResponseLoss
from accountant.numbers.rounding import Balls

_DIGITS = Context(prec=40, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[])


@frozen(cache_hash=True)
class PartialResponseLoss(AtomicLoss):
    """The losses epsilon, 0 and -epsilon, with masses in the proportion e^epsilon : high e^epsilon + low : 1.

    It is randomised response, and otherwise silence, whatever the answer; so the pair is symmetric.
    """

    symmetric = True

    epsilon_parameter: Fraction = field(converter=fields.exact, validator=fields.above(0), alias="epsilon")
    high: Fraction = field(converter=fields.exact, validator=fields.at_least(0))
    low: Fraction = field(converter=fields.exact, validator=fields.at_least(0))

    @classmethod
    def of(cls, epsilon: Fraction, high: Fraction, low: Fraction) -> PrivacyLoss:
        """The same loss in the simplest family that holds it."""
        return cls(epsilon, high, low) if high or low else ResponseLoss(epsilon)

    @classmethod
    def of_subsets(cls, categories: int, size: int, epsilon: Fraction) -> PrivacyLoss:
        """The loss of a subset of categories that has the true one with odds that are e^epsilon times those of chance."""
        rest = categories - size
        return cls.of(epsilon, Fraction(size - 1, rest), Fraction(rest - 1, size)) if rest else NO_LOSS

    def find_atoms(self) -> Atoms:
        with localcontext(_DIGITS):
            fall, high, low = (-_decimal(self.epsilon_parameter)).exp(), _decimal(self.high), _decimal(self.low)
            weights = fall, high + low * fall, Decimal(1)
            masses = np.array([float(weight / sum(weights)) for weight in weights])
        epsilon = float(self.epsilon_parameter)
        # Decimals of 40 digits are rounded once.
        return Atoms(np.array([-epsilon, 0.0, epsilon]), masses, Balls.evaluated(masses, 2.0).radii)

    def step(self) -> Fraction:
        return self.epsilon_parameter

    def lattice(self) -> Fraction:
        return self.epsilon_parameter

    def supremum_formula(self) -> Interval:
        return Interval.of(self.epsilon_parameter)


def _decimal(value: Fraction) -> Decimal:
    return Decimal(value.numerator) / Decimal(value.denominator)
