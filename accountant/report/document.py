"""Documents: titled blocks of prose and tables, independent of how they are shown."""

from __future__ import annotations

from attrs import frozen


@frozen
class Paragraph:
    """A few sentences."""

    text: str


@frozen
class Table:
    """Rows of cells under a heading each."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@frozen
class Document:
    """A title and blocks."""

    title: str
    blocks: tuple[Paragraph | Table, ...]
