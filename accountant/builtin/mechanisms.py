"""Kinds that need no noise: a parameter taken on trust, a step that does nothing, a step that hides nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

from attrs import field, frozen

from accountant.builtin.theorems import CLAIM, NO_OPERATION, NON_PRIVATE
from accountant.codec import unstructure
from accountant.conformance import ConformanceCase, MechanismCase
from accountant.divergence import Divergence
from accountant.errors import ShiftError
from accountant.interval import Interval
from accountant.mechanism import Mechanism
from accountant.query import Shift
from accountant.theorem import Theorem

if TYPE_CHECKING:
    from numpy.random import Generator

    from accountant.loss import Floats, PrivacyLoss


SAMPLED_CLAIM = (
    "a claim does not say which laws stand behind its parameter, so what sampling does to it is not known; claim the "
    "parameter of the release as it is, sampling included"
)


def _points(points: Any) -> tuple[Any, ...]:
    return points if isinstance(points, tuple) else (points,)


@frozen
class Claim(Mechanism):
    """A release known only by a parameter that someone vouches for, under the neighbours of the plan."""

    kind: ClassVar[str] = "claim"
    theorem: ClassVar[Theorem] = CLAIM
    needs_query: ClassVar[bool] = False

    divergence: Divergence
    points: tuple[Any, ...] = field(converter=_points)
    """One parameter, or several that hold at once: a curve, known at points."""

    def loss(self, shift: Shift) -> PrivacyLoss:
        return self.divergence.worst_case_of(self.points)

    def between(self, group: int) -> Claim:
        """What follows from the claim where so many units differ at once."""
        if group == 1:
            return self
        grown = [self.divergence.group(point, group) for point in self.points]
        if any(point is None for point in grown):
            raise ShiftError(
                f"a claim of '{self.divergence.name}' says nothing about groups of {group}; claim a parameter of a "
                "definition that has a rule for groups, or state the mechanism"
            )
        return Claim(self.divergence, tuple(grown))

    def stated(self, at: Mapping[str, Fraction]) -> Interval | None:
        """What the claim says of the definition's first reading at these words, if it says anything."""
        known = [value for point in self.points if (value := self.divergence.stated(point, at)) is not None]
        return min(known, key=lambda value: value.upper) if known else None

    def as_data(self) -> dict[str, Any]:
        """The definition by name, with one parameter spelt out or several in a list."""
        stated = [unstructure(point) for point in self.points]
        return {"divergence": self.divergence.name, **(stated[0] if len(stated) == 1 else {"points": stated})}

    def describe(self) -> str:
        """The claim in words."""
        points = "; and with ".join(self.divergence.describe(point) for point in self.points)
        return f"{self.divergence.title} with {points}"


def rests_on_claims(mechanism: Mechanism) -> bool:
    """Whether anything that a mechanism is made of is known by a claim only."""
    return any(isinstance(part, Claim) for _, part in mechanism.nested())


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

    def simulate(self, answers: Floats, generator: Generator) -> Floats:
        return answers


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
