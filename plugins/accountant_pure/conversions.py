"""Published conversions from pure differential privacy."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

from attrs import frozen

from accountant import Interval, Theorem
from accountant.numbers.rounding import Ball, tanh
from accountant.plugin import Conversion

if TYPE_CHECKING:
    from accountant_pure.definition import PureParameter

CLASSIC = Theorem(
    "pure-to-zcdp-classic",
    "A mechanism with parameter epsilon satisfies rho = epsilon^2/2.",
    "bun2016concentrated",
    "Proposition 1.4",
)
TIGHT = Theorem(
    "pure-to-zcdp-tight",
    "A mechanism with parameter epsilon satisfies rho = epsilon tanh(epsilon/2), and randomised response attains it.",
    "accountant",
    "explanation/published-conversions",
    assurance="proved-here",
)
WEAKER = Theorem(
    "pure-to-approx",
    "A mechanism with parameter epsilon satisfies that epsilon at every delta.",
    "accountant",
    "explanation/published-conversions",
    assurance="proved-here",
)


@frozen
class PureToZcdpClassic(Conversion):
    """epsilon^2/2."""

    name: ClassVar[str] = "pure-to-zcdp-classic"
    source: ClassVar[str] = "pure"
    target: ClassVar[str] = "zcdp"
    theorem: ClassVar[Theorem] = CLASSIC

    def convert(self, parameter: PureParameter, at: Mapping[str, Fraction]) -> Interval:
        return Interval.of(parameter.epsilon**2 / 2)


@frozen
class PureToZcdpTight(Conversion):
    """epsilon tanh(epsilon/2)."""

    name: ClassVar[str] = "pure-to-zcdp-tight"
    source: ClassVar[str] = "pure"
    target: ClassVar[str] = "zcdp"
    theorem: ClassVar[Theorem] = TIGHT

    def convert(self, parameter: PureParameter, at: Mapping[str, Fraction]) -> Interval:
        if not parameter.epsilon:
            return Interval.of(0)
        epsilon = Ball.of(parameter.epsilon)
        return (epsilon * tanh(0.5 * epsilon)).interval(0.0)


@frozen
class PureToApprox(Conversion):
    """epsilon, whatever delta is."""

    name: ClassVar[str] = "pure-to-approx"
    source: ClassVar[str] = "pure"
    target: ClassVar[str] = "approx"
    theorem: ClassVar[Theorem] = WEAKER

    def convert(self, parameter: PureParameter, at: Mapping[str, Fraction]) -> Interval:
        return Interval.of(parameter.epsilon)
