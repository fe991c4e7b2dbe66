"""Public: what is known beside the releases, and how far apart it lets the data be when a secret changes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from attrs import field, frozen

from accountant.display.brief import Brief
from accountant.errors import InvalidValue
from accountant.fields import about, names, text
from accountant.numbers.interval import Interval
from accountant.promise.neighbours import Neighbours
from accountant.promise.theorem import Theorem
from accountant.values.family import Family


@frozen
class Reach(Brief):
    """How far apart the data can be coupled under the two sides of any pair of secrets, in units that differ.

    `units` is an upper bound on the Wasserstein distance of order infinity over all scenarios and live pairs; None where
    there is none. `live` counts the pairs of secrets that public information leaves undecided, over all scenarios; None
    where they are not counted. Without a live pair nothing is promised, whatever the number says.
    """

    units: int | None
    live: int | None = None

    @property
    def vacuous(self) -> bool:
        """Whether public information decides every secret."""
        return self.live == 0


@frozen
class Revealed(Brief):
    """What public information alone says about a secret: its probability before and given that information."""

    secret: str
    scenario: str
    before: Interval
    given: Interval


@frozen
class Public(Brief, ABC):
    """Public information, with the laws of the data that are considered given it.

    A promise relative to public information compares the laws of the output under two secrets, each averaged over the
    data that a scenario considers possible. What public information itself reveals is outside that promise.
    """

    kind: ClassVar[str]
    theorem: ClassVar[Theorem]

    name: str = field(
        converter=text, metadata=about("the public variable; promises relative to different ones do not add up")
    )
    determines: frozenset[str] = field(
        default=frozenset(),
        converter=names,
        metadata=about("the invariants of the specification that follow from the public variable"),
    )

    @property
    @abstractmethod
    def value(self) -> str:
        """The published value, in words."""

    @property
    @abstractmethod
    def scenarios(self) -> str:
        """The laws of the data that are considered, in words."""

    @property
    @abstractmethod
    def pairs(self) -> str:
        """Which secrets are to stay apart, in words."""

    @abstractmethod
    def reach(self, neighbours: Neighbours) -> Reach:
        """How far apart the data can be, counted in the moves of a neighbour relation; an error where it does not fit."""

    def revealed(self) -> tuple[Revealed, ...]:
        """What public information alone already says, where the scenarios tell."""
        return ()

    def check_declared(self, invariants: tuple[str, ...]) -> None:
        """Refuse invariants that may differ between datasets that agree on the public variable."""
        for name in sorted(self.determines - set(invariants)):
            raise InvalidValue(f"'{name}' is no invariant of the specification; known: {', '.join(invariants) or 'none'}")
        for name in invariants:
            if name not in self.determines:
                raise InvalidValue(
                    f"the invariant '{name}' may differ between datasets that agree on '{self.name}', and nothing is "
                    "promised between such; if the public variable settles it, list it in 'determines'"
                )


PUBLIC_FACTS: Family[type[Public]] = Family(
    "accountant_public", "public information", Public, classes=True, named_by="kind", cites=("theorem",)
)
