"""Claim: a parameter taken on trust."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

from attrs import field, fields as attrs_fields, frozen

from accountant.errors import InvalidValue, ShiftError
from accountant.fields import ExactLike, Instance, instance
from accountant.numbers.interval import Interval
from accountant.promise.divergence import Divergence, definition
from accountant.promise.theorem import CLAIM as CLAIM, Theorem
from accountant.release.query import Shift
from accountant.release.release import Mechanism
from accountant.values.writing import unstructure

if TYPE_CHECKING:
    from accountant.loss import PrivacyLoss


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

    divergence: Divergence = field(validator=instance(Divergence, 'claim by names: Claim.of("zcdp", rho="1/2")'))
    points: tuple[Any, ...] = field(converter=_points)
    """One parameter, or several that hold at once: a curve, known at points."""

    def __attrs_post_init__(self) -> None:
        wanted = self.divergence.parameter
        words = ", ".join(f"{member.name}=..." for member in attrs_fields(wanted))
        if not self.points:
            raise InvalidValue("a claim states at least one parameter")
        for point in self.points:
            Instance(wanted, f'claim by names: Claim.of("{self.divergence.name}", {words})')(self, None, point)

    @classmethod
    def of(cls, divergence: str | Divergence, /, **parameter: ExactLike) -> Claim:
        """A claim by the name of a definition and the names of its parameters: `Claim.of("zcdp", rho="0.05")`."""
        claimed = definition(divergence)
        return cls(claimed, claimed.stating(parameter))

    @property
    def called(self) -> str:
        return f"claim of {self.divergence.name}"

    def loss(self, shift: Shift) -> PrivacyLoss:
        return self.divergence.worst_case_of(self.points)

    def between(self, group: int) -> Claim:
        """What follows from the claim where so many units differ at once."""
        if group == 1:
            return self
        grown = self.divergence.group_of(self.points, group)
        if grown is None:
            raise ShiftError(
                f"a claim of '{self.divergence.name}' says nothing about groups of {group}; claim a parameter of a "
                "definition that has a rule for groups, or state the mechanism"
            )
        return Claim(self.divergence, grown)

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
