"""A sum of values between two bounds, each times a weight.

A record that comes or goes moves the sum by the weight times its value, one that is replaced by the weight times the
distance of the bounds; several do so one after the other.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import ClassVar

from attrs import field, frozen

from accountant import InvalidValue, Neighbours, fields
from accountant.plugin import ConformanceCase, Query, QueryOracle, Records, Shift, Theorem, hookimpl
from tests.laws.honest import proved

SHIFT = Theorem(**proved(__name__, "weighted-sum-shift", "A weighted sum moves by what the records add that differ."))


@frozen
class WeightedSum(Query):
    """A sum of bounded values, each times the same weight."""

    kind: ClassVar[str] = "weighted-sum"
    theorem: ClassVar[Theorem] = SHIFT

    weight: Fraction = field(
        converter=fields.exact, validator=fields.above(0), metadata=fields.about("what every value is multiplied by")
    )
    lower: Fraction = field(converter=fields.exact, metadata=fields.about("the least value of a record"))
    upper: Fraction = field(converter=fields.exact, metadata=fields.about("the largest value of a record"))

    def __attrs_post_init__(self) -> None:
        if self.lower > self.upper:
            raise InvalidValue("the upper bound must not be below the lower one")

    def _shift(self, neighbours: Neighbours) -> Shift:
        far = max(self._farthest(appear, gone) for appear, gone in neighbours.moves)
        return Shift(far, far * far, far)

    def _farthest(self, appear: int, gone: int) -> Fraction:
        """The most that the sum moves where so many records appear and so many are gone."""
        ends = [appear * one - gone * other for one in (self.lower, self.upper) for other in (self.lower, self.upper)]
        return self.weight * max(map(abs, ends))

    def records(self) -> Records:
        return Records(((self.weight * self.lower,), (self.weight * self.upper,)), all_of_them=False)


@hookimpl
def accountant_queries() -> Iterable[type[Query]]:
    return (WeightedSum,)


@hookimpl
def accountant_conformance_cases() -> Iterable[ConformanceCase]:
    yield QueryOracle(
        "weighted-sum",
        answer=lambda query, records: [sum((query.weight * record["value"] for record in records), Fraction(0))],
        records=lambda query: [{"value": query.lower}, {"value": query.upper}, {"value": (query.lower + query.upper) / 2}],
    )
