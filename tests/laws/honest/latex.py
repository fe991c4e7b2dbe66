"""Documents in LaTeX, with marks and accents as it has them, and tables by their columns."""

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

_MARKS = {
    **{mark: f"\\{mark}" for mark in "&%_#${}"},
    "\\": r"\textbackslash{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "-": "$-$",
    "\N{LATIN SMALL LETTER U WITH DIAERESIS}": r"{\"u}",
}


@frozen
class Latex(Renderer):
    """A document for a compiler of LaTeX that knows no other letters than those of ASCII."""

    name: ClassVar[str] = "latex"
    suffix: ClassVar[str] = ".tex"

    def render(self, document: Document) -> str:
        imprint = (f"{term}: {plain_words(words)}" for term, words in document.imprint)
        small = (rf"{{\small {_said(words)}}}" for words in (*imprint, *map(plain_words, document.small_print)))
        head = rf"\title{{{_said(document.title)}\\{_said(document.subtitle)}}}"
        return "\n\n".join((r"\documentclass{article}", head, *_blocks(document.blocks), *small))


def _blocks(blocks: Iterable[Block]) -> Iterator[str]:
    for block in blocks:
        match block:
            case Paragraph():
                yield _said(plain_words(block.text))
            case Items():
                entries = "".join(rf"\item {_said(plain_words(entry))}" for entry in block.entries)
                yield rf"\begin{{itemize}}{entries}\end{{itemize}}"
            case Definitions():
                yield from (rf"\textbf{{{_said(term)}}}\quad {_said(plain_words(said))}" for term, said in block.entries)
            case Listing():
                yield rf"\begin{{verbatim}}{block.text}\end{{verbatim}}"
            case KeyFigures():
                for figure in block.figures:
                    yield rf"\textbf{{{_said(figure.value)}}}\quad {_said(figure.label)}\newline{{}}{_said(figure.note)}"
            case Callout():
                yield rf"\section{{{block.tone.upper()}: {_said(block.title).upper()}}}"
                yield from _blocks(block.blocks)
            case Section() | Aside():
                yield rf"\section{{{_said(block.title).upper()}}}"
                yield from _blocks(block.blocks)
            case Table():
                yield _table(block)
            case _:
                yield rf"\emph{{{_said(block.title)}}}\quad {_said(block.description)}"
                yield _table(block.table)


def _table(table: Table) -> str:
    columns = zip(table.columns, *table.rows, strict=True)
    lines = (rf"{' & '.join(map(_said, column))}\\" for column in columns)
    return (
        rf"\emph{{{_said(table.title)}}}\begin{{tabular}}{{{'l' * (1 + len(table.rows))}}}{''.join(lines)}\end{{tabular}}"
    )


def _said(text: str) -> str:
    return "".join(_MARKS.get(letter, letter) for letter in text)


@hookimpl
def accountant_renderers() -> Iterable[Renderer]:
    return (Latex(),)
