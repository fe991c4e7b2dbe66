"""Queries of one numeric attribute, which move by no more than its values do."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import pairwise
from typing import Any, ClassVar

from attrs import Attribute, field, frozen

from accountant import InvalidValue, Neighbours, ShiftError, Theorem
from accountant.fields import about, exact, exact_list, names, text
from accountant.plugin import Query, Records, Shift
from accountant_premetrics.theorems import VALUE_SHIFT
from accountant_premetrics.values import Blowfish, Metric, OneValue

_MOST_THRESHOLDS = 100_000


@frozen
class OfAttribute(Query):
    """A query of the values of one attribute, of all records or of those that other attributes choose.

    Where further `attributes` are named it may depend on all of them in any way, so that any change may take a record out.
    """

    theorem: ClassVar[Theorem] = VALUE_SHIFT

    attribute: str = field(converter=text, metadata=about("the numeric attribute that it looks at"))
    chosen_by: frozenset[str] | None = field(
        default=None,
        converter=names,
        kw_only=True,
        metadata=about("the other attributes that say which records it looks at; all where it is left out"),
    )

    def __attrs_post_init__(self) -> None:
        choosing = self.chosen_by or frozenset()
        if self.attribute in choosing:
            raise InvalidValue(
                f"'{self.attribute}' cannot choose records as well, since one that it does not choose any more would move "
                f"the {self.kind} by more than its value does; leave it out of 'chosen_by'"
            )
        object.__setattr__(self, "attributes", frozenset({self.attribute, *choosing, *(self.attributes or ())}))

    @property
    def _all_records(self) -> bool:
        """Whether it looks at the attribute of every record, and at nothing else."""
        return self.attributes == frozenset({self.attribute})

    @property
    def _anyhow(self) -> bool:
        """Whether it may depend in any way on what it looks at: on more than the attribute and what chooses the records."""
        return self.attributes != frozenset({self.attribute, *(self.chosen_by or ())})

    def _near(self, neighbours: Neighbours) -> OneValue | None:
        """The policy by which values of the attribute differ between neighbours, and nothing else does; None for others."""
        policy = None if self._anyhow else neighbours.relation.policy
        return policy if isinstance(policy, OneValue) and policy.attribute == self.attribute else None

    def _edges(self, policy: Blowfish) -> Iterator[tuple[Fraction, Fraction]]:
        """The joined values of a policy about the attribute, as numbers in order."""
        numbers = policy.numbers
        if numbers is None:
            raise ShiftError(
                f"a {self.kind} looks at numbers, and not all values of '{self.attribute}' in 'neighbours' are"
            )
        for one, two in policy.graph.edges():
            low, high = sorted((numbers[one], numbers[two]))
            yield low, high


def _largest_move(neighbours: Neighbours) -> int:
    return max(max(move) for move in neighbours.moves)


@frozen
class AttributeSum(OfAttribute):
    """The sum of a numeric attribute, each value of which is moved to the nearer of two bounds where it lies beyond.

    Guarantee: where one value changes it moves by at most as much, and by at most upper - lower; so between neighbours that
    are near each other it moves by the step, and by what joined values differ between those that a graph joins. Where
    whole records come, go or change, it moves as a `sum` between these bounds does, and between these and 0 where other
    attributes choose the records: one that is not chosen any more adds nothing.
    """

    kind: ClassVar[str] = "attribute-sum"
    instead: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(("bound", "bounds", "clip", "clipping"), "give the bounds as 'lower' and 'upper'"),
        **dict.fromkeys(("minimum", "min"), "did you mean 'lower'?"),
        **dict.fromkeys(("maximum", "max"), "did you mean 'upper'?"),
    }

    lower: Fraction = field(converter=exact, metadata=about("the smallest value a record may contribute"))
    upper: Fraction = field(converter=exact, metadata=about("the largest value a record may contribute"))

    def __attrs_post_init__(self) -> None:
        super().__attrs_post_init__()
        if self.lower > self.upper:
            raise InvalidValue(f"the lower bound {self.lower} is above the upper bound {self.upper}")

    def _shift(self, neighbours: Neighbours) -> Shift:
        policy = self._near(neighbours)
        if isinstance(policy, Metric):
            return Shift.at([neighbours.group * min(policy.step, self.upper - self.lower)])
        if isinstance(policy, Blowfish):
            moved = max(self._kept(high) - self._kept(low) for low, high in self._edges(policy))
            return Shift.at([neighbours.group * moved])
        low, high = self._ends
        return Shift.at(
            [max(max(abs(rise * high - fall * low), abs(rise * low - fall * high)) for rise, fall in neighbours.moves)]
        )

    @property
    def _ends(self) -> tuple[Fraction, Fraction]:
        """The least and the most that a record adds."""
        if self._all_records:
            return self.lower, self.upper
        return min(self.lower, Fraction(0)), max(self.upper, Fraction(0))

    def _kept(self, value: Fraction) -> Fraction:
        return min(max(value, self.lower), self.upper)

    def records(self) -> Records:
        low, high = self._ends
        return Records(((low,), (high,)), all_of_them=False)


def _rising(_: object, attribute: Attribute[Any] | None, value: tuple[Fraction, ...]) -> None:
    if not 1 <= len(value) <= _MOST_THRESHOLDS:
        raise InvalidValue(f"expected 1 to {_MOST_THRESHOLDS:,} thresholds, got {len(value):,}")
    if any(low >= high for low, high in pairwise(value)):
        raise InvalidValue("thresholds must rise, each above the one before")


@frozen
class Thresholds(OfAttribute):
    """How many records have a value of at most t, for each of several thresholds t.

    Guarantee: where one value changes, those counts move by one whose thresholds lie between the values: as many as fit
    into a step, or between joined values. Where a record comes or goes, or has any other value, all may.
    """

    kind: ClassVar[str] = "thresholds"
    instead: ClassVar[Mapping[str, str]] = dict.fromkeys(("cuts", "bins", "edges", "breaks"), "did you mean 'thresholds'?")

    thresholds: tuple[Fraction, ...] = field(
        converter=exact_list,
        validator=_rising,
        metadata=about("the thresholds, rising; chosen without looking at the data"),
    )

    def _shift(self, neighbours: Neighbours) -> Shift:
        policy = self._near(neighbours)
        if isinstance(policy, Metric):
            return self._crossing(max(self._between(low, low + policy.step) for low in self.thresholds), neighbours.group)
        if isinstance(policy, Blowfish):
            return self._crossing(max(self._between(low, high) for low, high in self._edges(policy)), neighbours.group)
        return Shift.at([_largest_move(neighbours)] * len(self.thresholds))

    def _between(self, low: Fraction, high: Fraction) -> int:
        """How many thresholds count the lower value and not the higher one."""
        return bisect_left(self.thresholds, high) - bisect_left(self.thresholds, low)

    def _crossing(self, most: int, group: int) -> Shift:
        """At most so many counts move by one, all up or all down, and so for each of a group."""
        if group == 1 or most == 0:
            return Shift.along([1] * most)
        return Shift(Fraction(group * most), Fraction(group**2 * most), Fraction(group))
