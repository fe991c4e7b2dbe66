"""A yes-or-no answer that is kept or flipped by a coin, whose bias is said in one of two ways, and which can be run.

There are two answers, 0 and 1, and nothing in between: whoever runs it on anything else runs something else.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from attrs import field, frozen

from accountant import fields
from accountant.loss import NO_LOSS, FiniteLoss, Floats, PrivacyLoss
from accountant.plugin import ConformanceCase, Mechanism, MechanismCase, MechanismOracle, Shift, Theorem, hookimpl
from tests.laws.honest import proved

if TYPE_CHECKING:
    from numpy.random import Generator

LOSS = Theorem(
    **proved(__name__, "yes-or-no-loss", "A kept answer has the odds of being kept."), relations=("replace-one",)
)


@frozen
class YesOrNo(Mechanism):
    """A yes-or-no answer that is kept with some chance, or with some odds."""

    kind: ClassVar[str] = "yes-or-no"
    theorem: ClassVar[Theorem] = LOSS
    needs_query: ClassVar[bool] = False
    relations: ClassVar[tuple[str, ...] | None] = ("replace-one",)
    alternatives: ClassVar[tuple[str, ...]] = ("bias", "odds")

    bias: Fraction | None = field(
        default=None,
        converter=fields.optional_exact,
        validator=[fields.at_least("1/2"), fields.below(1)],
        metadata=fields.about("the chance that an answer is kept"),
    )
    odds: Fraction | None = field(
        default=None,
        converter=fields.optional_exact,
        validator=fields.at_least(1),
        metadata=fields.about("how many times as likely an answer is kept as flipped"),
    )

    @property
    def kept(self) -> Fraction:
        """The chance that an answer is kept, whichever was given."""
        if self.bias is not None:
            return self.bias
        assert self.odds is not None
        return self.odds / (1 + self.odds)

    def loss(self, shift: Shift) -> PrivacyLoss:
        if self.kept == Fraction(1, 2):
            return NO_LOSS
        return FiniteLoss([(self.kept, 1 - self.kept), (1 - self.kept, self.kept)])

    def simulate(self, answers: Floats, generator: Generator) -> Floats:
        kept = generator.random(answers.shape) < float(self.kept)
        found: Floats = np.where(kept, answers, 1.0 - answers)
        return found


@hookimpl
def accountant_mechanisms() -> Iterable[type[Mechanism]]:
    return (YesOrNo,)


@hookimpl
def accountant_conformance_cases() -> Iterable[ConformanceCase]:
    pair = FiniteLoss([("3/5", "2/5"), ("2/5", "3/5")])
    yield MechanismCase("a weak coin", YesOrNo(bias="3/5"), Shift.along([1]), (pair,))
    yield MechanismOracle(
        "yes-or-no",
        law=lambda coin, answer: {int(answer): coin.kept, 1 - int(answer): 1 - coin.kept},
        answers=lambda coin: (0, 1),
    )
