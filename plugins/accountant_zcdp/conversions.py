"""Published conversions from zero-concentrated to approximate differential privacy."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

from attrs import frozen

from accountant import Interval, Theorem
from accountant.numbers import float_above, float_below, log_of
from accountant.numbers.rounding import lowered, raised
from accountant.plugin import Conversion

if TYPE_CHECKING:
    from accountant_zcdp.definition import ZcdpParameter

CLASSIC = Theorem(
    "zcdp-to-approx-classic",
    "A mechanism with parameter rho satisfies epsilon = rho + 2 sqrt(rho log(1/delta)) at every delta.",
    "bun2016concentrated",
    "Proposition 1.3",
)
OPTIMISED = Theorem(
    "zcdp-to-approx-optimised",
    "A mechanism with parameter rho satisfies epsilon = rho a + log(1/(a delta))/(a - 1) + log(1 - 1/a) at every delta, "
    "for every order a above 1.",
    "canonne2020discrete",
    "Section 2.3",
)


@frozen
class ZcdpToApproxClassic(Conversion):
    """rho + 2 sqrt(rho log(1/delta))."""

    name: ClassVar[str] = "zcdp-to-approx-classic"
    source: ClassVar[str] = "zcdp"
    target: ClassVar[str] = "approx"
    theorem: ClassVar[Theorem] = CLASSIC

    def convert(self, parameter: ZcdpParameter, at: Mapping[str, Fraction]) -> Interval:
        nats = log_of(1 / at["delta"])
        rho = float_below(parameter.rho), float_above(parameter.rho)
        ends = zip(rho, (nats.lower, nats.upper), strict=True)
        low, high = (part + 2.0 * math.sqrt(part) * math.sqrt(end) for part, end in ends)
        # Two roots, two products and a sum.
        return Interval(lowered(low, 5), raised(high, 5))


@frozen
class ZcdpToApproxOptimised(Conversion):
    """rho a + log(1/(a delta))/(a - 1) + log(1 - 1/a) at the best order a."""

    name: ClassVar[str] = "zcdp-to-approx-optimised"
    source: ClassVar[str] = "zcdp"
    target: ClassVar[str] = "approx"
    theorem: ClassVar[Theorem] = OPTIMISED

    def convert(self, parameter: ZcdpParameter, at: Mapping[str, Fraction]) -> Interval:
        from accountant_zcdp.best_order import best_epsilon

        return best_epsilon(parameter.rho, at["delta"])
