"""Noise in steps of one half, each further step less likely by the same factor: Laplace noise for those who print halves.

The answer is a whole number a. The output is a + k/2 with a chance of (1 - r)/(1 + r) r^|k|. Where the answer moves by a
whole number m, the two laws are the same up to 2m steps, and outputs beyond both answers can be taken together, since
their odds are constant there. The noise is log-concave, so that a smaller move loses no more; coordinates have noise of
their own.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from typing import ClassVar

from attrs import field, frozen

from accountant import ShiftError, fields
from accountant.loss import FiniteLoss, PrivacyLoss, compose
from accountant.plugin import ConformanceCase, Mechanism, MechanismCase, MechanismOracle, Shift, Theorem, hookimpl
from tests.laws.honest import proved

LOSS = Theorem(**proved(__name__, "halves-loss", "Noise in halves loses what two laws of it lose that are so far apart."))


@frozen
class Halves(Mechanism):
    """Two-sided noise in steps of one half."""

    kind: ClassVar[str] = "halves"
    theorem: ClassVar[Theorem] = LOSS

    ratio: Fraction = field(
        converter=fields.exact,
        validator=[fields.above(0), fields.below(1)],
        metadata=fields.about("how many times as likely the noise is with every further step"),
    )

    def loss(self, shift: Shift) -> PrivacyLoss:
        if shift.coordinates is None or not shift.whole:
            raise ShiftError(f"'{self.kind}' is for answers known to move by whole numbers, but the query moves {shift}")
        return compose((FiniteLoss(self._pair(2 * abs(move.numerator))), 1) for move in shift.coordinates)

    def _pair(self, steps: int) -> list[tuple[Fraction, Fraction]]:
        near, far = 1 / (1 + self.ratio), self.ratio**steps / (1 + self.ratio)
        step = (1 - self.ratio) / (1 + self.ratio)
        middle = [(step * self.ratio**k, step * self.ratio ** (steps - k)) for k in range(1, steps)]
        return [(near, far), *middle, (far, near)]


@hookimpl
def accountant_mechanisms() -> Iterable[type[Mechanism]]:
    return (Halves,)


@hookimpl
def accountant_conformance_cases() -> Iterable[ConformanceCase]:
    # Chances in thirds: 1/3 for no noise, and half as much with every further half.
    pair = FiniteLoss([("2/3", "1/6"), ("1/6", "1/6"), ("1/6", "2/3")])
    yield MechanismCase("one coordinate in halves", Halves("1/2"), Shift.along([1]), (pair,))
    # Eight halves apart: at most the first answer, or above it.
    far = FiniteLoss([("2/3", "1/384"), ("1/3", "383/384")])
    yield MechanismCase("four in halves", Halves("1/2"), Shift.along([4]), (pair, far))
    yield MechanismCase("two coordinates in halves", Halves("1/2"), Shift.along([1, 1]), (pair.times(pair),))
    yield MechanismOracle("halves", tail=tail, answers=lambda noise: range(-6, 7))


def tail(noise: Halves, answer: Fraction, threshold: Fraction) -> Fraction:
    """The chance of more than a threshold: of at least the next half."""
    steps = math.floor(2 * (threshold - answer)) + 1
    if steps <= 0:
        return 1 - tail(noise, Fraction(0), Fraction(-steps, 2))
    return noise.ratio**steps / (1 + noise.ratio)
