"""Documents as Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from accountant.report import (
    Aside,
    Block,
    Callout,
    Code,
    Definitions,
    Document,
    Edition,
    Items,
    KeyFigures,
    Link,
    Listing,
    Paragraph,
    Section,
    Statement,
    Strong,
    Table,
    Words,
    making,
    say,
)

_SPECIAL = re.compile(r"([\\`*_\[\]<>|#~$]|&(?=#?\w+;))")
# What would start a list or underline a heading at the beginning of a line.
_LEADING = re.compile(r"^(\d*)([-+=.)])(?=[-=]*(?:\s|$))")


def render(document: Document) -> str:
    """The document as text."""
    with making(Edition(document.language)):
        return _rendered(document)


def _rendered(document: Document) -> str:
    parts = [f"# {_escaped(document.title)}"]
    if document.subtitle:
        parts.append(f"*{_escaped(document.subtitle)}*")
    if document.imprint:
        parts.append("\n".join(f"- {_escaped(term)}: {_words(meaning)}" for term, meaning in document.imprint))
    parts.extend(_blocks(document.blocks, 2))
    if document.small_print:
        parts.extend(["---", *map(_words, document.small_print)])
    return "\n\n".join(parts) + "\n"


def _blocks(blocks: Iterable[Block], level: int) -> Iterator[str]:
    for block in blocks:
        match block:
            case Paragraph():
                yield _words(block.text)
            case Items():
                yield "\n".join(f"- {_words(entry)}" for entry in block.entries)
            case Definitions():
                yield "\n".join(f"- **{_escaped(term)}**: {_words(meaning)}" for term, meaning in block.entries)
            case Listing():
                yield "\n".join(f"    {line}" for line in block.text.splitlines())
            case KeyFigures():
                yield "\n".join(
                    f"- **{_escaped(figure.value)}** {_escaped(figure.label)}"
                    + (f" ({_escaped(figure.note)})" if figure.note else "")
                    for figure in block.figures
                )
            case Table():
                yield from _table(block)
            case Section() | Aside():
                yield f"{'#' * min(level, 6)} {_escaped(block.title)}"
                yield from _blocks(block.blocks, level + 1)
            case Callout():
                inside = [f"**{_tone(block)}: {_escaped(block.title)}**", *_blocks(block.blocks, level + 1)]
                yield "\n".join(f"> {line}".rstrip() for line in "\n\n".join(inside).splitlines())
            case _:
                yield f"**{_escaped(block.title)}.** {_escaped(block.description)}"
                yield from _table(block.table)


def _table(table: Table) -> Iterator[str]:
    yield f"*{_escaped(table.title)}*"
    rows = [table.columns, ("---",) * len(table.columns)]
    lines = [[_escaped(cell) if row is not rows[1] else cell for cell in row] for row in (*rows, *table.rows)]
    yield "\n".join(f"| {' | '.join([*line, *[''] * (len(table.columns) - len(line))])} |" for line in lines)


def _words(words: Words) -> str:
    return _LEADING.sub(r"\1\\\2", "".join(map(_part, (words,) if isinstance(words, str) else words)))


def _tone(block: Callout) -> str:
    return _escaped(say(f"tone.{block.tone}"))


def _part(part: str | Strong | Code | Link | Statement) -> str:
    match part:
        case Link():
            return f"[{_escaped(part.text)}](<{part.target}>)"
        case Strong():
            # Marks stand against the words themselves, or they would not be read as marks.
            words = part.text.strip()
            before, _, after = part.text.partition(words)
            return f"{before}**{_escaped(words)}**{after}"
        case Code():
            # A run of backticks longer than any inside keeps those inside from ending the code.
            fence = "`" * (1 + max(map(len, re.findall("`+", part.text)), default=0))
            return f"{fence}{part.text}{fence}" if len(fence) == 1 else f"{fence} {part.text} {fence}"
        case Statement():
            return _escaped(part.text)
        case _:
            return _escaped(part)


def _escaped(text: str) -> str:
    """A text that means itself: nothing in a plan's names acts as markup."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()) if "\n" in text else text)
