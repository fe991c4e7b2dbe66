"""Marks in running text: words that stand out, that a computer reads, or that lead somewhere."""

from __future__ import annotations

import re
from typing import Any, TypeAlias

from attrs import Attribute, field, frozen

from accountant.errors import InvalidValue
from accountant.promise.statement import Statement

# What fetches a page, writes a letter, or is the name of a file beside the page. Nothing else is ever followed.
_TARGET = re.compile(r"https?://[^\s\"'<>]+|mailto:[^\s\"'<>?]+|(?!\.)[^\s:/\\?#\"'<>]+")


def _harmless(_: object, attribute: Attribute[Any], value: str) -> None:
    if not _TARGET.fullmatch(value):
        raise InvalidValue(f"a link leads to a web page, a letter or a file beside the page, not to {value!r}")


@frozen
class Strong:
    """Words that a reader should not miss."""

    text: str


@frozen
class Code:
    """Words that a computer reads, such as a command or a digest."""

    text: str


@frozen
class Link:
    """Words that lead to a page, to somebody who is asked, or to a file that lies beside the report."""

    text: str
    target: str = field(validator=_harmless)

    @classmethod
    def to_file(cls, name: str) -> Link | Code:
        """The name of a file as a link, or as it is where it could not be followed."""
        return cls(name, name) if _TARGET.fullmatch(name) else Code(name)


Words: TypeAlias = str | tuple[str | Strong | Code | Link | Statement, ...]
"""Running text, some of it perhaps marked. Where a number stands, a statement says what it says."""
