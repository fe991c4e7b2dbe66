"""Unary encodings: one bit for each category, all of them noisy."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

from attrs import field, frozen

from accountant import Theorem, fields, loss as losses
from accountant.plugin import Mechanism, Shift
from accountant_response.one_report import REPLACED, changed_answers

if TYPE_CHECKING:
    from numpy.random import Generator

    from accountant.loss import Floats, PrivacyLoss

UNARY = Theorem(
    "unary-encoding-loss",
    "Between any two categories two bits differ, and each is a randomised response of epsilon/2.",
    "accountant",
    "reference/mechanisms/unary-encoding",
    ("every unit reports exactly once", "each bit is drawn independently", "exactly one bit is set before the noise"),
    "proved-here",
    relations=REPLACED,
)
OPTIMISED_UNARY = Theorem(
    "optimised-unary-encoding-loss",
    "Between any two categories a report loses what randomised response of epsilon loses with chance one half, and nothing "
    "otherwise.",
    "accountant",
    "reference/mechanisms/optimised-unary-encoding",
    ("every unit reports exactly once", "each bit is drawn independently", "exactly one bit is set before the noise"),
    "proved-here",
    relations=REPLACED,
)


@frozen
class UnaryEncoding(Mechanism):
    """A bit for each category, set for the true one; each is kept with probability e^(epsilon/2)/(1 + e^(epsilon/2))."""

    kind: ClassVar[str] = "unary-encoding"
    theorem: ClassVar[Theorem] = UNARY
    needs_query: ClassVar[bool] = False
    relations: ClassVar[tuple[str, ...] | None] = REPLACED

    epsilon: Fraction = field(
        converter=fields.exact,
        validator=fields.above(0),
        metadata=fields.about("what all bits together lose at most; each is kept with log odds epsilon/2"),
    )

    def loss(self, shift: Shift) -> PrivacyLoss:
        return losses.compose([(losses.ResponseLoss(self.epsilon / 2), 2 * changed_answers(self.kind, shift))])

    def simulate(self, answers: Floats, generator: Generator) -> Floats:
        fall = math.exp(-self.epsilon / 2)
        return _bits(answers, 1.0 / (1.0 + fall), fall / (1.0 + fall), generator)


@frozen
class OptimisedUnaryEncoding(Mechanism):
    """A bit for each category: the true one's is set with probability 1/2, every other one with 1/(1 + e^epsilon)."""

    kind: ClassVar[str] = "optimised-unary-encoding"
    theorem: ClassVar[Theorem] = OPTIMISED_UNARY
    needs_query: ClassVar[bool] = False
    relations: ClassVar[tuple[str, ...] | None] = REPLACED

    epsilon: Fraction = field(
        converter=fields.exact,
        validator=fields.above(0),
        metadata=fields.about("what all bits together lose at most: the log odds that a false bit is not set"),
    )

    def loss(self, shift: Shift) -> PrivacyLoss:
        count = changed_answers(self.kind, shift)
        from accountant_response.partial_response_loss import PartialResponseLoss

        return losses.compose([(PartialResponseLoss.of(self.epsilon, Fraction(1), Fraction(1)), count)])

    def simulate(self, answers: Floats, generator: Generator) -> Floats:
        fall = math.exp(-self.epsilon)
        return _bits(answers, 0.5, fall / (1.0 + fall), generator)


def _bits(answers: Floats, true: float, false: float, generator: Generator) -> Floats:
    """The bits of the categories 0 and 1, set with one chance or the other. All others have one law whatever the answer."""
    is_true = answers[..., None] == [0.0, 1.0]
    bits: Floats = 1.0 * (generator.random(is_true.shape) < false + (true - false) * is_true)
    return bits.reshape(len(answers), -1)
