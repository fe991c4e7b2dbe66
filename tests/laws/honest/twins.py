"""Public information: everybody has a twin who says the same.

Under two secrets about one unit its twin changes with it and nobody else does, so that the data are two replacements
apart: as many moves each as the neighbours need to give a record other values.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any, ClassVar

from attrs import frozen

from accountant import Neighbours, Reach, ShiftError
from accountant.plugin import ConformanceCase, Public, PublicOracle, Theorem, hookimpl
from tests.laws.honest import proved

REACH = Theorem(**proved(__name__, "twins-reach", "A unit and its twin change together, and nobody else."))


@frozen
class Twins(Public):
    """Everybody has a twin who says the same."""

    kind: ClassVar[str] = "twins"
    theorem: ClassVar[Theorem] = REACH

    @property
    def value(self) -> str:
        return "who is whose twin"

    @property
    def scenarios(self) -> str:
        return "all laws under which twins say the same and pairs of twins are independent"

    @property
    def pairs(self) -> str:
        return "one unit has any one value against any other"

    def reach(self, neighbours: Neighbours) -> Reach:
        moves = neighbours.relation.replacement
        if moves is None:
            raise ShiftError(f"'{self.kind}' does not know how many '{neighbours.relation.name}' moves change a record")
        return Reach(2 * moves)


def scenarios(public: Twins) -> Iterable[Mapping[str, Mapping[tuple[Any, ...], Fraction]]]:
    """Two pairs of twins, the second of which says one with some chance."""

    def law(said: int) -> Mapping[tuple[Any, ...], Fraction]:
        return {(said, said, 0, 0): Fraction(2, 3), (said, said, 1, 1): Fraction(1, 3)}

    return [{"the first says 0": law(0), "the first says 1": law(1)}]


def drawn() -> Any:
    """The only one there is."""
    from hypothesis import strategies as st

    return st.just(Twins(name="twins"))


@hookimpl
def accountant_public() -> Iterable[type[Public]]:
    return (Twins,)


@hookimpl
def accountant_conformance_cases() -> Iterable[ConformanceCase]:
    yield PublicOracle("twins", scenarios, drawn)
