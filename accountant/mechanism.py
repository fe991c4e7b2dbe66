"""Mechanism: the randomisation of a release."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

import attrs
from attrs import frozen

from accountant.errors import ShiftError
from accountant.neighbours import Relation
from accountant.query import Shift
from accountant.theorem import Theorem

if TYPE_CHECKING:
    from accountant.loss import PrivacyLoss


@frozen
class Mechanism(ABC):
    """A randomisation, known by its privacy loss.

    A subclass is a frozen attrs class whose fields are its parameters, with the name it has in plans as `kind` and the
    theorem that gives its loss as `theorem`. Mechanisms among the parameters are asked what they need and cover as well.
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

    def scaled(self, factor: Fraction) -> Mechanism | None:
        """The same with `factor` times the noise, or None where there is no noise to scale."""
        return None

    def nested(self) -> Iterator[tuple[str, Mechanism]]:
        """This mechanism and all that it is made of, each with the path that leads to it, such as '.parts[0].mechanism'."""
        yield "", self
        for path, inner in self.inside():
            for further, part in inner.nested():
                yield path + further, part

    def inside(self) -> Iterator[tuple[str, Mechanism]]:
        """The mechanisms among its parameters, each with the path that leads to it."""
        yield from _inside(self)

    @property
    def asks_query(self) -> bool:
        """Whether this mechanism, or any that it is made of, needs a query."""
        return any(part.needs_query for _, part in self.nested())


def _inside(value: object) -> Iterator[tuple[str, Mechanism]]:
    for member in attrs.fields(type(value)) if attrs.has(type(value)) else ():  # type: ignore[arg-type]
        path, item = f".{member.alias or member.name}", getattr(value, member.name)
        several = (
            [(f"{path}[{index}]", part) for index, part in enumerate(item)] if isinstance(item, tuple) else [(path, item)]
        )
        for place, part in several:
            if isinstance(part, Mechanism):
                yield place, part
            else:
                yield from ((place + further, inner) for further, inner in _inside(part))
