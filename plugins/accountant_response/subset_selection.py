"""Subset selection: a random set of categories that has the true one more often than chance would."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

from attrs import field, frozen

from accountant import InvalidValue, Theorem, fields, loss as losses
from accountant.plugin import Mechanism, Shift
from accountant_response.one_report import REPLACED, changed_answers

if TYPE_CHECKING:
    from numpy.random import Generator

    from accountant.loss import Floats, PrivacyLoss

SUBSET = Theorem(
    "subset-selection-loss",
    "A subset of s of k categories that has the true one with odds s e^epsilon to k - s, and is uniform otherwise, loses "
    "epsilon, 0 or -epsilon, with masses in the proportion e^epsilon : e^epsilon (s - 1)/(k - s) + (k - s - 1)/s : 1.",
    "accountant",
    "reference/mechanisms/subset-selection",
    ("every unit reports exactly once", "each report is drawn independently"),
    "proved-here",
    relations=REPLACED,
)


@frozen
class SubsetSelection(Mechanism):
    """A random subset of s of k categories, with the true one in it with probability s e^epsilon/(s e^epsilon + k - s)."""

    kind: ClassVar[str] = "subset-selection"
    theorem: ClassVar[Theorem] = SUBSET
    needs_query: ClassVar[bool] = False
    relations: ClassVar[tuple[str, ...] | None] = REPLACED

    categories: int = field(
        converter=fields.whole, validator=fields.at_least(1), metadata=fields.about("how many categories there are")
    )
    size: int = field(
        converter=fields.whole, validator=fields.at_least(1), metadata=fields.about("how many categories a report has")
    )
    epsilon: Fraction = field(
        converter=fields.exact,
        validator=fields.above(0),
        metadata=fields.about("the log odds of a subset that has the true category against one that has not"),
    )

    def __attrs_post_init__(self) -> None:
        if self.size > self.categories:
            raise InvalidValue(f"a subset of {self.size} cannot be chosen from {self.categories} categories")

    def loss(self, shift: Shift) -> PrivacyLoss:
        count = changed_answers(self.kind, shift)
        from accountant_response.partial_response_loss import PartialResponseLoss

        return losses.compose([(PartialResponseLoss.of_subsets(self.categories, self.size, self.epsilon), count)])

    def simulate(self, answers: Floats, generator: Generator) -> Floats:
        """For each answer a column for each category, 1 where it is in the subset: those first in a random order."""
        true = answers.reshape(-1).astype(int)
        order = generator.random((true.size, self.categories))
        fall = math.exp(-self.epsilon) * (self.categories - self.size) / self.size
        left_out = generator.random(true.size) >= 1.0 / (1.0 + fall)
        order[range(true.size), true] = 3.0 * left_out - 1.0
        return (order.argsort(axis=1).argsort(axis=1) < self.size).astype(float).reshape(len(answers), -1)
