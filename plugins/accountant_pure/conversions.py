"""Published conversions from pure differential privacy."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

from attrs import frozen

from accountant import Interval, Theorem
from accountant.numbers import float_above, float_below
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
_ROUNDING, _TINY = 2.0**-50, 2.0**-1000


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
        low, high = (end * math.tanh(0.5 * end) for end in (float_below(parameter.epsilon), float_above(parameter.epsilon)))
        return Interval(low * (1.0 - _ROUNDING), high * (1.0 + _ROUNDING) + _TINY)


@frozen
class PureToApprox(Conversion):
    """epsilon, whatever delta is."""

    name: ClassVar[str] = "pure-to-approx"
    source: ClassVar[str] = "pure"
    target: ClassVar[str] = "approx"
    theorem: ClassVar[Theorem] = WEAKER

    def convert(self, parameter: PureParameter, at: Mapping[str, Fraction]) -> Interval:
        return Interval.of(parameter.epsilon)
