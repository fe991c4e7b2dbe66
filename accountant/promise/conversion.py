"""Conversion: a published theorem that turns a parameter of one definition into a value of another."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, ClassVar

from attrs import frozen

from accountant.display.brief import Brief
from accountant.numbers.interval import Interval
from accountant.promise.theorem import Theorem
from accountant.values.family import Family


@frozen
class Conversion(Brief, ABC):
    """A formula from the literature that leads from one definition to another, by their names.

    Accounts do not need it: `target.measure(source.worst_case(parameter))` rests on at least as much. It reproduces what
    others computed.
    """

    name: ClassVar[str]
    source: ClassVar[str]
    target: ClassVar[str]
    theorem: ClassVar[Theorem]

    @abstractmethod
    def convert(self, parameter: Any, at: Mapping[str, Fraction]) -> Interval:
        """The value of the target's first reading, at these words, by the formula.

        Guarantee: the interval contains the value of the formula, and every mechanism with the parameter satisfies its
        upper end.
        """


CONVERSIONS: Family[Conversion] = Family("accountant_conversions", "conversion", Conversion, cites=("theorem",))
