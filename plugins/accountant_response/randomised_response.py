"""Randomised response: a yes-or-no answer that is sometimes flipped."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

from attrs import field, frozen

from accountant import Interval, ShiftError, Theorem, fields, loss as losses
from accountant.plugin import Mechanism, Shift

if TYPE_CHECKING:
    from numpy.random import Generator

    from accountant.loss import Floats, PrivacyLoss

RESPONSE = Theorem(
    "randomised-response-loss",
    "An answer that is kept with odds e^epsilon to 1 loses epsilon or -epsilon with the same odds.",
    "warner1965randomized",
    "Section 2",
    ("each answer is flipped independently",),
)


@frozen
class RandomisedResponse(Mechanism):
    """Yes-or-no answers, each kept with probability e^epsilon/(1 + e^epsilon) and flipped otherwise.

    Where neighbours add or remove a unit, whoever is absent must still be counted as answering: the number of answers is
    not protected.
    """

    kind: ClassVar[str] = "randomised-response"
    theorem: ClassVar[Theorem] = RESPONSE
    needs_query: ClassVar[bool] = False
    any_relation: ClassVar[bool] = True

    epsilon: Fraction = field(
        converter=fields.exact,
        validator=fields.above(0),
        metadata=fields.about("the log odds that an answer is kept"),
    )

    def loss(self, shift: Shift) -> PrivacyLoss:
        moves = shift.coordinates
        if moves is None or any(abs(move) != 1 for move in moves):
            raise ShiftError(
                f"'{self.kind}' flips yes-or-no answers, but the query moves {shift}; use it on answers that change by 1"
            )
        return losses.compose([(losses.ResponseLoss(self.epsilon), len(moves))])

    def error(self, share: Fraction) -> Interval:
        from accountant.numbers.rounding import Ball, exp

        # An answer is right or off by 1: by 0 where it is kept at least so often.
        if not 0 < share < 1:
            raise ValueError("a share is between 0 and 1")
        kept = 1.0 / (1.0 + exp(-Ball.of(self.epsilon)))
        surely, perhaps = Fraction(kept.lower) >= share, Fraction(kept.upper) >= share
        return Interval(float(not perhaps), float(not surely))

    def attained(self, shift: Shift) -> tuple[PrivacyLoss, ...]:
        return (self.loss(shift),)

    def simulate(self, answers: Floats, generator: Generator) -> Floats:
        flipped = generator.random(answers.shape) >= 1.0 / (1.0 + math.exp(-self.epsilon))
        return abs(answers - flipped)

    def log_ratio(self, outputs: Floats, first: Floats, second: Floats) -> Floats:
        ratios: Floats = (abs(outputs - first) - abs(outputs - second)).sum(axis=1) * float(self.epsilon)
        return ratios
