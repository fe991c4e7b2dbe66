"""Documents for documentation tools, in which a table is a list of lists: every cell has a line of its own."""

from __future__ import annotations

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
    plain_words,
)


@frozen
class ListTables(Renderer):
    """Text that documentation tools read, with tables as lists."""

    name: ClassVar[str] = "list-tables"
    suffix: ClassVar[str] = ".rst"

    def render(self, document: Document) -> str:
        title = _said(document.title)
        imprint = (f"{term}: {plain_words(words)}" for term, words in document.imprint)
        small = map(_said, (*imprint, *map(plain_words, document.small_print)))
        return "\n\n".join((f"{title}\n{'=' * len(title)}", _said(document.subtitle), *_blocks(document.blocks), *small))


def _blocks(blocks: Iterable[Block]) -> Iterator[str]:
    for block in blocks:
        match block:
            case Paragraph():
                yield _said(plain_words(block.text))
            case Items():
                yield "\n".join(f"* {_said(plain_words(entry))}" for entry in block.entries)
            case Definitions():
                yield "\n".join(f"{_said(term)}\n    {_said(plain_words(said))}" for term, said in block.entries)
            case Listing():
                yield "\n".join(("::", "", *(f"    {line}" for line in block.text.splitlines())))
            case KeyFigures():
                yield "\n".join(
                    f"* {_said(each.value)}: {_said(each.label)} ({_said(each.note)})" for each in block.figures
                )
            case Callout():
                yield f".. rubric:: {block.tone}: {_said(block.title)}"
                yield from _blocks(block.blocks)
            case Section() | Aside():
                yield f".. rubric:: {_said(block.title)}"
                yield from _blocks(block.blocks)
            case Table():
                yield _table(block)
            case _:
                yield f"**{_said(block.title)}** {_said(block.description)}"
                yield _table(block.table)


def _table(table: Table) -> str:
    lines = [f".. list-table:: {_said(table.title)}", "   :header-rows: 1", ""]
    for row in (table.columns, *table.rows):
        lines += [f"   {'* -' if not place else '  -'} {_said(cell)}" for place, cell in enumerate(row)]
    return "\n".join(lines)


def _said(text: str) -> str:
    return "".join(f"\\{letter}" if letter in "\\*`|_" else letter for letter in text)


@hookimpl
def accountant_renderers() -> Iterable[Renderer]:
    return (ListTables(),)
