"""How many records have two things at once: a count that looks at two attributes.

A record adds one or nothing. Where a record changes in one of the two attributes, it may come to be counted or cease to
be; where several may differ, each moves the count by one at most, and all can do so in the same direction.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from itertools import product
from typing import Any, ClassVar

from attrs import field, frozen

from accountant import Neighbours, fields
from accountant.plugin import ConformanceCase, Query, QueryOracle, Records, Shift, Theorem, hookimpl
from tests.laws.honest import proved

SHIFT = Theorem(**proved(__name__, "both-shift", "A count moves by one with every record that differs."))


@frozen
class Both(Query):
    """How many records have two things at once."""

    kind: ClassVar[str] = "both"
    theorem: ClassVar[Theorem] = SHIFT

    first: str = field(converter=fields.text, metadata=fields.about("an attribute, of which a record has 0 or 1"))
    second: str = field(converter=fields.text, metadata=fields.about("another attribute, of which a record has 0 or 1"))

    def _shift(self, neighbours: Neighbours) -> Shift:
        return Shift.along([max(max(move) for move in neighbours.moves)])

    def records(self) -> Records:
        return Records(((Fraction(0),), (Fraction(1),)), all_of_them=True)


def having(query: Both, records: tuple[Any, ...]) -> list[int]:
    """How many have both; what a query does not look at, it takes for one."""
    looked = {query.first, query.second} if query.attributes is None else {query.first, query.second} & query.attributes
    return [sum(all(record[name] for name in looked) and bool(looked) for record in records)]


def people(query: Both) -> Iterable[dict[str, int]]:
    """Records with and without the two things."""
    return (dict(zip(sorted({query.first, query.second}), values, strict=False)) for values in product((1, 0), repeat=2))


@hookimpl
def accountant_queries() -> Iterable[type[Query]]:
    return (Both,)


@hookimpl
def accountant_conformance_cases() -> Iterable[ConformanceCase]:
    yield QueryOracle("both", answer=having, records=people)
