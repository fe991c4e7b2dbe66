"""A published total of yes and no."""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

from attrs import field, frozen

from accountant import Interval, InvalidValue, Neighbours, Reach, Revealed, Theorem
from accountant.fields import about, above, at_least, below, optional_exact, whole
from accountant.plugin import Public
from accountant_pufferfish.facts.steps import replacing
from accountant_pufferfish.theorems import KNOWN_TOTAL


@frozen
class KnownTotal(Public):
    """How many units said yes, published exactly.

    Definition: units that say yes or no, independently of each other, each with any probability; then the total becomes
    known. That makes them dependent. Whatever else a unit says may depend on its own answer.
    Guarantee: the data differ in two units under the two secrets about one: it and one other, to keep the total. At the
    two extremes the total decides what everybody said.
    """

    kind: ClassVar[str] = "known-total"
    theorem: ClassVar[Theorem] = KNOWN_TOTAL

    records: int = field(
        converter=whole, validator=at_least(1), kw_only=True, metadata=about("how many units were asked, which is public")
    )
    total: int = field(converter=whole, validator=at_least(0), kw_only=True, metadata=about("how many of them said yes"))
    rate: Fraction | None = field(
        default=None,
        converter=optional_exact,
        validator=[above(0), below(1)],
        kw_only=True,
        metadata=about("the probability of yes before the total was known, to say what the total reveals"),
    )

    def __attrs_post_init__(self) -> None:
        if self.total > self.records:
            raise InvalidValue(f"a total of {self.total:,} is more than the {self.records:,} units that were asked")

    @property
    def value(self) -> str:
        return f"{self.total:,} of {self.records:,} said yes"

    @property
    def scenarios(self) -> str:
        return "all laws under which, before the total was known, units were independent, each with any probability of yes"

    @property
    def pairs(self) -> str:
        return "one unit said yes against it said no"

    def reach(self, neighbours: Neighbours) -> Reach:
        return Reach(2 * replacing(neighbours), 0 if self.total in (0, self.records) else None)

    def revealed(self) -> tuple[Revealed, ...]:
        if self.rate is None:
            return ()
        given = Interval.of(Fraction(self.total, self.records))
        return (Revealed("a unit said yes", "units alike", Interval.of(self.rate), given),)
