"""Documents as plain text."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from accountant.report import (
    Aside,
    Block,
    Callout,
    Definitions,
    Document,
    Edition,
    Items,
    KeyFigures,
    Listing,
    Paragraph,
    Section,
    Table,
    making,
    plain_words,
    say,
)

if TYPE_CHECKING:
    from rich.console import Console

_WIDTH = 110


def render(document: Document) -> str:
    """The document as text."""
    with making(Edition(document.language)):
        return _rendered(document)


def _rendered(document: Document) -> str:
    from rich.console import Console

    output = io.StringIO()
    console = Console(file=output, width=_WIDTH, color_system=None, highlight=False, markup=False, emoji=False)
    _heading(console, document.title, "=")
    if document.subtitle:
        console.print(document.subtitle)
    for term, meaning in document.imprint:
        console.print(f"{term}: {plain_words(meaning)}")
    _print(console, document.blocks)
    for words in document.small_print:
        console.print()
        console.print(plain_words(words))
    return "\n".join(line.rstrip() for line in output.getvalue().splitlines()) + "\n"


def _print(console: Console, blocks: tuple[Block, ...]) -> None:
    for block in blocks:
        console.print()
        match block:
            case Paragraph():
                console.print(plain_words(block.text))
            case Items():
                for entry in block.entries:
                    console.print(f"- {plain_words(entry)}")
            case Definitions():
                for term, meaning in block.entries:
                    console.print(f"{term}: {plain_words(meaning)}")
            case Listing():
                for line in block.text.splitlines():
                    console.print(f"    {line}", soft_wrap=True)
            case KeyFigures():
                for figure in block.figures:
                    console.print(f"{figure.label}: {figure.value}{f' ({figure.note})' if figure.note else ''}")
            case Table():
                _table(console, block)
            case Section() | Aside():
                _heading(console, block.title, "-")
                _print(console, block.blocks)
            case Callout():
                console.print(f"{say(f'tone.{block.tone}').upper()}: {block.title}")
                _print(console, block.blocks)
            case _:
                console.print(f"{block.title}. {block.description}")
                console.print()
                _table(console, block.table)


def _heading(console: Console, title: str, line: str) -> None:
    console.print(title)
    console.print(line * min(_WIDTH, len(title)))


def _table(console: Console, table: Table) -> None:
    from rich.table import Table as Grid

    grid = Grid(title=table.title, title_justify="left")
    for column in table.columns:
        grid.add_column(column, overflow="fold")
    for row in table.rows:
        grid.add_row(*row)
    console.print(grid)
