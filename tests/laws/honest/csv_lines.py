"""Documents as lines of comma-separated values: what kind of block, then its words."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from typing import ClassVar

from attrs import frozen

from accountant.plugin import Renderer, hookimpl
from accountant.report import (
    Aside,
    Block,
    Callout,
    Definitions,
    Document,
    Items,
    KeyFigures,
    Listing,
    Paragraph,
    Section,
    Table,
    Words,
)


@frozen
class CsvLines(Renderer):
    """One line of comma-separated values for everything that a document says."""

    name: ClassVar[str] = "csv-lines"
    suffix: ClassVar[str] = ".csv"

    def render(self, document: Document) -> str:
        file = io.StringIO()
        lines = csv.writer(file)
        lines.writerow(("title", document.title, document.subtitle))
        lines.writerows(_rows(document.blocks))
        lines.writerows(("imprint", term, _plain(words)) for term, words in document.imprint)
        lines.writerows(("small print", _plain(words)) for words in document.small_print)
        return file.getvalue()


def _rows(blocks: Iterable[Block]) -> Iterator[tuple[str, ...]]:
    for block in blocks:
        match block:
            case Paragraph():
                yield "paragraph", _plain(block.text)
            case Items():
                yield from (("item", _plain(entry)) for entry in block.entries)
            case Definitions():
                yield from (("definition", term, _plain(meaning)) for term, meaning in block.entries)
            case Listing():
                yield "listing", block.text
            case KeyFigures():
                yield from (("key figure", figure.value, figure.label, figure.note) for figure in block.figures)
            case Callout():
                yield block.tone, block.title
                yield from _rows(block.blocks)
            case Section() | Aside():
                yield "section", block.title
                yield from _rows(block.blocks)
            case Table():
                yield from _table(block)
            case _:
                yield "figure", block.title, block.description
                yield from _table(block.table)


def _table(table: Table) -> Iterator[tuple[str, ...]]:
    yield "table", table.title
    yield "columns", *table.columns
    yield from (("row", *row) for row in table.rows)


def _plain(words: Words) -> str:
    return words if isinstance(words, str) else "".join(part if isinstance(part, str) else part.text for part in words)


@hookimpl
def accountant_renderers() -> Iterable[Renderer]:
    return (CsvLines(),)
