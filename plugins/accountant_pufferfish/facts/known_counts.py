"""A published table of how often each value occurs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import ClassVar

from attrs import field, frozen

from accountant import InvalidValue, Neighbours, Reach, Theorem
from accountant.fields import about, whole
from accountant.plugin import Public
from accountant_pufferfish.facts.steps import replacing
from accountant_pufferfish.theorems import KNOWN_COUNTS


def _counts(value: Iterable[object]) -> tuple[int, ...]:
    if isinstance(value, (str, bytes, Mapping)) or not isinstance(value, Iterable):
        raise InvalidValue(f"expected a list of counts, got {value!r}; give whole numbers such as [12, 7, 0]")
    counts = tuple(whole(count) for count in value)  # type: ignore[arg-type]
    if not any(counts) or min(counts) < 0:
        raise InvalidValue("counts are at least 0, and not all of them are 0")
    return counts


@frozen
class KnownCounts(Public):
    """How many units have each value, published exactly; who has which is not known.

    Definition: given the counts, all ways to distribute the values over the units are equally likely. Whatever else a unit
    says may depend on its own value.
    Guarantee: the data differ in two units under two secrets about one: it and one other that has the value instead. Where
    all units have the same value, the counts decide everything.
    """

    kind: ClassVar[str] = "known-counts"
    theorem: ClassVar[Theorem] = KNOWN_COUNTS

    counts: tuple[int, ...] = field(
        converter=_counts,
        kw_only=True,
        metadata=about(
            "how many units have each value", {"type": "array", "minItems": 1, "items": {"type": "integer", "minimum": 0}}
        ),
    )

    @property
    def value(self) -> str:
        return f"{', '.join(f'{count:,}' for count in self.counts)} units with each value"

    @property
    def scenarios(self) -> str:
        return "given the counts, all ways to distribute the values over the units are equally likely"

    @property
    def pairs(self) -> str:
        return "one unit has any one value against any other"

    def reach(self, neighbours: Neighbours) -> Reach:
        present = sum(1 for count in self.counts if count)
        return Reach(2 * replacing(neighbours), sum(self.counts) * (present * (present - 1) // 2))
