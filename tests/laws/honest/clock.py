"""Neighbours by the hour of the day: an hour earlier or later, over midnight too."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, ClassVar

from attrs import field, frozen

from accountant.fields import about, at_least, whole
from accountant.plugin import ConformanceCase, Policy, PolicyOracle, Record, Relation, hookimpl


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
def accountant_conformance_cases() -> Iterable[ConformanceCase]:
    yield PolicyOracle("clock", related, datasets, dials)
