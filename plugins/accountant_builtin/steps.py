"""Steps that need no noise: one that does nothing, and one that hides nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from attrs import frozen

from accountant.plugin import Mechanism, Shift, Theorem
from accountant_builtin.theorems import NO_OPERATION, NON_PRIVATE

if TYPE_CHECKING:
    from numpy.random import Generator

    from accountant.loss import Floats, PrivacyLoss


@frozen
class NoOperation(Mechanism):
    """A step that reads no data."""

    kind: ClassVar[str] = "no-op"
    theorem: ClassVar[Theorem] = NO_OPERATION
    needs_query: ClassVar[bool] = False
    any_relation: ClassVar[bool] = True

    def loss(self, shift: Shift) -> PrivacyLoss:
        from accountant.loss import NO_LOSS

        return NO_LOSS

    def attained(self, shift: Shift) -> tuple[PrivacyLoss, ...]:
        return (self.loss(shift),)

    def simulate(self, answers: Floats, generator: Generator) -> Floats:
        return 0 * answers


@frozen
class NonPrivate(Mechanism):
    """A statistic released exactly, and not declared as an invariant: nothing bounds its loss."""

    kind: ClassVar[str] = "non-private"
    theorem: ClassVar[Theorem] = NON_PRIVATE
    needs_query: ClassVar[bool] = False
    any_relation: ClassVar[bool] = True

    def loss(self, shift: Shift) -> PrivacyLoss:
        from accountant.loss import TOTAL_LOSS

        return TOTAL_LOSS

    def attained(self, shift: Shift) -> tuple[PrivacyLoss, ...]:
        return (self.loss(shift),)

    def simulate(self, answers: Floats, generator: Generator) -> Floats:
        return answers
