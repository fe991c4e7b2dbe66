"""The usual queries."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from typing import ClassVar

from attrs import evolve, field, frozen

from accountant import InvalidValue, Neighbours, Theorem
from accountant.fields import about, above, exact, names
from accountant.plugin import Query, Records, Shift
from accountant_builtin.theorems import SHIFT


@frozen
class ByAttributes(Query):
    """A query whose only parameter is what it looks at, so that this may be given without its name."""

    attributes: frozenset[str] | None = field(
        default=None,
        converter=names,
        metadata=about("the attributes of a record that the answer depends on; all when left out"),
    )


@frozen
class Count(ByAttributes):
    """How many records satisfy a condition.

    Guarantee: it moves by one, also under replace-one, unless none of its `attributes` may differ. Left out, these are
    all, since the condition may look at any; an empty list counts all records, whose number replace-one neighbours share.
    """

    kind: ClassVar[str] = "count"
    theorem: ClassVar[Theorem] = SHIFT

    def _shift(self, neighbours: Neighbours) -> Shift:
        return _largest(neighbours.moves)

    def records(self) -> Records:
        return Records(((Fraction(0),), (Fraction(1),)), all_of_them=True)


@cache
def _largest(moves: frozenset[tuple[int, int]]) -> Shift:
    return evolve(Shift.at([max(max(move) for move in moves)]), one_sided=_one_sided(moves))


def _one_sided(moves: frozenset[tuple[int, int]]) -> bool:
    """Whether records only appear, or only disappear: then all that they are counted in rises, or falls."""
    return all(min(move) == 0 for move in moves)


@frozen
class Histogram(ByAttributes):
    """How many records fall into each cell of a partition by attributes.

    Guarantee: one cell moves by one under add-remove; one rises and one falls under replace-one. Where a group differs,
    what moves may be gathered in one cell, or in one that rises and one that falls, or shared out among several.
    """

    kind: ClassVar[str] = "histogram"
    theorem: ClassVar[Theorem] = SHIFT

    def _shift(self, neighbours: Neighbours) -> Shift:
        return _worst_cells(neighbours.moves)

    def records(self) -> Records:
        cells = range(3)
        return Records(tuple(tuple(Fraction(cell == own) for cell in cells) for own in cells), all_of_them=True)


@cache
def _worst_cells(moves: frozenset[tuple[int, int]]) -> Shift:
    worst = Shift.worst(_cells(appear, disappear) for appear, disappear in sorted(moves))
    sharper = None if worst.coordinates is not None else _gathered(moves)
    return evolve(worst, gathered=worst.gathered if sharper is None else sharper, one_sided=_one_sided(moves))


def _cells(appear: int, disappear: int) -> Shift:
    if max(appear, disappear) <= 1:
        return Shift.along([1] * appear + [-1] * disappear)
    return Shift(
        Fraction(appear + disappear),
        Fraction(appear**2 + disappear**2),
        Fraction(max(appear, disappear)),
        gathered=tuple(Fraction(move) for move in (appear, -disappear) if move),
    )


def _gathered(moves: frozenset[tuple[int, int]]) -> tuple[Fraction, ...] | None:
    """The move where all records appear in one cell and disappear from another, if no other shares out more than that.

    What appears and what disappears moves one cell each of that move, or both together the larger.
    """
    worst = max(moves, key=lambda move: (max(move), min(move)))
    high, low = max(worst), min(worst)
    if any(min(move) > low and sum(move) > high for move in moves):
        return None
    return tuple(Fraction(move) for move in (high, -low) if move)


@frozen
class Bounded(Query):
    """A query of one value that every record keeps between two bounds."""

    instead: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(("bound", "bounds", "clip", "clipping"), "give the bounds as 'lower' and 'upper'"),
        **dict.fromkeys(("minimum", "min"), "did you mean 'lower'?"),
        **dict.fromkeys(("maximum", "max"), "did you mean 'upper'?"),
    }

    lower: Fraction = field(converter=exact, metadata=about("the smallest value a record may contribute"))
    upper: Fraction = field(converter=exact, metadata=about("the largest value a record may contribute"))

    def __attrs_post_init__(self) -> None:
        if self.lower > self.upper:
            raise InvalidValue(f"the lower bound {self.lower} is above the upper bound {self.upper}")


def furthest(lower: Fraction, upper: Fraction, moves: frozenset[tuple[int, int]]) -> Fraction:
    """How far a sum of values between two bounds moves where so many of them appear and so many disappear."""
    return max(max(abs(rise * upper - fall * lower), abs(rise * lower - fall * upper)) for rise, fall in moves)


@frozen
class Sum(Bounded):
    """The sum of a value that every record keeps between two bounds."""

    kind: ClassVar[str] = "sum"
    theorem: ClassVar[Theorem] = SHIFT

    def _shift(self, neighbours: Neighbours) -> Shift:
        same_sign = self.lower >= 0 or self.upper <= 0
        moved = Shift.at([furthest(self.lower, self.upper, neighbours.moves)])
        return evolve(moved, one_sided=same_sign and _one_sided(neighbours.moves))

    def records(self) -> Records:
        return Records(((self.lower,), (self.upper,)), all_of_them=False)


@frozen
class Gradient(Query):
    """The sum of one vector for each record, none of them longer than a norm in which they are clipped: gradients.

    Guarantee: it moves by the norm in the L2 norm where a record comes or goes, and by twice that where one is replaced. In
    how many coordinates is not said, so that nothing bounds the L1 norm.
    """

    kind: ClassVar[str] = "gradient"
    theorem: ClassVar[Theorem] = SHIFT
    instead: ClassVar[Mapping[str, str]] = dict.fromkeys(
        ("clip", "clipping", "clipping_norm", "max_grad_norm", "l2_norm_clip", "bound"), "did you mean 'norm'?"
    )

    norm: Fraction = field(
        converter=exact,
        validator=above(0),
        metadata=about("the L2 norm that the gradient of every record is clipped to"),
    )

    def _shift(self, neighbours: Neighbours) -> Shift:
        furthest = self.norm * max(appear + disappear for appear, disappear in neighbours.moves)
        return Shift(None, furthest**2, furthest)
