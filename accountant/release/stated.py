"""Vector: a query that a plan describes by how far it moves, taken on trust."""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

from attrs import field, frozen

from accountant.errors import ShiftError
from accountant.fields import about, exact_list, optional_text
from accountant.promise.neighbours import Neighbours
from accountant.promise.theorem import Theorem
from accountant.release.query import Query, Shift

STATED_SHIFT = Theorem(
    "stated-shift",
    "The query moves by at most the stated vector because the plan says so.",
    "accountant",
    "explanation/neighbours-and-shifts",
    assurance="claimed",
)


@frozen
class Vector(Query):
    """A query whose worst move between the plan's neighbours is stated by the plan."""

    kind: ClassVar[str] = "vector"
    theorem: ClassVar[Theorem] = STATED_SHIFT
    stated: ClassVar[bool] = True

    moves: tuple[Fraction, ...] = field(
        converter=exact_list,
        alias="shift",
        metadata=about("the worst move between neighbours, coordinate by coordinate"),
    )
    relation: str | None = field(
        default=None,
        converter=optional_text,
        alias="neighbours",
        metadata=about("the neighbour relation that the shift was worked out for"),
    )

    def _shift(self, neighbours: Neighbours) -> Shift:
        if self.relation is not None and self.relation != neighbours.relation.name:
            raise ShiftError(
                f"the shift was worked out for '{self.relation}' neighbours but the plan promises "
                f"'{neighbours.relation.name}'; state the shift between neighbours of the plan"
            )
        return Shift.at(self.moves).times(neighbours.group)
