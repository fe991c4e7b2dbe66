"""What may go wrong in a renderer."""

from __future__ import annotations

import html
import itertools
import re
from collections.abc import Callable
from typing import Any

from attrs import evolve

from accountant.promise.statement import Statement
from accountant.report.document import (
    Aside,
    Callout,
    Definitions,
    Document,
    Items,
    KeyFigures,
    Listing,
    Paragraph,
    Section,
)
from accountant.report.explorer import Explorer
from accountant.report.figure import Bars, Curves, Frequencies
from accountant.report.interface import RENDERERS, Renderer
from accountant.report.marks import Link, Words
from accountant.report.table import Table
from accountant.testing.planting import changed

FAMILY = RENDERERS
_NESTED = (Aside, Callout, Section)


def small_print_left_out(renderer: Renderer) -> Renderer:
    """What stands below a document is lost."""
    return _showing(renderer, lambda document: evolve(document, small_print=()))


def imprint_left_out(renderer: Renderer) -> Renderer:
    """Who publishes a document, and whom to ask, is lost."""
    return _showing(renderer, lambda document: evolve(document, imprint=()))


def links_left_out(renderer: Renderer) -> Renderer:
    """Words that lead somewhere are lost where nobody can follow them."""
    return _showing(renderer, lambda document: _other_words(document, Link))


def numbers_in_sentences_left_out(renderer: Renderer) -> Renderer:
    """Of running text only the words are written, and not the numbers that state something."""
    return _showing(renderer, lambda document: _other_words(document, Statement))


def explorers_left_out(renderer: Renderer) -> Renderer:
    """What may be tried on a page is lost elsewhere, with what is said of it."""
    return _without(renderer, Explorer)


def comment_sign_not_protected(renderer: Renderer) -> Renderer | None:
    """A sign is left as it is after which the format prints nothing."""
    if renderer.suffix != ".tex":
        return None
    return changed(renderer, render=lambda self, document: renderer.render(document).replace(r"\%", "%"))


def tones_left_out(renderer: Renderer) -> Renderer:
    """A guarantee looks like a simulated attack."""

    def notes(blocks: tuple[Any, ...]) -> tuple[Any, ...]:
        inner = (evolve(block, blocks=notes(block.blocks)) if isinstance(block, _NESTED) else block for block in blocks)
        return tuple(evolve(block, tone="note") if isinstance(block, Callout) else block for block in inner)

    return _showing(renderer, lambda document: evolve(document, blocks=notes(document.blocks)))


def subtitle_left_out(renderer: Renderer) -> Renderer:
    """What a document is about is lost."""
    return _showing(renderer, lambda document: evolve(document, subtitle=""))


def last_block_left_out(renderer: Renderer) -> Renderer:
    """What does not fit on a page is lost."""
    return _showing(renderer, lambda document: evolve(document, blocks=document.blocks[:-1]))


def asides_left_out(renderer: Renderer) -> Renderer:
    """What most readers pass over is lost."""
    return _without(renderer, Aside)


def quotes_left_out(renderer: Renderer) -> Renderer | None:
    """What keeps the words of a cell together is taken for an ornament."""
    if renderer.suffix != ".csv":
        return None
    return changed(renderer, render=lambda self, document: renderer.render(document).replace('"', ""))


def warnings_left_out(renderer: Renderer) -> Renderer:
    """What is set apart is lost."""
    return _without(renderer, Callout)


def figures_left_out(renderer: Renderer) -> Renderer:
    """What figures say is lost where there are no pictures."""
    return _without(renderer, Bars, Curves, Frequencies)


def tables_left_out(renderer: Renderer) -> Renderer:
    """Tables are lost."""
    return _without(renderer, Table)


def key_figures_left_out(renderer: Renderer) -> Renderer:
    """The numbers that stand out are lost."""
    return _without(renderer, KeyFigures, Definitions)


def sections_without_titles(renderer: Renderer) -> Renderer:
    """Headings are lost."""

    def untitled(document: Document) -> Document:
        blocks = (block.blocks if isinstance(block, Section) else (block,) for block in document.blocks)
        return evolve(document, blocks=tuple(itertools.chain.from_iterable(blocks)))

    return _showing(renderer, untitled)


def titles_cut_at_a_comma(renderer: Renderer) -> Renderer:
    """Of a title that has a comma the first part is shown."""
    return _with_each(renderer, Section, lambda block: evolve(block, title=block.title.partition(",")[0]))


def long_tables_cut(renderer: Renderer) -> Renderer:
    """Of a table only the first ten rows are written."""
    return _with_each(renderer, Table, lambda table: evolve(table, rows=table.rows[:10]))


def said_once_only(renderer: Renderer) -> Renderer:
    """What a document says twice is written once."""
    return _showing(renderer, lambda document: evolve(document, blocks=tuple(dict.fromkeys(document.blocks))))


def signs_left_out(renderer: Renderer) -> Renderer | None:
    """Characters that a format has for itself are left out, minus and per cent among them."""
    kept = str.maketrans("", "", "-%&")
    return _rewritten(renderer, lambda text: text.translate(kept))


def words_glued(renderer: Renderer) -> Renderer | None:
    """What keeps words apart is left out."""
    return _rewritten(renderer, lambda text: text.replace(",", "").replace(" ", ""))


def letters_of_others_left_out(renderer: Renderer) -> Renderer | None:
    """Letters that not every language has are left out."""
    return _rewritten(renderer, lambda text: re.sub(r"[^\x00-\x7f]|\\u[0-9a-f]{4}|&#?\w+;", "", text))


def digits_cut(renderer: Renderer) -> Renderer | None:
    """Numbers are cut after two digits."""
    return _rewritten(renderer, lambda text: re.sub(r"(\d\.\d\d)\d+", r"\1", text))


def rows_sorted(renderer: Renderer) -> Renderer:
    """Rows of tables are put in the order of their letters."""
    return _with_each(renderer, Table, lambda table: evolve(table, rows=tuple(sorted(table.rows))))


def cells_turned_round(renderer: Renderer) -> Renderer:
    """The cells of a row stand below the wrong headings."""
    return _with_each(renderer, Table, lambda table: evolve(table, rows=tuple(row[::-1] for row in table.rows)))


def boxes_in_sections_left_out(renderer: Renderer) -> Renderer:
    """What is set apart is lost where it stands in a section."""

    def unboxed(section: Section) -> Section:
        return evolve(section, blocks=tuple(block for block in section.blocks if not isinstance(block, Callout)))

    return _with_each(renderer, Section, unboxed)


def first_line_of_a_listing_only(renderer: Renderer) -> Renderer:
    """Of a listing of several lines the first is written."""
    return _with_each(renderer, Listing, lambda block: evolve(block, text=block.text.partition("\n")[0]))


def first_key_figure_only(renderer: Renderer) -> Renderer:
    """Of several numbers that stand out the first is written."""
    return _with_each(renderer, KeyFigures, lambda block: evolve(block, figures=block.figures[:1]))


def wide_tables_cut(renderer: Renderer) -> Renderer:
    """Of a table only the first three columns are written."""

    def narrow(table: Table) -> Table:
        return evolve(table, columns=table.columns[:3], rows=tuple(row[:3] for row in table.rows))

    return _with_each(renderer, Table, narrow)


def long_cells_cut(renderer: Renderer) -> Renderer:
    """Of a long cell only the beginning is written."""

    def short(table: Table) -> Table:
        return evolve(table, rows=tuple(tuple(cell[:20] for cell in row) for row in table.rows))

    return _with_each(renderer, Table, short)


def tables_of_figures_left_out(renderer: Renderer) -> Renderer:
    """What a figure shows is not written beside it."""
    return _with_each(renderer, (Bars, Curves, Frequencies), lambda block: evolve(block, table=Table("", (), ())))


def marks_not_protected(renderer: Renderer) -> Renderer | None:
    """What a document says is taken for marks of the page."""
    return _rewritten(renderer, html.unescape) if renderer.suffix == ".html" else None


def numbered_as_it_goes(renderer: Renderer) -> Renderer:
    """The same document is written in another way every time."""
    numbers = itertools.count(1)
    return changed(renderer, render=lambda self, document: f"{next(numbers)}\n{renderer.render(document)}")


def bytes_for_text(renderer: Renderer) -> Renderer:
    """It returns what is written to a file."""
    return changed(renderer, render=lambda self, document: renderer.render(document).encode())


_AWKWARD = "Z\N{LATIN SMALL LETTER U WITH DIAERESIS}rich, R&D, -37.5, 82% and 0.048217 <total>"


def _rewritten(renderer: Renderer, other: Callable[[str], str]) -> Renderer | None:
    """What is written is changed; None where the format has nothing that could be."""
    text = renderer.render(Document(_AWKWARD, ()))
    if other(text) == text:
        return None
    return changed(renderer, render=lambda self, document: other(renderer.render(document)))


def _showing(renderer: Renderer, other: Callable[[Document], Document]) -> Renderer:
    return changed(renderer, render=lambda self, document: renderer.render(other(document)))


def _with_each(renderer: Renderer, kind: type[Any] | tuple[type[Any], ...], other: Callable[[Any], Any]) -> Renderer:
    """Every block of a kind is another one."""

    def shown(document: Document) -> Document:
        return evolve(
            document, blocks=tuple(other(block) if isinstance(block, kind) else block for block in document.blocks)
        )

    return _showing(renderer, shown)


def _without(renderer: Renderer, *kinds: Any) -> Renderer:
    def left(document: Document) -> Document:
        return evolve(document, blocks=tuple(block for block in document.blocks if not isinstance(block, kinds)))

    return _showing(renderer, left)


def _other_words(document: Document, mark: type[Link] | type[Statement]) -> Document:
    """A document whose paragraphs, lists and small print are without such words."""

    def fewer(words: Words) -> Words:
        return words if isinstance(words, str) else tuple(part for part in words if not isinstance(part, mark))

    def block(each: Any) -> Any:
        if isinstance(each, Paragraph):
            return Paragraph(fewer(each.text))
        return Items(tuple(map(fewer, each.entries))) if isinstance(each, Items) else each

    return evolve(document, blocks=tuple(map(block, document.blocks)), small_print=tuple(map(fewer, document.small_print)))
