"""Kinds that need no noise: a parameter taken on trust, a step that does nothing, a step that hides nothing."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, ClassVar

from attrs import frozen

from accountant.builtin.theorems import CLAIM, NO_OPERATION, NON_PRIVATE
from accountant.conformance import ConformanceCase, MechanismCase
from accountant.divergence import Divergence
from accountant.mechanism import Mechanism
from accountant.query import Shift
from accountant.theorem import Theorem

if TYPE_CHECKING:
    from accountant.loss import PrivacyLoss


SAMPLED_CLAIM = (
    "a claim does not say which laws stand behind its parameter, so what sampling does to it is not known; claim the "
    "parameter of the release as it is, sampling included"
)


@frozen
class Claim(Mechanism):
    """A release known only by a parameter that someone vouches for, under the neighbours of the plan."""

    kind: ClassVar[str] = "claim"
    theorem: ClassVar[Theorem] = CLAIM
    needs_query: ClassVar[bool] = False

    divergence: Divergence
    parameter: Any

    def loss(self, shift: Shift) -> PrivacyLoss:
        return self.divergence.worst_case(self.parameter)


@frozen
class NoOperation(Mechanism):
    """A step that reads no data."""

    kind: ClassVar[str] = "no-op"
    theorem: ClassVar[Theorem] = NO_OPERATION
    needs_query: ClassVar[bool] = False

    def loss(self, shift: Shift) -> PrivacyLoss:
        from accountant.loss import NO_LOSS

        return NO_LOSS


@frozen
class NonPrivate(Mechanism):
    """A statistic released exactly, and not declared as an invariant: nothing bounds its loss."""

    kind: ClassVar[str] = "non-private"
    theorem: ClassVar[Theorem] = NON_PRIVATE
    needs_query: ClassVar[bool] = False

    def loss(self, shift: Shift) -> PrivacyLoss:
        from accountant.loss import TOTAL_LOSS

        return TOTAL_LOSS


def cases() -> Iterable[ConformanceCase]:
    """Conformance cases of the built-in kinds; claims are exercised by the cases of each divergence."""
    from accountant.finite import TableMechanism
    from accountant.loss import FiniteLoss

    one = Shift.along([1])
    yield MechanismCase("no-op", NoOperation(), one, (FiniteLoss([("1/2", "1/2"), ("1/2", "1/2")]),))
    yield MechanismCase("non-private", NonPrivate(), one, (FiniteLoss([(1, 0), (0, 1)]),))
    rows = (("1/2", "1/3", "1/6"), ("1/4", "1/4", "1/2"), ("1/6", "1/2", "1/3"))
    pairs = tuple(FiniteLoss(zip(left, right, strict=True)) for left in rows for right in rows if left != right)
    yield MechanismCase("table of three answers", TableMechanism(rows), one, pairs)
