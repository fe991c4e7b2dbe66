"""Laws of what is shown: renderers keep every word, commands say how they are used and fail in one line."""

from __future__ import annotations

import contextlib
import html
import itertools
import re
import tempfile
from typing import get_args, get_type_hints

import click
from click.testing import CliRunner

from accountant.errors import AccountantError
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
)
from accountant.report.figure import Axis, Bar, Bars, Curves, Frequencies, Frequency, Series
from accountant.report.interface import Renderer
from accountant.report.table import Table
from accountant.testing.counterexamples import broken

_NAMES = ("one", "two", "three")
_SIGNS = ("-37.5", "1e-06", "82%", "R&D")
"""What formats and careless clean-ups take for marks of their own."""
_NOTHING = "no-such-value"
_TWICE = ("again and again",)
_MINUS = str.maketrans(dict.fromkeys("\N{MINUS SIGN}\N{NON-BREAKING HYPHEN}\N{HYPHEN}", "-"))


def renderer_keeps_every_word(renderer: Renderer) -> None:
    """Whatever a document says can be found in what is written: titles, text, numbers, tables, and what figures say."""
    document, tokens = sample()
    text = renderer.render(document)
    if not isinstance(text, str):
        broken(f"the renderer '{renderer.name}' must return text", returned=type(text).__name__)
    read = _as_read(text)
    missing = [f"{place}: {token}" for token, place in tokens.items() if token not in read]
    missing += [f"written twice: {token}" for token in _TWICE if token in tokens and read.count(token) < 2]
    if missing:
        broken(
            f"the renderer '{renderer.name}' must not leave out what a document says",
            **{f"missing_{number}": words for number, words in enumerate(missing[:5], start=1)},
            look_at="'render'",
        )
    if renderer.render(document) != text:
        broken(f"the renderer '{renderer.name}' must write the same document in the same way")


def _as_read(text: str) -> str:
    """What is written without the marks by which formats protect characters, with one sign for minus."""
    return html.unescape(text).replace("\\", "").translate(_MINUS)


def sample() -> tuple[Document, dict[str, str]]:
    """A document with every kind of block, and every word in it that a reader must find, with its place."""
    tokens: dict[str, str] = {}
    numbers = itertools.count(1)

    def said(place: str) -> str:
        token = f"word{next(numbers):03d}"
        tokens[token] = place
        return token

    def awkward(token: str, place: str) -> str:
        tokens[token] = place
        return token

    def table(place: str) -> Table:
        rows = tuple((said(f"a cell of {place}"), said(f"a cell of {place}")) for _ in range(2))
        return Table(said(f"the title of {place}"), (said(f"a heading of {place}"), said(f"a heading of {place}")), rows)

    def figure_table(place: str) -> Table:
        return Table(place, ("label", "value"), (("one", "1"),))

    points = ((0.0, 0.0, 0.0), (1.0, 0.5, 0.6))
    inner = Section(said("the title of a section in a section"), (Paragraph(said("a section")),))
    tones = get_args(get_type_hints(Callout)["tone"])
    blocks: tuple[Block, ...] = (
        Paragraph(("plain ", Strong(said("strong words")), " and ", Code(said("code")), " ", said("a paragraph"))),
        Items((said("a list"), (Strong(said("strong words in a list")),))),
        Definitions(((said("a term"), said("what a term stands for")),)),
        Listing(said("a listing")),
        KeyFigures((KeyFigure(said("a key figure"), said("the label of a key figure"), said("the note of a key figure")),)),
        *(Callout(tone, said(f"the title of a {tone}"), (Paragraph(said(f"a {tone}")),)) for tone in tones),
        Section(said("the title of a section"), (inner,)),
        Aside(said("the title of an aside"), (Paragraph(said("an aside")),)),
        table("a table"),
        Table("long", ("row", "value"), tuple((f"row {row}", said("a long table")) for row in range(40))),
        Paragraph(" ".join(said("a long paragraph") for _ in range(60))),
        Table("signs", ("what", "value"), tuple(("value", awkward(sign, "a cell")) for sign in _SIGNS)),
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
    )
    small = (said("small print"),)
    return Document(said("the title"), blocks, said("the subtitle"), small), tokens


def command_says_how_it_is_used(command: click.Command) -> None:
    """A command explains itself and every option, with an example, and refuses what it does not know in one line."""
    name = command.name or ""
    shown = CliRunner().invoke(command, ["--help"], prog_name=f"accountant {name}")
    if shown.exit_code != 0:
        broken(f"'accountant {name} --help' must work", printed=shown.output.strip()[-500:])
    silent = [
        parameter.name
        for parameter in command.params
        if isinstance(parameter, click.Option) and not parameter.hidden and not (parameter.help or "").strip()
    ]
    if silent:
        broken(f"'accountant {name}' must explain its options", unexplained=", ".join(filter(None, silent)))
    if not re.search(rf"accountant {re.escape(name)}\b", (command.help or "") + (command.epilog or "")):
        broken(
            f"'accountant {name} --help' must show an example",
            remedy=f"write a line that starts with 'accountant {name}' into the help text",
        )
    refused = CliRunner().invoke(command, ["--no-such-option"], prog_name=f"accountant {name}")
    if refused.exit_code != 2 or "Traceback" in refused.output:
        broken(
            f"'accountant {name}' must refuse an unknown option with exit code 2",
            exit_code=refused.exit_code,
            printed=refused.output.strip()[-500:],
        )
    _require_refusal(command, name)


def _require_refusal(command: click.Command, name: str) -> None:
    """What nobody can have meant is refused in words: an error of Python's own is none."""
    needed = [parameter for parameter in command.params if parameter.required]
    if isinstance(command, click.Group) or not needed:
        return
    words: list[str] = []
    for parameter in needed:
        words += [*parameter.opts[:1], _NOTHING] if isinstance(parameter, click.Option) else [_NOTHING]
    with tempfile.TemporaryDirectory() as empty, contextlib.chdir(empty):
        tried = CliRunner().invoke(command, words, prog_name=f"accountant {name}")
    if tried.exception is not None and not isinstance(tried.exception, SystemExit | AccountantError | click.ClickException):
        broken(
            f"'accountant {name}' must refuse what it cannot use in words",
            tried=f"accountant {name} {' '.join(words)}",
            error=f"{type(tried.exception).__name__}: {tried.exception}",
            remedy="give the parameter a type, or raise click.BadParameter",
        )
