"""Statement: what a number in prose says, as a value that can be enumerated."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, Literal

from attrs import field, frozen

from accountant.display.brief import Brief
from accountant.fields import text
from accountant.numbers.exact import plain
from accountant.numbers.interval import Interval
from accountant.promise.words import ComparedPairs

Outcomes = Sequence[tuple[Fraction, Fraction]]
"""Two output laws, outcome by outcome: how likely each is under the first and under the second."""


@frozen
class Quantity(Brief):
    """What a number counts: a function of two output laws, straight from its definition.

    Guarantee: `of` shares nothing with the way in which the number was computed, so that it can be held against it.
    """

    name: str = field(converter=text)
    of: Callable[[Outcomes, Mapping[str, Fraction]], Interval] = field(repr=False, eq=False)


def _words(at: Mapping[str, Fraction] | tuple[tuple[str, Fraction], ...]) -> tuple[tuple[str, Fraction], ...]:
    return tuple(at.items()) if isinstance(at, Mapping) else at


@frozen
class Statement(Brief):
    """One number of a document: what is written, what it counts, between which datasets, and which way it bounds.

    Guarantee: `at most` says that no pair of datasets that is compared, in either order, has more; `at least` that some
    pair has as much.
    """

    text: str
    comparison: ComparedPairs
    quantity: Quantity
    number: Fraction
    at: tuple[tuple[str, Fraction], ...] = field(default=(), converter=_words)
    direction: Literal["at most", "at least"] = "at most"
    release: str | None = None
    """The release that is spoken of alone; None where all are seen together."""

    def as_data(self) -> dict[str, Any]:
        """The statement as plain data."""
        return {
            "kind": "statement",
            "text": self.text,
            "between": self.comparison.between,
            "conditions": list(self.comparison.conditions),
            "quantity": self.quantity.name,
            "at": {word: plain(value) for word, value in self.at},
            "direction": self.direction,
            "number": plain(self.number),
            **({} if self.release is None else {"release": self.release}),
        }
