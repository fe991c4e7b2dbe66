"""Records that depend on each other in blocks at most, given what is public."""

from __future__ import annotations

from typing import ClassVar, Literal

from attrs import Attribute, field, frozen

from accountant import InvalidValue, Neighbours, Reach, Theorem
from accountant.fields import about, at_least, at_most, text, whole
from accountant.plugin import Public
from accountant_pufferfish.facts.steps import leaving, replacing
from accountant_pufferfish.theorems import BLOCKS

Secrets = Literal["values", "presence"]

_PAIRS = {
    "values": "one unit has any one value against any other",
    "presence": "one unit is in the data, with any value, against not being in it",
}


def _known(instance: object, attribute: Attribute[str] | None, value: object) -> None:
    if value not in _PAIRS:
        raise InvalidValue(f"expected {' or '.join(map(repr, _PAIRS))}, got {value!r}")


@frozen
class Units(Public):
    """Units and what is secret about one of them."""

    value: str = field(
        default="any value",
        converter=text,
        kw_only=True,
        metadata=about("what was published, in words"),
    )
    secrets: Secrets = field(
        default="values",
        validator=_known,
        kw_only=True,
        metadata=about("what is secret about a unit: its values, or its presence", {"enum": ["values", "presence"]}),
    )

    @property
    def pairs(self) -> str:
        return _PAIRS[self.secrets]


@frozen
class Independent(Units):
    """Units that are independent of each other given what is public.

    Definition: given the published value, what each unit says is independent of what all others say, with any laws.
    Guarantee: the data differ in one unit under two secrets about it.
    """

    kind: ClassVar[str] = "independent"
    theorem: ClassVar[Theorem] = BLOCKS

    @property
    def scenarios(self) -> str:
        return "all laws under which units are independent of each other given what is public"

    def reach(self, neighbours: Neighbours) -> Reach:
        return Reach(_moved(1, self.secrets, neighbours))


@frozen
class Blocks(Units):
    """Units that depend on each other inside blocks only, such as households, given what is public.

    Definition: given the published value, what the units of one block say is independent of what all others say; inside a
    block anything goes. It must not depend on the data who belongs to which block.
    Guarantee: the data differ in one block under two secrets about one of its units.
    """

    kind: ClassVar[str] = "blocks"
    theorem: ClassVar[Theorem] = BLOCKS

    size: int = field(
        converter=whole,
        validator=[at_least(1), at_most(5000)],
        kw_only=True,
        metadata=about("the most units that a block has"),
    )

    @property
    def scenarios(self) -> str:
        return (
            f"all laws under which units depend on each other inside blocks of at most {self.size:,} only, given what is "
            "public"
        )

    def reach(self, neighbours: Neighbours) -> Reach:
        return Reach(_moved(self.size, self.secrets, neighbours))


def _moved(size: int, secrets: Secrets, neighbours: Neighbours) -> int:
    """The moves that change everything in a block; a unit that only comes or goes needs a single one."""
    if secrets == "values":
        return size * replacing(neighbours)
    return leaving(neighbours) + (size - 1) * replacing(neighbours)
