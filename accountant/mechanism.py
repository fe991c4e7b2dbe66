"""Mechanism: the randomisation of a release."""

from __future__ import annotations

from abc import ABC, abstractmethod
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

from attrs import frozen

from accountant.errors import InvalidValue, ShiftError
from accountant.neighbours import Relation
from accountant.query import Shift
from accountant.theorem import Theorem

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
    alternatives: ClassVar[tuple[str, ...]] = ()
    """Optional parameters that say the same in different ways: exactly one is given."""

    def __attrs_post_init__(self) -> None:
        given = [name for name in self.alternatives if getattr(self, name) is not None]
        if self.alternatives and len(given) != 1:
            words = " or ".join(f"'{name}'" for name in self.alternatives)
            raise InvalidValue(f"'{self.kind}' needs either {words}, got {'both' if given else 'neither'}")

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

    def scaled(self, factor: Fraction) -> Mechanism | None:
        """The same with `factor` times the noise, or None where there is no noise to scale."""
        return None
