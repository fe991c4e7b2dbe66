"""Documents as plain text."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
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
from accountant.values.hygiene import harmless

if TYPE_CHECKING:
    from rich.console import Console

_WIDTH = 110
_GAP, _LONGEST_WORD = 3, 30


def render(document: Document) -> str:
    """The document as text."""
    with making(Edition(document.language)):
        return _rendered(document)


def _rendered(document: Document) -> str:
    output, console = io.StringIO(), _console(_WIDTH)
    console.file = output
    _heading(console, document.title, "=")
    if document.subtitle:
        console.print(document.subtitle)
    for term, meaning in document.imprint:
        console.print(f"{term}: {plain_words(meaning)}")
    _print(console, document.blocks)
    for words in document.small_print:
        console.print()
        console.print(plain_words(words))
    return _lines(output)


def render_blocks(blocks: tuple[Block, ...], width: int) -> str:
    """Blocks as text of a width, for who prints a heading of their own."""
    output, console = io.StringIO(), _console(width)
    console.file = output
    _print(console, blocks)
    return harmless(_lines(output))


def _console(width: int) -> Console:
    from rich.console import Console

    return Console(width=width, color_system=None, highlight=False, markup=False, emoji=False)


def _lines(output: io.StringIO) -> str:
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
    console.print(line * min(console.width, len(title)))


def _table(console: Console, table: Table) -> None:
    """A table, in several parts one below the other where its columns do not fit side by side; the first is in each."""
    console.print(table.title)
    for number, part in enumerate(_parts(table, console.width)):
        if number:
            console.print()
        _grid(console, table, part)


def _grid(console: Console, table: Table, part: Sequence[int]) -> None:
    from rich import box
    from rich.table import Table as Grid

    grid = Grid(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 1))
    for place, width in zip(part, _widths(table, part, console.width), strict=True):
        grid.add_column(table.columns[place], overflow="fold", width=width, header_style="")
    for row in table.rows:
        grid.add_row(*(row[place] if place < len(row) else "" for place in part))
    console.print(grid)


def _parts(table: Table, width: int) -> Iterator[tuple[int, ...]]:
    """Which columns stand side by side: as many as fit without breaking a word or a number."""
    part: tuple[int, ...] = (0,)
    for place in range(1, len(table.columns)):
        if len(part) > 1 and sum(_least(table, item) + _GAP for item in (*part, place)) - _GAP > width:
            yield part
            part = (0,)
        part = (*part, place)
    yield part


def _widths(table: Table, part: Sequence[int], width: int) -> list[int]:
    """How wide each column is: as its cells are, the widest as much narrower as it takes."""
    least = [_least(table, place) for place in part]
    whole = [max(len(cell) for cell in _cells(table, place)) for place in part]
    room = width - _GAP * (len(part) - 1)

    def capped(most: int) -> list[int]:
        return [max(small, min(large, most)) for small, large in zip(least, whole, strict=True)]

    return next((found for most in range(max(whole), 0, -1) if sum(found := capped(most)) <= room), least)


def _cells(table: Table, place: int) -> list[str]:
    return [table.columns[place], *(row[place] for row in table.rows if place < len(row))]


def _least(table: Table, place: int) -> int:
    """The width of a column below which a word would be broken, unless it is too long for any column."""
    return min(_LONGEST_WORD, max((len(word) for cell in _cells(table, place) for word in cell.split()), default=1))
