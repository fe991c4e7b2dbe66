"""Documents: titled blocks of prose, numbers, tables and figures, independent of how they are shown."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, TypeAlias

from attrs import field, frozen

from accountant.display.brief import Brief
from accountant.promise.statement import Statement
from accountant.report.editions import edition
from accountant.report.explorer import Explorer
from accountant.report.figure import Bars, Curves, Frequencies
from accountant.report.marks import Code as Code, Link, Strong as Strong, Words as Words
from accountant.report.table import Table


@frozen
class Paragraph:
    """A few sentences."""

    text: Words


@frozen
class Items:
    """A list of points, in order."""

    entries: tuple[Words, ...]


@frozen
class Definitions:
    """Terms, and what each stands for."""

    entries: tuple[tuple[str, Words], ...]


@frozen
class Listing:
    """Lines to be read or typed as they are."""

    text: str


@frozen
class KeyFigure:
    """A number that stands out, what it counts, and what to compare it with."""

    value: str
    label: str
    note: str = ""
    statement: Statement | None = None


@frozen
class KeyFigures:
    """The few numbers that a reader takes home."""

    figures: tuple[KeyFigure, ...]


@frozen
class Callout:
    """Something set apart, so that a guarantee is never taken for a simulated attack, nor a warning overlooked."""

    tone: Literal["guarantee", "simulation", "warning", "note"]
    title: str
    blocks: tuple[Block, ...]


@frozen
class Section:
    """Blocks under a heading of their own. Sections may hold sections."""

    title: str
    blocks: tuple[Block, ...]


@frozen
class Aside:
    """Blocks that most readers pass over: shown on request where that can be done, under their title elsewhere."""

    title: str
    blocks: tuple[Block, ...]


Figure: TypeAlias = Bars | Curves | Frequencies
Block: TypeAlias = (
    Paragraph
    | Items
    | Definitions
    | Listing
    | KeyFigures
    | Callout
    | Section
    | Aside
    | Table
    | Bars
    | Curves
    | Frequencies
    | Explorer
)


@frozen
class Document(Brief):
    """A title, what it is about in one line, blocks, and small print.

    `imprint` says who publishes it, when, and whom to ask, each under a word; `language` is that of its texts.
    """

    title: str
    blocks: tuple[Block, ...]
    subtitle: str = ""
    small_print: tuple[Words, ...] = ()
    imprint: tuple[tuple[str, Words], ...] = ()
    language: str = field(factory=lambda: edition().language, kw_only=True)

    @property
    def statements(self) -> tuple[Statement, ...]:
        """All that the numbers of the document say, in order."""
        inside = (statement for block in self.blocks for statement in _stated(block))
        return (*inside, *(part for words in self.small_print for part in _marked(words)))


def plain_words(words: Words) -> str:
    """Running text without its marks."""
    return words if isinstance(words, str) else "".join(part if isinstance(part, str) else part.text for part in words)


def walked(blocks: tuple[Block, ...]) -> Iterator[Block]:
    """All blocks, those inside others after them."""
    for block in blocks:
        yield block
        if isinstance(block, Section | Aside | Callout):
            yield from walked(block.blocks)


def prose(document: Document) -> Iterator[str]:
    """Everything that is read as sentences: running text, key figures, what figures say; no tables, listings or titles.

    Where a link merely shows the address that it leads to, that is no part of a sentence.
    """
    for block in walked(document.blocks):
        match block:
            case Paragraph():
                yield _sentence(block.text)
            case Items():
                yield from map(_sentence, block.entries)
            case Definitions():
                yield from (_sentence(meaning) for _, meaning in block.entries)
            case KeyFigures():
                yield from (f"{figure.value} {figure.label}" for figure in block.figures)
            case Bars() | Curves() | Frequencies() | Explorer():
                yield block.description
    yield from map(_sentence, document.small_print)


def _sentence(words: Words) -> str:
    if isinstance(words, str):
        return words
    return plain_words(tuple(part for part in words if not (isinstance(part, Link) and part.target.endswith(part.text))))


def _stated(block: Block) -> Iterator[Statement]:
    match block:
        case Paragraph():
            yield from _marked(block.text)
        case Items():
            yield from (part for entry in block.entries for part in _marked(entry))
        case Definitions():
            yield from (part for _, meaning in block.entries for part in _marked(meaning))
        case KeyFigures():
            yield from (figure.statement for figure in block.figures if figure.statement is not None)
        case Table():
            yield from block.statements
        case Bars() | Curves() | Frequencies() | Explorer():
            yield from block.table.statements
        case Section() | Aside() | Callout():
            for inner in block.blocks:
                yield from _stated(inner)


def _marked(words: Words) -> Iterator[Statement]:
    if not isinstance(words, str):
        yield from (part for part in words if isinstance(part, Statement))
