"""How divergences add up, or multiply, over releases."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import ClassVar

from attrs import frozen

from accountant import Interval, Theorem
from accountant.numbers.rounding import Ball, expm1, log1p
from accountant.plugin import Adaptivity, Additive, CompositionRule
from accountant_fdivergence.theorems import CHAIN, PRODUCTS

Parts = Sequence[tuple[Interval, int]]
_HIGHEST = 640.0


def told_apart(parts: Parts) -> Interval:
    """1 - product of (1 - value), over all parts."""
    low, high = ([(end, count) for end, count in ends] for ends in _ends(parts))
    return Interval(max(0.0, _lacking(low).lower), min(1.0, _lacking(high).upper))


def grown(parts: Parts) -> Interval:
    """The product of (1 + value) over all parts, less 1."""
    low, high = (sum((log1p(Ball(min(end, 1e300))) * count for end, count in ends), Ball(0.0)) for ends in _ends(parts))
    finite = high.upper <= _HIGHEST and all(value.upper <= 1e300 for value, _ in parts)
    least = expm1(Ball(min(low.lower, _HIGHEST))).lower
    return Interval(max(0.0, least), expm1(Ball(high.upper)).upper if finite else math.inf)


def _ends(parts: Parts) -> tuple[list[tuple[float, int]], list[tuple[float, int]]]:
    return [(value.lower, count) for value, count in parts], [(value.upper, count) for value, count in parts]


def _lacking(ends: list[tuple[float, int]]) -> Ball:
    if any(end >= 1.0 for end, _ in ends):
        return Ball(1.0)
    return -expm1(sum((log1p(-Ball(end)) * count for end, count in ends), Ball(0.0)))


@frozen
class RelativeEntropySum(Additive):
    """Nats add up."""

    name: ClassVar[str] = "relative-entropy-sum"
    divergence: ClassVar[str] = "relative-entropy"
    adaptivity: ClassVar[Adaptivity] = "fully-adaptive"
    theorem: ClassVar[Theorem] = CHAIN
    merges: ClassVar[bool] = False


@frozen
class _Product(CompositionRule):
    adaptivity: ClassVar[Adaptivity] = "adaptive"
    theorem: ClassVar[Theorem] = PRODUCTS
    merges: ClassVar[bool] = False


@frozen
class TotalVariationProduct(_Product):
    """One less the distance multiplies."""

    name: ClassVar[str] = "total-variation-product"
    divergence: ClassVar[str] = "total-variation"
    title: ClassVar[str | None] = "one less each distance, multiplied"

    def compose(self, parts: Parts) -> Interval:
        return told_apart(parts)


@frozen
class HellingerProduct(_Product):
    """One less the squared distance multiplies."""

    name: ClassVar[str] = "hellinger-product"
    divergence: ClassVar[str] = "hellinger"
    title: ClassVar[str | None] = "one less each squared distance, multiplied"

    def compose(self, parts: Parts) -> Interval:
        return told_apart(parts)


@frozen
class ChiSquareProduct(_Product):
    """One more than chi-square multiplies."""

    name: ClassVar[str] = "chi-square-product"
    divergence: ClassVar[str] = "chi-square"
    title: ClassVar[str | None] = "one more than each chi-square, multiplied"

    def compose(self, parts: Parts) -> Interval:
        return grown(parts)
