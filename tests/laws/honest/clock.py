"""Neighbours by the hour of the day, an hour earlier or later, over midnight too; and the sum of all hours.

Over midnight a sum of hours moves by all of the dial but one. So it does for whoever comes or goes, or is replaced.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Any, ClassVar

from attrs import field, frozen

from accountant import Neighbours
from accountant.fields import about, at_least, whole
from accountant.plugin import (
    ConformanceCase,
    Policy,
    PolicyOracle,
    Query,
    QueryOracle,
    Record,
    Relation,
    Shift,
    Theorem,
    hookimpl,
)
from tests.laws.honest import proved

SHIFT = Theorem(**proved(__name__, "hour-sum-shift", "A sum of hours moves by no more than the largest."))


@frozen
class Clock(Policy):
    """One record has the hour before or after on a round dial."""

    kind: ClassVar[str] = "clock"
    edits: ClassVar[bool] = True

    hours: int = field(converter=whole, validator=at_least(2), metadata=about("how many hours the dial has"))

    @property
    def moves(self) -> tuple[tuple[int, int], ...]:
        return ((1, 1),)

    @property
    def meaning(self) -> str:
        return f"one unit has the hour before or after, of {self.hours}"

    @property
    def differing(self) -> frozenset[str]:
        return frozenset({"hour"})

    def joins(self, gone: Sequence[Record], come: Sequence[Record]) -> bool:
        if len(gone) != 1 or len(come) != 1 or gone[0] is None or come[0] is None:
            return False
        return (gone[0]["hour"] - come[0]["hour"]) % self.hours in (1, self.hours - 1)

    def steps_in(self, other: Relation) -> int | None:
        return 1 if other.by_value or other.policy == self else None

    def steps_for(self, other: Relation) -> int | None:
        return self.hours // 2 if other.by_value else None


@frozen
class HourSum(Query):
    """The sum of the hours of all records, on a dial of so many."""

    kind: ClassVar[str] = "hour-sum"
    theorem: ClassVar[Theorem] = SHIFT

    hours: int = field(converter=whole, validator=at_least(2), metadata=about("how many hours the dial has"))

    def _shift(self, neighbours: Neighbours) -> Shift:
        dial = neighbours.relation.policy
        hours = min(self.hours, dial.hours) if isinstance(dial, Clock) else self.hours
        most = Fraction(max(map(max, neighbours.moves)) * (hours - 1))
        return Shift(most, most**2, most)


def related(clock: Clock, first: tuple[Any, ...], second: tuple[Any, ...]) -> bool:
    """Whether one of the sorted hours was turned by one."""
    hours = [[dict(record)["hour"] for record in side] for side in (first, second)]
    turned = {
        tuple(sorted([*hours[0][:place], (hour + 1) % clock.hours, *hours[0][place + 1 :]]))
        for place, hour in enumerate(hours[0])
    }
    return tuple(sorted(hours[1])) in turned and sorted(hours[0]) != sorted(hours[1])


def datasets(clock: Clock) -> Iterator[tuple[Any, ...]]:
    """One record, or two."""
    dial = range(clock.hours)
    yield from (((("hour", hour),),) for hour in dial)
    yield from (((("hour", one),), (("hour", two),)) for one in dial for two in range(one, clock.hours))


def dials() -> Any:
    from hypothesis import strategies as st

    return st.integers(2, 6).map(Clock)


@hookimpl
def accountant_policies() -> Iterable[type[Policy]]:
    return (Clock,)


@hookimpl
def accountant_queries() -> Iterable[type[Query]]:
    return (HourSum,)


@hookimpl
def accountant_conformance_cases() -> Iterable[ConformanceCase]:
    yield PolicyOracle("clock", related, datasets, dials)
    yield QueryOracle(
        "hour-sum",
        answer=lambda query, records: [sum(record["hour"] for record in records)],
        records=lambda query: ({"hour": hour} for hour in (query.hours - 1, 0, *range(1, query.hours - 1))),
    )
