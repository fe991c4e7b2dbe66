"""Results: what a ledger answers."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, Literal

from attrs import field, frozen

from accountant.display.brief import Rich
from accountant.display.card import Card, Label, Tone
from accountant.ledger.cards import budget_table
from accountant.ledger.lines import Line
from accountant.values.writing import listed

State = Literal["reserved", "committed", "cancelled"]

_TONES: dict[State, Tone] = {"reserved": "neutral", "committed": "good", "cancelled": "doubtful"}


@frozen
class Quote(Rich):
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

    def _card(self) -> Card:
        """Whether it fits, what is asked of every budget and what is left of it; and that nothing is held by asking."""
        facts = (("promised", "nothing: only a reservation holds the price"),)
        return Card("what it would cost now", self._label(), facts, (budget_table(self.lines, asked=True),))

    def _headline(self) -> str:
        return f"{self._label().word}: what it would cost now"

    def _label(self) -> Label:
        return Label("fits", "good") if self.fits else Label("does not fit", "bad")


@frozen
class Reservation(Rich):
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

    def _card(self) -> Card:
        """What became of it, which releases it is for, and how it is asked for again."""
        facts = (
            ("releases", listed(self.names)),
            *([] if self.key is None else [("key", self.key)]),
            *([("made", "by an earlier request with the same key")] if self.repeated else []),
        )
        return Card(f"reservation {self.number:,}", Label(self.state, _TONES[self.state]), facts)


@frozen
class Status(Rich):
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

    def _card(self) -> Card:
        """What is spent, reserved and left of every budget, what is open, and the head of the chain."""
        waiting = ", ".join(f"{item.number} ({', '.join(item.names)})" for item in self.open)
        facts = (
            ("releases are chosen", self.adaptivity),
            ("entries", f"{self.entries:,}, the last {self.head}"),
            *([("open reservations", waiting)] if waiting else []),
        )
        label = Label("used up", "doubtful") if any(line.left <= 0 for line in self.lines) else None
        return Card(f"'{self.title}' in the ledger '{self.name}'", label, facts, (budget_table(self.lines),))


@frozen
class Forecast(Rich):
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

    def _card(self) -> Card:
        """Which releases would be let out, and what would be left."""
        repeats = "without end" if self.repeats is None else f"{self.repeats:,} times more"
        facts = (
            *([("accepted", listed(self.accepted))] if self.accepted else []),
            *([("refused", listed(self.refused))] if self.refused else []),
            ("the same again", repeats),
        )
        label = Label("refused", "bad") if self.refused else Label("fits", "good")
        return Card("where the ledger would stand", label, facts, (budget_table(self.lines),))
