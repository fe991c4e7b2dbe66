"""Bibliography: what the keys of theorems stand for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import frozen

from accountant.report.marks import Link, Words
from accountant.report.messages import in_a_row, say

if TYPE_CHECKING:
    from accountant.promise.theorem import Theorem

_FILE = Path(__file__).with_name("references.bib")
_ENTRY = re.compile(r"^@\w+\{(?P<key>\w+),$(?P<fields>.*?)^\}$", re.MULTILINE | re.DOTALL)
_FIELD = re.compile(r"^[ ]*(?P<name>\w+)[ ]*=[ ]*\{(?P<value>.*)\},?$", re.MULTILINE)
_ARXIV = re.compile(r"arXiv:(?P<number>\d{4}\.\d{4,5})")
_ACCENTS = {r"\'": "\u0301", r"\`": "\u0300", r"\"": "\u0308", r"\^": "\u0302", r"\~": "\u0303", r"\c": "\u0327"}
_ACCENT = re.compile(r"\\(?P<mark>['`\"^~]|c(?=[ {]))\s*\{?(?P<letter>[a-zA-Z]|\\i)\}?")


@frozen
class Reference:
    """What a key stands for: who wrote it, what it is called, where it appeared and when, and where it is read."""

    key: str
    authors: tuple[str, ...]
    title: str
    place: str
    year: str
    link: str | None

    def written(self) -> Words:
        """The reference as a bibliography has it."""
        place = f"{self.place}, " if self.place else ""
        end = "" if self.title.endswith(("?", "!")) else "."
        text = f"{in_a_row(self.authors)}. {self.title}{end} {place}{self.year}."
        return (text,) if self.link is None else (f"{text} ", Link(self.link.removeprefix("https://"), self.link))


def keys() -> frozenset[str]:
    """The keys of all that is known."""
    return frozenset(_references())


@cache
def _references() -> Mapping[str, Reference]:
    return {found["key"]: _read(found["key"], found["fields"]) for found in _ENTRY.finditer(_FILE.read_text("utf-8"))}


def reference(key: str) -> Reference | None:
    """What a key stands for; None for one that is not registered here, such as another package's."""
    return _references().get(key)


def bibliography(theorems: Iterable[Theorem]) -> tuple[tuple[str, Words], ...]:
    """All that some theorems cite, each once under its key; what is not known here is said to be so."""
    found: list[tuple[str, Words]] = []
    for key in sorted({theorem.key for theorem in theorems}):
        known = reference(key)
        found.append((key, say("bibliography.unknown") if known is None else known.written()))
    return tuple(found)


def _read(key: str, text: str) -> Reference:
    one_line_each = re.sub(r"\n[ ]+(?![ ]*\w+[ ]*=)", " ", text)
    fields = {found["name"].lower(): found["value"] for found in _FIELD.finditer(one_line_each)}
    authors = tuple(_name(author) for author in fields.get("author", "").split(" and "))
    named = (fields[name] for name in ("journal", "booktitle", "publisher", "note") if name in fields)
    place = next((name for name in named if not _ARXIV.fullmatch(name)), "")
    return Reference(key, authors, _plain(fields["title"]), _plain(place), fields["year"], _link(fields))


def _link(fields: Mapping[str, str]) -> str | None:
    """Where it is read: by its DOI, or else its address or its number at arXiv."""
    if "doi" in fields:
        return f"https://doi.org/{fields['doi']}"
    if "url" in fields:
        return fields["url"]
    number = fields.get("eprint")
    if number is None and (found := _ARXIV.search(fields.get("note", ""))):
        number = found["number"]
    return None if number is None else f"https://arxiv.org/abs/{number}"


def _name(author: str) -> str:
    """First names first."""
    last, _, first = _plain(author).partition(", ")
    return f"{first} {last}" if first else last


def _plain(text: str) -> str:
    """A text without what only typesetting needs."""
    import unicodedata

    accented = _ACCENT.sub(lambda found: found["letter"].replace("\\i", "i") + _ACCENTS["\\" + found["mark"]], text)
    bare = (
        re.sub(r"[{}]", "", accented.replace(r"\varepsilon", "ε").replace("$", "")).replace("--", "–").replace(r"\&", "&")
    )
    return unicodedata.normalize("NFC", bare)
