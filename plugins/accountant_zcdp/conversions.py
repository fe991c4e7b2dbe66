"""Published conversions from zero-concentrated to approximate differential privacy."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

from attrs import frozen

from accountant import Interval, Theorem
from accountant.numbers import float_above, float_below, log_of
from accountant.numbers.rounding import Ball, lowered, raised
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
    """rho a + log(1/(a delta))/(a - 1) + log(1 - 1/a) at the best order a.

    For a given epsilon the logarithm of delta is convex in a. The best order solves rho (a - 1)^2 + log a = log(1/delta),
    and there epsilon = (2 a - 1) rho + log(1 - 1/a). Both grow with a: an order below the best one bounds the best epsilon
    from below, and any order bounds it from above.
    """

    name: ClassVar[str] = "zcdp-to-approx-optimised"
    source: ClassVar[str] = "zcdp"
    target: ClassVar[str] = "approx"
    theorem: ClassVar[Theorem] = OPTIMISED

    def convert(self, parameter: ZcdpParameter, at: Mapping[str, Fraction]) -> Interval:
        if not parameter.rho:
            return Interval.of(0)
        nats = log_of(1 / at["delta"])
        below, above = _best(float_above(parameter.rho), nats.lower)
        lower = _least(float_below(parameter.rho), below) if below else 0.0
        upper = _valid(float_above(parameter.rho), above, nats.upper)
        return Interval(min(lower, upper), upper).clamp(0.0, math.inf)


def _best(rho: float, nats: float) -> tuple[float, float]:
    """Two neighbouring orders less 1, the first certainly below the best one, or 0."""
    low, high = 0.0, min(math.sqrt(nats) / math.sqrt(rho), math.expm1(min(nats, 700.0)))
    while low < (middle := 0.5 * (low + high)) < high:
        # Two products, a logarithm that counts for four, and a sum.
        if raised(rho * middle * middle + math.log1p(middle), 7) <= nats:
            low = middle
        else:
            high = middle
    return low, high


def _least(rho: float, step: float) -> float:
    """(2 a - 1) rho + log(1 - 1/a) at the order 1 + step, rounded down."""
    terms = (1.0 + 2.0 * step) * rho, math.log(step), -math.log1p(step)
    return _sum(terms).lower


def _valid(rho: float, step: float, nats: float) -> float:
    """The conversion at the order 1 + step, rounded up."""
    if not step:
        return math.inf
    terms = (1.0 + step) * rho, nats / step, -math.log1p(step) / step, math.log(step), -math.log1p(step)
    return _sum(terms).upper


def _sum(terms: tuple[float, ...]) -> Ball:
    """The sum of terms that are rounded up to 5 times each, and once together."""
    return Ball.rounded(math.fsum(terms), 6.0, math.fsum(map(abs, terms)))
