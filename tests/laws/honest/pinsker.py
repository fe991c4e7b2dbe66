"""From zero-concentrated privacy to total variation: the root of half of rho, by Pinsker's inequality.

The Kullback-Leibler divergence is the Renyi divergence of order one, which is at most rho.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any, ClassVar

from attrs import frozen

from accountant import Interval
from accountant.numbers import float_above, float_below
from accountant.plugin import Conversion, Theorem, hookimpl
from tests.laws.honest import proved

PINSKER = Theorem(**proved(__name__, "pinsker", "Total variation is at most the root of half the divergence."))


@frozen
class Pinsker(Conversion):
    """The root of half of rho, and never more than one."""

    name: ClassVar[str] = "pinsker"
    source: ClassVar[str] = "zcdp"
    target: ClassVar[str] = "total-variation"
    theorem: ClassVar[Theorem] = PINSKER

    def convert(self, parameter: Any, at: Mapping[str, Fraction]) -> Interval:
        half = parameter.rho / 2
        if half >= 1:
            return Interval.of(1)
        low, high = math.sqrt(float_below(half)), math.sqrt(float_above(half))
        return Interval(math.nextafter(low, 0.0), math.nextafter(high, 2.0))


@hookimpl
def accountant_conversions() -> Iterable[Conversion]:
    return (Pinsker(),)
