"""Documents for a terminal: headings in capitals, bold words, narrow lines."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator
from typing import ClassVar

import click
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

_WIDTH = 14


@frozen
class Terminal(Renderer):
    """Lines with the marks by which terminals show bold words."""

    name: ClassVar[str] = "terminal"
    suffix: ClassVar[str] = ".ansi"

    def render(self, document: Document) -> str:
        imprint = (f"{term} {plain_words(words)}" for term, words in document.imprint)
        small = (textwrap.fill(words, _WIDTH) for words in (*imprint, *map(plain_words, document.small_print)))
        return "\n".join((document.title.upper(), document.subtitle, *_lines(document.blocks), *small))


def _lines(blocks: Iterable[Block]) -> Iterator[str]:
    for block in blocks:
        match block:
            case Paragraph():
                yield textwrap.fill(plain_words(block.text), _WIDTH)
            case Items():
                yield from (textwrap.indent(textwrap.fill(plain_words(entry), _WIDTH), "  ") for entry in block.entries)
            case Definitions():
                yield from (f"{_bold(term)} {plain_words(meaning)}" for term, meaning in block.entries)
            case Listing():
                yield block.text
            case KeyFigures():
                yield from (f"{_bold(figure.value)} {figure.label} {figure.note}" for figure in block.figures)
            case Callout():
                yield _bold(f"{block.tone}: {block.title}".upper())
                yield from _lines(block.blocks)
            case Section() | Aside():
                yield _bold(block.title.upper())
                yield from _lines(block.blocks)
            case Table():
                yield from _table(block)
            case _:
                yield f"{_bold(block.title)} {block.description}"
                yield from _table(block.table)


def _table(table: Table) -> Iterator[str]:
    yield _bold(table.title)
    yield "\t".join(map(_bold, table.columns))
    yield from ("\t".join(row) for row in table.rows)


def _bold(words: str) -> str:
    return click.style(words, bold=True)


@hookimpl
def accountant_renderers() -> Iterable[Renderer]:
    return (Terminal(),)
