"""Noise in whole steps on whole answers, of which an author writes the tail down exactly, as a power.

The noise is k with a chance of (1 - r)/(1 + r) r^|k|, so that it is at least d >= 0 with r^d/(1 + r). Where
the answer moves by m, outputs beyond both answers have constant odds and can be taken together. The noise is log-concave,
so that a smaller move loses no more; coordinates have noise of their own.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from typing import ClassVar

from attrs import field, frozen

from accountant import ShiftError, fields
from accountant.loss import FiniteLoss, PrivacyLoss, compose
from accountant.plugin import ConformanceCase, Mechanism, MechanismOracle, Shift, Theorem, hookimpl
from tests.laws.honest import proved

LOSS = Theorem(**proved(__name__, "whole-steps-loss", "Noise in steps loses what two laws so far apart lose."))


@frozen
class WholeSteps(Mechanism):
    """Two-sided noise in whole steps."""

    kind: ClassVar[str] = "whole-steps"
    theorem: ClassVar[Theorem] = LOSS

    ratio: Fraction = field(
        converter=fields.exact,
        validator=[fields.above(0), fields.below(1)],
        metadata=fields.about("how many times as likely the noise is with every further step"),
    )

    def loss(self, shift: Shift) -> PrivacyLoss:
        if shift.coordinates is None or not shift.whole:
            raise ShiftError(f"'{self.kind}' is for answers known to move by whole numbers, but the query moves {shift}")
        return compose((FiniteLoss(self._pair(abs(move.numerator))), 1) for move in shift.coordinates)

    def _pair(self, steps: int) -> list[tuple[Fraction, Fraction]]:
        near, far = 1 / (1 + self.ratio), self.ratio**steps / (1 + self.ratio)
        step = (1 - self.ratio) / (1 + self.ratio)
        middle = [(step * self.ratio**k, step * self.ratio ** (steps - k)) for k in range(1, steps)]
        return [(near, far), *middle, (far, near)]


def tail(noise: WholeSteps, answer: Fraction, threshold: Fraction) -> Fraction:
    """The chance of more than a threshold: of at least the next whole number."""
    steps = math.floor(threshold) + 1 - int(answer)
    if steps >= 0:
        return noise.ratio**steps / (1 + noise.ratio)
    return 1 - noise.ratio ** (1 - steps) / (1 + noise.ratio)


@hookimpl
def accountant_mechanisms() -> Iterable[type[Mechanism]]:
    return (WholeSteps,)


@hookimpl
def accountant_conformance_cases() -> Iterable[ConformanceCase]:
    yield MechanismOracle("whole-steps", tail=tail, answers=lambda noise: range(-6, 7))
