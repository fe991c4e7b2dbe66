"""Edition: in which language a report is written, and what the files are called that it is about."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from attrs import frozen

ENGLISH = "en"


@frozen
class Edition:
    """How one copy of a report is made; no number depends on it.

    `plan` and `certificate` are the names of the files that are published beside the report, for those who check it; None
    where nobody said what they are called. `others` are the files of reports for other readers that lie there, by audience.
    """

    language: str = ENGLISH
    plan: str | None = None
    certificate: str | None = None
    others: tuple[tuple[str, str], ...] = ()


_CURRENT: ContextVar[Edition] = ContextVar("edition", default=Edition())  # noqa: B039  # it is frozen


def edition() -> Edition:
    """The edition that is being made: English, about files without names, where nobody asked for another."""
    return _CURRENT.get()


@contextmanager
def making(wanted: Edition) -> Iterator[None]:
    """Make what is built and written inside in an edition."""
    token = _CURRENT.set(wanted)
    try:
        yield
    finally:
        _CURRENT.reset(token)
