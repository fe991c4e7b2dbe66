"""Randomised response over any number of categories."""

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

K_RESPONSE = Theorem(
    "k-randomised-response-loss",
    "A category that is kept with odds e^epsilon to 1 against each other one of k loses epsilon, 0 or -epsilon, with "
    "masses in the proportion e^epsilon : k - 2 : 1.",
    "accountant",
    "reference/mechanisms/k-randomised-response",
    ("every unit reports exactly once", "each report is drawn independently"),
    "proved-here",
    relations=REPLACED,
)


@frozen
class KRandomisedResponse(Mechanism):
    """One of k categories, kept with probability e^epsilon/(e^epsilon + k - 1) and otherwise replaced by any other one."""

    kind: ClassVar[str] = "k-randomised-response"
    theorem: ClassVar[Theorem] = K_RESPONSE
    needs_query: ClassVar[bool] = False
    relations: ClassVar[tuple[str, ...] | None] = REPLACED

    categories: int = field(
        converter=fields.whole, validator=fields.at_least(1), metadata=fields.about("how many categories there are")
    )
    epsilon: Fraction = field(
        converter=fields.exact,
        validator=fields.above(0),
        metadata=fields.about("the log odds of the true category against any other one"),
    )

    def loss(self, shift: Shift) -> PrivacyLoss:
        count = changed_answers(self.kind, shift)
        from accountant_response.partial_response_loss import PartialResponseLoss

        return losses.compose([(PartialResponseLoss.of_subsets(self.categories, 1, self.epsilon), count)])

    def attained(self, shift: Shift) -> tuple[PrivacyLoss, ...]:
        return (self.loss(shift),)

    def simulate(self, answers: Floats, generator: Generator) -> Floats:
        replaced = generator.random(answers.shape) >= 1.0 / (1.0 + (self.categories - 1) * math.exp(-self.epsilon))
        others = generator.integers(1, max(self.categories, 2), answers.shape)
        reports: Floats = (answers + replaced * others) % self.categories
        return reports
