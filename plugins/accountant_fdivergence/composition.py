"""How divergences add up, or multiply, over releases."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from attrs import frozen

from accountant import Interval, Theorem
from accountant.plugin import Adaptivity, Additive, CompositionRule
from accountant_fdivergence.theorems import CHAIN, PRODUCTS

Parts = Sequence[tuple[Interval, int]]


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
class StatisticalDistanceProduct(_Product):
    """One less the distance multiplies."""

    name: ClassVar[str] = "statistical-distance-product"
    divergence: ClassVar[str] = "statistical-distance"
    title: ClassVar[str | None] = "one less each distance, multiplied"

    def compose(self, parts: Parts) -> Interval:
        from accountant_fdivergence.products import told_apart

        return told_apart(parts)


@frozen
class HellingerProduct(_Product):
    """One less the squared distance multiplies."""

    name: ClassVar[str] = "hellinger-product"
    divergence: ClassVar[str] = "hellinger"
    title: ClassVar[str | None] = "one less each squared distance, multiplied"

    def compose(self, parts: Parts) -> Interval:
        from accountant_fdivergence.products import told_apart

        return told_apart(parts)


@frozen
class ChiSquareProduct(_Product):
    """One more than chi-square multiplies."""

    name: ClassVar[str] = "chi-square-product"
    divergence: ClassVar[str] = "chi-square"
    title: ClassVar[str | None] = "one more than each chi-square, multiplied"

    def compose(self, parts: Parts) -> Interval:
        from accountant_fdivergence.products import grown

        return grown(parts)
