"""Total variation: how much more likely an event may be on one side than on the other.

That is delta at epsilon zero, the same in both directions. With a distance of t some mechanism shows with the chance t on
which side it is, and otherwise nothing; it dominates every other, since two laws that are t apart share 1 - t of their
mass. Several units differ by at most as many such steps, by the triangle inequality.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any, ClassVar

from attrs import field, frozen

from accountant import Interval, PrivacyLoss, fields
from accountant.loss import FiniteLoss
from accountant.plugin import ConformanceCase, Divergence, ParameterCase, Properties, Reading, Theorem, hookimpl
from tests.laws.honest import proved

READ = Theorem(**proved(__name__, "total-variation-is-delta", "Total variation is delta at epsilon zero."))
WORST = Theorem(**proved(__name__, "total-variation-worst-case", "To tell all with a chance t is the worst at distance t."))


@frozen
class Distance:
    """The parameter of total variation."""

    distance: Fraction = field(
        converter=fields.exact,
        validator=[fields.at_least(0), fields.at_most(1)],
        metadata=fields.about("how much more likely an event is on one side"),
    )


@frozen
class TotalVariation(Divergence):
    """Total variation between neighbours."""

    name: ClassVar[str] = "total-variation"
    title: ClassVar[str] = "total variation"
    meaning: ClassVar[str] = "no event is by more than the distance likelier {one} than {other}{either}"
    parameter: ClassVar[type[Any]] = Distance
    readings: ClassVar[tuple[Reading, ...]] = (Reading((), "distance"),)
    properties: ClassVar[Properties] = Properties(post_processing=True, convexity=True, round_trip=True)
    measure_theorem: ClassVar[Theorem] = READ
    worst_case_theorem: ClassVar[Theorem] = WORST

    def measure(self, loss: PrivacyLoss, at: Mapping[str, Fraction]) -> Interval:
        self.reading(at)
        return loss.delta(Fraction(0))

    def worst_case(self, parameter: Distance) -> PrivacyLoss:
        told = parameter.distance
        return FiniteLoss([(told, 0), (1 - told, 1 - told), (0, told)])

    def group(self, parameter: Distance, size: int) -> Distance:
        return Distance(min(size * parameter.distance, Fraction(1)))


@hookimpl
def accountant_divergences() -> Iterable[Divergence]:
    return (TotalVariation(),)


@hookimpl
def accountant_conformance_cases() -> Iterable[ConformanceCase]:
    for distance in ("0", "1/10", "3/4", "1"):
        yield ParameterCase(f"total variation {distance}", "total-variation", Distance(distance))
