"""Mechanism: the randomisation of a release."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

from attrs import frozen

from accountant.errors import InvalidValue, ShiftError
from accountant.invariant import Invariant
from accountant.neighbours import Relation
from accountant.query import Shift
from accountant.theorem import Theorem
from accountant.universe import refines

if TYPE_CHECKING:
    from accountant.loss import PrivacyLoss


@frozen
class Mechanism(ABC):
    """A randomisation, known by its privacy loss.

    A subclass is a frozen attrs class whose fields are its parameters, with the name it has in plans as `kind` and the
    theorem that gives its loss as `theorem`.
    """

    kind: ClassVar[str]
    theorem: ClassVar[Theorem]
    needs_query: ClassVar[bool] = True
    relations: ClassVar[tuple[str, ...] | None] = None
    """The neighbour relations that its theorem covers, by name; None where how far the query moves says everything."""

    @abstractmethod
    def loss(self, shift: Shift) -> PrivacyLoss:
        """A privacy loss that dominates every pair of output laws whose query answers differ by at most `shift`.

        The shift is never zero: a query that does not move costs nothing whatever the mechanism.
        """

    def check(self, relation: Relation) -> None:
        """Raise ShiftError, with what is supported, if nothing is known about the mechanism between such neighbours."""
        if self.relations is not None and relation.name not in self.relations:
            supported = " or ".join(f"'{name}'" for name in self.relations)
            raise ShiftError(
                f"'{self.kind}' is accounted for between {supported} neighbours only, not between '{relation.name}' ones"
            )

    def publishes(self) -> tuple[Invariant, ...]:
        """The statistics that the output shows exactly, whatever the data."""
        return ()

    def check_declared(self, invariants: Collection[Invariant]) -> None:
        """Raise InvalidValue if the invariants of a specification do not fix what the mechanism publishes exactly."""
        missing = refines(invariants, self.publishes()).missing
        if missing:
            names = " and ".join(f"'{known.name}'" for known in missing)
            written = ", ".join(known.written() for known in missing)
            raise InvalidValue(
                f"'{self.kind}' publishes {names} exactly, but the specification does not declare it: for datasets that "
                f"differ in it nothing is promised; add {written} to the specification's invariants"
            )

    def scaled(self, factor: Fraction) -> Mechanism | None:
        """The same with `factor` times the noise, or None where there is no noise to scale."""
        return None
