"""From pure differential privacy to zero-concentrated: half the square of epsilon."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any, ClassVar

from attrs import frozen

from accountant import Interval
from accountant.plugin import Conversion, Theorem, hookimpl

HALF = Theorem(
    "half-square", "Pure privacy with epsilon is zCDP with epsilon^2/2.", "bun2016concentrated", "Proposition 1.4"
)


@frozen
class HalfSquare(Conversion):
    """epsilon squared, over two."""

    name: ClassVar[str] = "half-square"
    source: ClassVar[str] = "pure"
    target: ClassVar[str] = "zcdp"
    theorem: ClassVar[Theorem] = HALF

    def convert(self, parameter: Any, at: Mapping[str, Fraction]) -> Interval:
        return Interval.of(parameter.epsilon**2 / 2)


@hookimpl
def accountant_conversions() -> Iterable[Conversion]:
    return (HalfSquare(),)
