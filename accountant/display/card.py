"""Card: what a value says of itself, once, for a line, a paragraph and a notebook."""

from __future__ import annotations

from typing import Literal

from attrs import frozen

from accountant.display import LONGEST, cut

Tone = Literal["good", "bad", "doubtful", "neutral"]

_MOST_LINES = 5
_WIDEST_CELL = 60


@frozen
class Label:
    """A verdict in a word or two, and whether that is what one wishes for."""

    word: str
    tone: Tone


@frozen
class CardRows:
    """Rows of cells under names of columns. Of many rows a notebook shows the first and folds the rest."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str | Label, ...], ...]
    further: int = 0
    """How many rows there are beside these: of very many, not all are written."""


@frozen
class Folded:
    """What is shown to whoever asks for it: a line, and lines in order behind it."""

    title: str
    lines: tuple[str, ...]


@frozen
class Drawing:
    """A picture, as a fragment of SVG that was made with everything in it escaped, and what it shows in words."""

    svg: str
    words: str


Part = CardRows | Folded | Drawing


@frozen
class Card:
    """A headline, perhaps with a verdict before it; facts by name; and tables, pictures and folded parts.

    All of it is text that anybody may have written: whoever shows it escapes it.
    """

    title: str
    label: Label | None = None
    facts: tuple[tuple[str, str], ...] = ()
    parts: tuple[Part, ...] = ()

    @property
    def headline(self) -> str:
        """The verdict and the title in one line."""
        return self.title if self.label is None else f"{self.label.word}: {self.title}"

    def paragraph(self) -> str:
        """The card in a few lines of plain text; what is folded and drawn is left out."""
        lines = [f"  {name}: {cut(said, LONGEST)}" for name, said in self.facts]
        tables = [line for part in self.parts if isinstance(part, CardRows) for line in _table(part)]
        return "\n".join([cut(self.headline, LONGEST), *lines, *tables])


def _table(table: CardRows) -> list[str]:
    rows = [[cut(cell.word if isinstance(cell, Label) else cell, _WIDEST_CELL) for cell in row] for row in table.rows]
    shown = rows[:_MOST_LINES]
    left = len(rows) - len(shown) + table.further
    widths = [max(map(len, column)) for column in zip(table.columns, *shown, strict=False)]
    lines = [
        "  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=False)).rstrip()
        for row in ([list(table.columns), *shown] if any(table.columns) else shown)
    ]
    return [*lines, *([f"  and {left:,} more"] if left else [])]
