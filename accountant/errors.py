"""Every error a user can meet: one root, one class per mistake, each saying who, what and what to do."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from attrs import field, frozen

_LONGEST_QUOTE, _LONGEST_PLACE = 110, 60


class AccountantError(Exception):
    """Root of all errors raised on purpose. The command line prints its message and exits with 2."""


class InvalidValue(AccountantError):
    """A value that cannot be used where it was given."""


@frozen
class Fault:
    """One thing wrong with an input, and where it stands: the place, and where known what is called so, file and line."""

    message: str
    place: str
    name: str | None = field(default=None, eq=False)
    file: str | None = field(default=None, eq=False)
    line: int | None = field(default=None, eq=False)
    key: str | None = field(default=None, eq=False)
    """The key that it is about, where the place is that of the table which the key stands in."""

    def __repr__(self) -> str:
        said = self.message if len(self.message) <= _LONGEST_QUOTE else f"{self.message[: _LONGEST_QUOTE - 1]}…"
        place = self.place if len(self.place) <= _LONGEST_PLACE else f"…{self.place[1 - _LONGEST_PLACE :]}"
        return f"Fault({said!r}, {place!r})"

    def __str__(self) -> str:
        file = self.file if self.line is None else f"{self.file}:{self.line}"
        known = [part for part in (file, self.name and f"'{self.name}'") if part]
        return "".join(f"{part}: " for part in known) + f"{self.message} @ {self.place}"


class PlanError(AccountantError):
    """A plan that cannot be accepted; carries all its faults at once."""

    def __init__(self, faults: tuple[Fault, ...]) -> None:
        super().__init__("\n".join(str(fault) for fault in faults))
        self.faults = faults

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.faults,)


class UnknownName(AccountantError):
    """A name that no plugin registered."""


class PluginError(AccountantError):
    """A plugin that cannot be admitted, or two that contradict each other."""


class ReadingError(AccountantError):
    """A reading that a definition does not offer, or is asked at a point where it means nothing."""


class ShiftError(AccountantError):
    """A query whose movement between neighbours a mechanism cannot handle."""


class CertificateError(AccountantError):
    """A certificate that is malformed or does not follow from its plan."""


class NotVerified(CertificateError):
    """A certificate that nobody signs as checked, since it does not follow from its plan; `differences` has every place."""

    def __init__(self, differences: Sequence[Fault]) -> None:
        places = "1 place" if len(differences) == 1 else f"{len(differences):,} places"
        super().__init__(f"the certificate does not follow from the plan, in {places}, the first being: {differences[0]}")
        self.differences = tuple(differences)


class SigningError(AccountantError):
    """A key, a signature or a signed statement that cannot be used."""


class PolicyError(PlanError):
    """A policy of whom to trust that cannot be accepted; carries all its faults at once."""


class GridTooLarge(AccountantError):
    """A numerical composition that would not fit in memory; nothing was allocated."""


class LimitExceeded(AccountantError):
    """Work that took more time or memory than it may, or ended without an answer; nothing was concluded."""


class PluginFailure(PluginError):
    """A plugin that failed, or answered with something else than it must, while it was asked."""


class LedgerError(AccountantError):
    """A ledger that cannot be opened, or cannot do what was asked of it."""


class AdaptivityError(LedgerError):
    """A reading that does not hold under the adaptivity that a ledger declares."""


class ReservationCancelled(LedgerError):
    """A request with the key of a reservation that was cancelled: nothing is reserved, and nothing was written."""


class BudgetExceeded(LedgerError):
    """A release that a ledger refuses because it may not fit what is left; nothing was written.

    `lines` hold, for every budget in its own definition, what is spent, reserved, asked and left.
    """

    def __init__(self, message: str, lines: Sequence[Any]) -> None:
        super().__init__(message)
        self.lines = tuple(lines)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.lines)


def suggest(name: str, known: Iterable[str]) -> str:
    """A half sentence that points to the nearest known name."""
    choices = sorted(known)
    near = nearest(name, choices)
    if near is not None:
        return f"; did you mean '{near}'?"
    return f"; known: {', '.join(choices)}" if choices else ""


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that is most like another one, whatever the case of its letters."""
    import difflib

    folded = {choice.casefold(): choice for choice in sorted(known, reverse=True)}
    near = difflib.get_close_matches(name.casefold(), sorted(folded), n=1)
    return folded[near[0]] if near else None
