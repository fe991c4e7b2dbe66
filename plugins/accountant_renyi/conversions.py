"""Published conversions from Renyi to approximate differential privacy."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

from attrs import frozen

from accountant import Interval, Theorem
from accountant.numbers import log_of
from accountant.plugin import Conversion

if TYPE_CHECKING:
    from accountant_renyi.definition import RenyiParameter

CLASSIC = Theorem(
    "renyi-to-approx-classic",
    "A mechanism with gamma at order a satisfies epsilon = gamma + log(1/delta)/(a - 1) at every delta.",
    "mironov2017renyi",
    "Proposition 3",
)
IMPROVED = Theorem(
    "renyi-to-approx-improved",
    "A mechanism with gamma at order a satisfies epsilon = gamma + log(1/(a delta))/(a - 1) + log(1 - 1/a) at every delta.",
    "canonne2020discrete",
    "Section 2.3",
)


@frozen
class RenyiToApproxClassic(Conversion):
    """gamma + log(1/delta)/(a - 1)."""

    name: ClassVar[str] = "renyi-to-approx-classic"
    source: ClassVar[str] = "renyi"
    target: ClassVar[str] = "approx"
    theorem: ClassVar[Theorem] = CLASSIC

    def convert(self, parameter: RenyiParameter, at: Mapping[str, Fraction]) -> Interval:
        return Interval.of(parameter.gamma) + _divided(log_of(1 / at["delta"]), parameter.order - 1)


@frozen
class RenyiToApproxImproved(Conversion):
    """gamma + log(1/(a delta))/(a - 1) + log(1 - 1/a), or 0 where that is negative."""

    name: ClassVar[str] = "renyi-to-approx-improved"
    source: ClassVar[str] = "renyi"
    target: ClassVar[str] = "approx"
    theorem: ClassVar[Theorem] = IMPROVED

    def convert(self, parameter: RenyiParameter, at: Mapping[str, Fraction]) -> Interval:
        order = parameter.order
        spread = _divided(log_of(1 / (order * at["delta"])), order - 1)
        value = Interval.of(parameter.gamma) + spread + log_of(1 - 1 / order)
        return Interval(value.lower, value.upper).clamp(0.0, math.inf)


def _divided(value: Interval, divisor: Fraction) -> Interval:
    """A quotient, exact up to the ends of the dividend."""
    low, high = (Interval.of(Fraction(end) / divisor) for end in (value.lower, value.upper))
    return Interval(low.lower, high.upper)
