"""Documents: titled blocks of prose, numbers, tables and figures, independent of how they are shown."""

from __future__ import annotations

from typing import Literal, TypeAlias

from attrs import frozen

from accountant.report.figure import Bars, Curves, Frequencies
from accountant.report.table import Table


@frozen
class Strong:
    """Words that a reader should not miss."""

    text: str


@frozen
class Code:
    """Words that a computer reads, such as a command or a digest."""

    text: str


Words: TypeAlias = str | tuple[str | Strong | Code, ...]
"""Running text, some of it perhaps marked."""


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
    Paragraph | Items | Definitions | Listing | KeyFigures | Callout | Section | Aside | Table | Bars | Curves | Frequencies
)


@frozen
class Document:
    """A title, what it is about in one line, blocks, and small print."""

    title: str
    blocks: tuple[Block, ...]
    subtitle: str = ""
    small_print: tuple[Words, ...] = ()


def plain_words(words: Words) -> str:
    """Running text without its marks."""
    return words if isinstance(words, str) else "".join(part if isinstance(part, str) else part.text for part in words)
