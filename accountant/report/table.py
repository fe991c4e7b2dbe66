"""Tables: rows of cells under a heading each."""

from __future__ import annotations

from attrs import frozen

from accountant.promise.statement import Statement


@frozen
class Table:
    """Rows of cells under a heading each; the first cell of a row says what the row is about."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    statements: tuple[Statement, ...] = ()
    """What the numbers in the cells say."""
