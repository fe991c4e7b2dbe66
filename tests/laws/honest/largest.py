"""The largest value, between two bounds: a query that is no sum over records.

Whatever records come, go or change, the answer stays between the bounds, and it is the lower one for an empty dataset. It
may move by anything up to their distance, and does so by all of it where the only large value goes.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import ClassVar

from attrs import field, frozen

from accountant import InvalidValue, Neighbours, fields
from accountant.plugin import ConformanceCase, Query, QueryOracle, Shift, Theorem, hookimpl
from tests.laws.honest import proved

SHIFT = Theorem(**proved(__name__, "largest-shift", "The largest of values between two bounds moves by their distance."))


@frozen
class Largest(Query):
    """The largest value of all records."""

    kind: ClassVar[str] = "largest"
    theorem: ClassVar[Theorem] = SHIFT

    lower: Fraction = field(converter=fields.exact, metadata=fields.about("the least value there is"))
    upper: Fraction = field(converter=fields.exact, metadata=fields.about("the largest value there is"))

    def __attrs_post_init__(self) -> None:
        if self.lower >= self.upper:
            raise InvalidValue("the upper bound must be above the lower one")

    def _shift(self, neighbours: Neighbours) -> Shift:
        far = self.upper - self.lower
        # Every smaller move is possible as well, whole or not, so the norms are all that is known.
        return Shift(far, far * far, far)


@hookimpl
def accountant_queries() -> Iterable[type[Query]]:
    return (Largest,)


@hookimpl
def accountant_conformance_cases() -> Iterable[ConformanceCase]:
    yield QueryOracle(
        "largest",
        answer=lambda query, records: [max((record["value"] for record in records), default=query.lower)],
        records=lambda query: [{"value": query.lower}, {"value": query.upper}],
    )
