"""Results: what a ledger answers."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, Literal

from attrs import field, frozen

from accountant.ledger.lines import Line

State = Literal["reserved", "committed", "cancelled"]


@frozen
class Quote:
    """What releases would cost now. Nothing is promised to whoever asks: only a reservation holds the price."""

    fits: bool
    _lines: Callable[[], tuple[Line, ...]] = field(eq=False, repr=False)

    @cached_property
    def lines(self) -> tuple[Line, ...]:
        """Every budget in its own definition, worked out when it is asked for."""
        return self._lines()

    def as_data(self) -> dict[str, Any]:
        """The quote as plain data."""
        return {"fits": self.fits, "budgets": [line.as_data() for line in self.lines]}


@frozen
class Reservation:
    """Releases whose cost is set aside, and what became of them."""

    number: int
    state: State
    names: tuple[str, ...]
    key: str | None = None
    repeated: bool = False
    """Whether an earlier request with the same key made it, so that this one changed nothing."""

    def as_data(self) -> dict[str, Any]:
        """The reservation as plain data."""
        return {
            "number": self.number,
            "state": self.state,
            "releases": list(self.names),
            **({} if self.key is None else {"key": self.key}),
            "repeated": self.repeated,
        }


@frozen
class Status:
    """Where a ledger stands: its budgets, its open reservations, and the head of its chain."""

    name: str
    title: str
    adaptivity: str
    entries: int
    head: str
    lines: tuple[Line, ...]
    open: tuple[Reservation, ...]

    def as_data(self) -> dict[str, Any]:
        """The status as plain data."""
        return {
            "name": self.name,
            "title": self.title,
            "adaptivity": self.adaptivity,
            "entries": self.entries,
            "head": self.head,
            "budgets": [line.as_data() for line in self.lines],
            "open": [item.as_data() for item in self.open],
        }


@frozen
class Forecast:
    """Where a ledger would stand after some changes, made one after the other.

    `accepted` and `refused` name releases in the order in which they were tried; `repeats` says how often more all that was
    tried would fit after that, None meaning without end.
    """

    accepted: tuple[str, ...]
    refused: tuple[str, ...]
    lines: tuple[Line, ...]
    repeats: int | None

    def as_data(self) -> dict[str, Any]:
        """The forecast as plain data."""
        return {
            "accepted": list(self.accepted),
            "refused": list(self.refused),
            "repeats": self.repeats,
            "budgets": [line.as_data() for line in self.lines],
        }
