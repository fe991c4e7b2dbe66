"""Laws of what is shown: renderers keep every word, where it was."""

from __future__ import annotations

import html
import itertools
import re
from fractions import Fraction
from html.parser import HTMLParser
from typing import get_args, get_type_hints

from accountant.numbers.interval import Interval
from accountant.promise.neighbours import ADD_REMOVE, Neighbours
from accountant.promise.statement import Quantity, Statement
from accountant.promise.words import ComparedPairs
from accountant.report.document import (
    Aside,
    Block,
    Callout,
    Code,
    Definitions,
    Document,
    Items,
    KeyFigure,
    KeyFigures,
    Listing,
    Paragraph,
    Section,
    Strong,
    Words,
)
from accountant.report.explorer import Explorer
from accountant.report.figure import Axis, Bar, Bars, Curves, Frequencies, Frequency, Series
from accountant.report.interface import Renderer
from accountant.report.marks import Link
from accountant.report.table import Table
from accountant.testing.counterexamples import broken

_NAMES = ("one", "two", "three")
_COMPARED = ComparedPairs(Neighbours(ADD_REMOVE))
_QUANTITY = Quantity("epsilon", lambda outcomes, at: Interval.of(2))
_SIGNS = {
    "-37.5": ("37.5",),
    "1e-06": ("1e06", "0.00"),
    "82%": ("82",),
    "R&D": ("RD", "R D"),
    "0.048217": ("0.05", "0.04", "0.048"),
    "Z\N{LATIN SMALL LETTER U WITH DIAERESIS}rich": ("Zrich", "Zurich", "Z?rich"),
}
"""What formats and careless clean-ups take for marks of their own, round or leave out, and what then is left."""
_TAG = "<total>"
"""What a browser takes for a mark unless it is protected; other formats may write it in words of their own."""
_MARKED = (".html", ".htm", ".xhtml", ".xml", ".svg")
_COMMENTED, _COMMENT = (".tex", ".ltx"), re.compile(r"(?m)(?<!\\)((?:\\\\)*)%.*$")
"""What LaTeX does not print unless the sign is protected: the rest of a line after it."""
_LETTER, _HIDDEN = re.compile(r"\\u([0-9a-fA-F]{4})"), re.compile(r"\\[nrt\\]")
_CELLS = "a cell of a table"
_ORDERED = ("a listing", "a long table", "a long paragraph", _CELLS, "a heading of a table")
"""Where words stand in a row, and none of them may be moved."""
_AFTER = "afterwards"
_TWICE = ("again and again",)
_BRACES = str.maketrans("", "", "{}$")
"""What keeps marks of a format together, and is no word of its own."""
_MINUS = str.maketrans(dict.fromkeys("\N{MINUS SIGN}\N{NON-BREAKING HYPHEN}\N{HYPHEN}", "-"))


def renderer_keeps_every_word(renderer: Renderer) -> None:
    """Whatever a document says can be found in what is written: titles, text, numbers, tables, and what figures say.

    How letters are set is a matter of style. Signs may be written as the format has them, as long as they can be told from
    what is left where they are dropped or rounded.
    """
    document, tokens = sample()
    text = renderer.render(document)
    if not isinstance(text, str):
        broken(f"the renderer '{renderer.name}' must return text", returned=type(text).__name__)
    read = _as_read(text, renderer.suffix)
    if renderer.suffix not in _MARKED:
        del tokens[_TAG]
    missing = [
        f"{place}: {token}"
        for token, place in tokens.items()
        if not _written(token, read) and not (token in _SIGNS and _told_apart(renderer, token))
    ]
    missing += [f"written twice: {token}" for token in _TWICE if token in tokens and read.count(token) < 2]
    if missing:
        broken(
            f"the renderer '{renderer.name}' must not leave out what a document says",
            **{f"missing_{number}": words for number, words in enumerate(missing[:5], start=1)},
            look_at="'render'",
        )
    for place in _ORDERED:
        places = [read.index(token) for token, where in tokens.items() if where == place]
        # A table of two columns may be written by its rows or by its columns.
        by_columns = places[0::2] + places[1::2] if place == _CELLS else places
        if sorted(places) not in (places, by_columns):
            broken(f"the renderer '{renderer.name}' must write the words of {place} in their order", look_at="'render'")
    _require_cells_apart(renderer)
    _require_tones_apart(renderer)
    if renderer.render(document) != text:
        broken(f"the renderer '{renderer.name}' must write the same document in the same way")


def _require_tones_apart(renderer: Renderer) -> None:
    """A guarantee is not written as a simulated attack is, nor a warning as a note, where all else is the same."""
    written: dict[str, str] = {}
    for tone in get_args(get_type_hints(Callout)["tone"]):
        text = renderer.render(Document("tones", (Callout(tone, "title", (Paragraph("words"),)),)))
        if text in written:
            broken(
                f"the renderer '{renderer.name}' must tell what is set apart by its tone",
                written_alike=f"a {written[text]} and a {tone}",
                look_at="'render'",
            )
        written[text] = tone


def _require_cells_apart(renderer: Renderer) -> None:
    """A sign that parts two cells, where it stands in a cell, does not part that: programs would take it for two cells.

    Plain text is for people, who see how it is meant.
    """
    if renderer.suffix == Renderer.suffix:
        return
    between = re.search(r"(?s)left-cell(.*?)right-cell", renderer.render(_of_cells("left-cell", "right-cell")))
    for sign in sorted(set(re.findall(r"[^\w\s]", between[1]))) if between else ():
        first, second = (
            renderer.render(_of_cells(*cells)) for cells in ((f"one {sign} two", "three"), ("one", f"two {sign} three"))
        )
        if _in_lines(first) == _in_lines(second):
            broken(
                f"the renderer '{renderer.name}' must tell cells apart where the sign that parts them is in one",
                **{f"cells 'one {sign} two' and 'three'": first.strip().splitlines()[-1]},
                **{f"cells 'one' and 'two {sign} three'": second.strip().splitlines()[-1]},
                look_at="'render', which must protect that sign",
            )


def _in_lines(text: str) -> list[str]:
    return ["".join(line.split()) for line in text.splitlines()]


def _of_cells(*cells: str) -> Document:
    return Document("cells", (Table("cells", tuple("column" for _ in cells), (cells,)),))


def _written(token: str, read: str) -> bool:
    """Whether a word stands there as one of its own: glued to another of the document, nobody reads it."""
    return re.search(rf"(?<!word\d\d\d)(?<!\d){re.escape(token.casefold())}(?!\d|word\d)", read) is not None


def _told_apart(renderer: Renderer, sign: str) -> bool:
    """Whether a sign is written in another way than what is left of it without its marks, or than nothing, and hides
    nothing of what comes after it.
    """
    cells = [((word,), (_AFTER,)) for word in (sign, *_SIGNS[sign], "")]
    documents = (Document("signs", (Table("signs", ("value",), rows),)) for rows in cells)
    first, *others = (_as_read(renderer.render(each), renderer.suffix).translate(_BRACES) for each in documents)
    return first not in others and _AFTER in first


def _as_read(text: str, suffix: str) -> str:
    """What is written without the marks by which formats protect characters, in small letters, with one sign for minus."""
    if suffix in _MARKED:
        text = _Text.of(text)
    elif suffix in _COMMENTED:
        text = _COMMENT.sub(r"\1", text)
    text = _HIDDEN.sub(" ", _LETTER.sub(lambda found: chr(int(found[1], 16)), html.unescape(text)))
    return " ".join(text.replace("\\", "").translate(_MINUS).casefold().split())


class _Text(HTMLParser):
    """What a browser shows or tells of a page: what is not protected is taken for a mark, and shown by none."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []

    @classmethod
    def of(cls, text: str) -> str:
        page = cls()
        page.feed(text)
        page.close()
        return " ".join(page.parts)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.parts += [value for _, value in attributes if value]

    def handle_data(self, data: str) -> None:
        self.parts.append(data)

    def unknown_decl(self, data: str) -> None:
        self.parts.append(data.removeprefix("CDATA["))


def sample() -> tuple[Document, dict[str, str]]:
    """A document with every kind of block, and every word in it that a reader must find, with its place."""
    tokens: dict[str, str] = {}
    numbers = itertools.count(1)

    def said(place: str) -> str:
        token = f"word{next(numbers):03d}"
        tokens[token] = place
        return token

    def several(place: str) -> str:
        return f"{said(place)}, {said(place)}: {said(place)}"

    def awkward(token: str, place: str) -> str:
        tokens[token] = place
        return token

    def marked(place: str) -> Words:
        number = awkward(f"2.{next(numbers):03d}931", f"a number in {place}")
        stated = Statement(number, _COMPARED, _QUANTITY, Fraction(number))
        link = Link(said(place), "https://example.org")
        return link, " says ", stated, " and ", Code(said(place)), " ", Strong(said(place))

    def table(place: str) -> Table:
        rows = tuple((said(f"a cell of {place}"), said(f"a cell of {place}")) for _ in range(2))
        return Table(several(f"the title of {place}"), (said(f"a heading of {place}"), said(f"a heading of {place}")), rows)

    def key_figure() -> KeyFigure:
        return KeyFigure(said("a key figure"), said("the label of a key figure"), said("the note of a key figure"))

    def figure_table(place: str) -> Table:
        return Table(place, ("label", "value"), (("one", said(f"the table of {place}")),))

    points = ((0.0, 0.0, 0.0), (1.0, 0.5, 0.6))
    innermost = Section(said("the title of a section in two others"), (Paragraph(said("a section in two others")),))
    note = Callout("note", said("the title of a note in a section"), (Paragraph(said("a note in a section")),))
    inner = Section(said("the title of a section in a section"), (Paragraph(said("a section")), innermost))
    tones = get_args(get_type_hints(Callout)["tone"])
    blocks: tuple[Block, ...] = (
        Paragraph(("plain ", Strong(said("strong words")), " and ", Code(said("code")), " ", said("a paragraph"))),
        Paragraph(marked("marked words in a paragraph")),
        Items((marked("marked words in a list"),)),
        Definitions((("a term", marked("marked words in what a term stands for")),)),
        Items((said("a list"), (Strong(said("strong words in a list")),), *(said("a long list") for _ in range(12)))),
        Definitions(((said("a term"), said("what a term stands for")),)),
        Listing("\n".join(said("a listing") for _ in range(3))),
        KeyFigures(tuple(key_figure() for _ in range(4))),
        *(
            Callout(tone, said(f"the title of a {tone}"), tuple(Paragraph(said(f"a {tone}")) for _ in range(3)))
            for tone in tones
        ),
        Section(several("the title of a section"), (inner, note)),
        Aside(several("the title of an aside"), tuple(Paragraph(said("an aside")) for _ in range(3))),
        table("a table"),
        Table("wide", tuple(said("a wide table") for _ in range(7)), (tuple(said("a wide table") for _ in range(7)),)),
        Table("long", ("row", "value"), tuple((f"row {row}", said("a long table")) for row in range(40))),
        Table("cells", ("what", "that"), (tuple(" ".join(said("a long cell") for _ in range(12)) for _ in range(2)),)),
        Paragraph(" ".join(said("a long paragraph") for _ in range(60))),
        Table("signs", ("what", "value"), tuple(("value", awkward(sign, "a cell")) for sign in (*_SIGNS, _TAG))),
        *(Paragraph(awkward(token, "a paragraph that is there twice")) for token in (*_TWICE, *_TWICE)),
        Bars(
            said("the title of bars"), said("what bars say"), Axis("axis"), (Bar("one", 0.5, "0.5"),), figure_table("bars")
        ),
        Curves(
            said("the title of curves"),
            said("what curves say"),
            Axis("across"),
            Axis("up"),
            (Series("one", points),),
            figure_table("curves"),
        ),
        Frequencies(
            said("the title of frequencies"),
            said("what frequencies say"),
            (Frequency("one", 5),),
            2,
            _NAMES,
            figure_table("frequencies"),
        ),
        Explorer(
            said("the title of what may be tried"),
            said("what is said of what may be tried"),
            *((), (), (), (), (), None),
            figure_table("what may be tried"),
        ),
    )
    small = (said("small print"), marked("marked words in small print"))
    imprint = (
        ("published by", said("who publishes it")),
        (said("a word of the imprint"), marked("marked words in the imprint")),
    )
    return Document(said("the title"), blocks, said("the subtitle"), small, imprint), tokens
