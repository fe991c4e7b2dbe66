"""Policy: what narrows a neighbour relation, where not all datasets that its record moves reach are neighbours.

A relation says how many records come and go; a policy says which. Whatever only needs to know how far something may move
reads the moves, which hold for all neighbours. Whatever needs to know that some datasets *are* neighbours, as a distance, a
counterexample or the step from one relation to another does, asks the policy, and where that does not say, nothing is
concluded. See docs/explanation/policies.md.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from attrs import frozen

from accountant.display.brief import Brief
from accountant.values.family import Family, Kind

if TYPE_CHECKING:
    from accountant.promise.neighbours import Relation

Record = Mapping[str, Any] | None
"""The values of a record by attribute; None for a null record, which stands for somebody whose record was taken out."""


@frozen
class Policy(Brief, metaclass=Kind):
    """Which of the datasets that record moves reach are neighbours.

    `moves` bound what neighbours do to the records that an answer is made of: no two of them differ by more than one of
    these. `edits` is as in a relation. `unit` is what the policy is about where it makes no sense of anything else, and
    `public_size` says that how many records there are is the same in both, though some of them add nothing.
    """

    kind: ClassVar[str]
    instead: ClassVar[Mapping[str, str]] = {}
    """What to write for parameters that people expect here and that there are not, by name."""
    edits: ClassVar[bool] = False
    unit: ClassVar[str | None] = None
    public_size: ClassVar[bool] = False

    @property
    @abstractmethod
    def moves(self) -> Iterable[tuple[int, int]]:
        """The record moves that bound what neighbours do: (records that appear, records that disappear)."""

    @property
    @abstractmethod
    def meaning(self) -> str:
        """Which datasets are neighbours, in words that follow *datasets where*."""

    @property
    def differing(self) -> frozenset[str] | None:
        """The attributes in which neighbours differ and no others; None where a policy is not about some attributes."""
        return None

    @property
    def leaves_open(self) -> str:
        """Sentences on what a reader could otherwise take to be promised; nothing where nothing is left out."""
        return ""

    @abstractmethod
    def joins(self, gone: Sequence[Record], come: Sequence[Record]) -> bool:
        """Whether datasets are neighbours that are alike but for these records of the one and those of the other."""

    def steps_in(self, other: Relation) -> int | None:
        """At most how many steps between neighbours of another relation lead from each neighbour to the other.

        The steps are in the domain of that relation. None where that is not known.
        """
        return None

    def steps_for(self, other: Relation) -> int | None:
        """At most how many steps between these neighbours lead from each neighbour of another relation to the other.

        Only relations are asked about that differ in no other attributes. None where that is not known.
        """
        return None

    def told_apart(self, other: Relation) -> tuple[str, str, str] | None:
        """What never differs between datasets that these steps connect, and two values in which neighbours of another
        relation differ and which it tells apart, all in words; None where no such thing is known.
        """
        return None


POLICIES: Family[type[Policy]] = Family("accountant_policies", "neighbour policy", Policy, classes=True, named_by="kind")
