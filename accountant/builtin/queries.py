"""The usual queries."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import ClassVar

from attrs import field, frozen

from accountant.builtin.theorems import SHIFT, STATED_SHIFT
from accountant.errors import InvalidValue, ShiftError
from accountant.fields import about, exact, exact_list, optional_text
from accountant.neighbours import Neighbours
from accountant.query import Query, Shift
from accountant.theorem import Theorem


@frozen
class Count(Query):
    """How many records satisfy a condition."""

    kind: ClassVar[str] = "count"
    theorem: ClassVar[Theorem] = SHIFT

    def _shift(self, neighbours: Neighbours) -> Shift:
        return _largest(neighbours.moves)


@cache
def _largest(moves: frozenset[tuple[int, int]]) -> Shift:
    return Shift.at([max(max(move) for move in moves)])


@frozen
class Histogram(Query):
    """How many records fall into each cell of a partition by attributes.

    Guarantee: one cell moves by one under add-remove; one rises and one falls under replace-one.
    """

    kind: ClassVar[str] = "histogram"
    theorem: ClassVar[Theorem] = SHIFT

    def _shift(self, neighbours: Neighbours) -> Shift:
        return _worst_cells(neighbours.moves)


@cache
def _worst_cells(moves: frozenset[tuple[int, int]]) -> Shift:
    return Shift.worst(_cells(appear, disappear) for appear, disappear in sorted(moves))


def _cells(appear: int, disappear: int) -> Shift:
    if max(appear, disappear) <= 1:
        return Shift.along([1] * appear + [-1] * disappear)
    return Shift(Fraction(appear + disappear), Fraction(appear**2 + disappear**2), Fraction(max(appear, disappear)))


@frozen
class Sum(Query):
    """The sum of a value that every record keeps between two bounds."""

    kind: ClassVar[str] = "sum"
    theorem: ClassVar[Theorem] = SHIFT

    lower: Fraction = field(converter=exact, metadata=about("the smallest value a record may contribute"))
    upper: Fraction = field(converter=exact, metadata=about("the largest value a record may contribute"))

    def __attrs_post_init__(self) -> None:
        if self.lower > self.upper:
            raise InvalidValue(f"the lower bound {self.lower} is above the upper bound {self.upper}")

    def _shift(self, neighbours: Neighbours) -> Shift:
        moves = [
            max(abs(rise * self.upper - fall * self.lower), abs(rise * self.lower - fall * self.upper))
            for rise, fall in neighbours.moves
        ]
        return Shift.at([max(moves)])


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
