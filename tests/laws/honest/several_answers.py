"""One of several answers, kept with some chance and otherwise replaced by any of the others, each as likely.

With k answers and a chance c of keeping, every other answer has the chance (1 - c)/(k - 1). Between two answers all
outputs but these two are as likely on either side; they can be taken together. A missing report would be noticed.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from fractions import Fraction
from typing import ClassVar

from attrs import field, frozen

from accountant import fields
from accountant.loss import FiniteLoss, PrivacyLoss
from accountant.plugin import ConformanceCase, Mechanism, MechanismCase, MechanismOracle, Shift, Theorem, hookimpl
from tests.laws.honest import proved

LOSS = Theorem(
    **proved(__name__, "several-answers-loss", "Two answers differ in how likely they themselves are to be reported."),
    relations=("replace-one",),
)


@frozen
class SeveralAnswers(Mechanism):
    """One of several answers, kept with some chance."""

    kind: ClassVar[str] = "several-answers"
    theorem: ClassVar[Theorem] = LOSS
    needs_query: ClassVar[bool] = False
    relations: ClassVar[tuple[str, ...] | None] = ("replace-one",)

    answers: int = field(
        converter=fields.whole, validator=fields.at_least(2), metadata=fields.about("how many answers there are")
    )
    kept: Fraction = field(
        converter=fields.exact,
        validator=[fields.above(0), fields.below(1)],
        metadata=fields.about("the chance that an answer is kept"),
    )

    def loss(self, shift: Shift) -> PrivacyLoss:
        other = (1 - self.kept) / (self.answers - 1)
        return FiniteLoss([(self.kept, other), (other, self.kept), ((self.answers - 2) * other,) * 2])


@hookimpl
def accountant_mechanisms() -> Iterable[type[Mechanism]]:
    return (SeveralAnswers,)


@hookimpl
def accountant_conformance_cases() -> Iterable[ConformanceCase]:
    chances = FiniteLoss([("1/2", "1/6"), ("1/6", "1/2"), ("1/6", "1/6"), ("1/6", "1/6")])
    yield MechanismCase("four answers", SeveralAnswers(4, "1/2"), Shift.along([1]), (chances,))
    yield MechanismOracle("several-answers", law=reported, answers=lambda mechanism: range(mechanism.answers))


def reported(mechanism: SeveralAnswers, answer: Fraction) -> dict[Hashable, Fraction]:
    """Every answer with its chance."""
    others = mechanism.answers - 1
    return {k: mechanism.kept if k == answer else (1 - mechanism.kept) / others for k in range(mechanism.answers)}
