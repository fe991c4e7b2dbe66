"""Hygiene: what no field could use is refused before anything is read, and nothing long is quoted whole."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from decimal import Decimal
from fractions import Fraction

from accountant.errors import Fault, PlanError

_DEEPEST = 32
_LONGEST_TEXT = 10_000
LONGEST_MESSAGE = 400
_LARGEST_BITS = 4096
_UNPRINTABLE = {
    "Cc": "a control character",
    "Cs": "half a character",
    "Zl": "a line separator",
    "Zp": "a paragraph separator",
}
DIRECTIONS = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Characters that let a text be read in another order than it is written. Letters have their direction without them."""


def unusable(data: object, place: str, depth: int = 0) -> Iterator[Fault]:
    """Everything in parsed data that no field could use, wherever it stands.

    What passes can be quoted in a message, shown on a terminal and written to a certificate without harm.
    """
    if depth > _DEEPEST:
        raise PlanError((Fault(f"nested more than {_DEEPEST} levels deep", place),))
    if isinstance(data, Mapping):
        for key, value in data.items():
            if not isinstance(key, str):
                yield Fault(f"a key must be text, got a value of type {type(key).__name__}", place)
            elif problem := unprintable(key):
                yield Fault(f"a key {problem}", place)
            else:
                yield from unusable(value, f"{place}.{key}" if depth else key or place, depth + 1)
    elif isinstance(data, list):
        for index, item in enumerate(data):
            yield from unusable(item, f"{place}[{index}]", depth + 1)
    elif isinstance(data, str):
        if problem := unprintable(data):
            yield Fault(f"the text {problem}", place)
    elif isinstance(data, int):
        if data.bit_length() > _LARGEST_BITS:
            yield Fault(f"a whole number of {data.bit_length():,} bits is beyond any use here", place)
    elif data is None:
        yield Fault("expected a value, got null; leave the key out instead", place)
    elif not isinstance(data, float | Decimal | Fraction):
        yield Fault(f"expected text, a number, a list or a table, got a value of type {type(data).__name__}", place)


_ACTING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029" + "".join(sorted(DIRECTIONS)) + "]")


def harmless(text: str) -> str:
    """A text in which no character acts on a terminal or turns the direction of reading; such are written as in JSON.

    Lines and tabs stay. What is JSON stays so, and says the same.
    """
    return _ACTING.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def unprintable(text: str) -> str | None:
    """What is wrong with a text that must be one line of plain text; None where nothing is."""
    if len(text) > _LONGEST_TEXT:
        return f"has {len(text):,} characters (at most {_LONGEST_TEXT:,})"
    if text.isprintable():
        return None
    found = next((character for character in text if _named(character)), None)
    return None if found is None else f"contains {_named(found)} (U+{ord(found):04X}); write one line of plain text"


def _named(character: str) -> str | None:
    """What a character is that must not stand in a text."""
    if character in DIRECTIONS:
        return "a character that turns the direction of reading"
    return _UNPRINTABLE.get(unicodedata.category(character))


def shortened(message: str, longest: int = LONGEST_MESSAGE) -> str:
    """A message without the middle of whatever long thing it quotes."""
    if len(message) <= longest:
        return message
    return f"{message[: longest // 2]} ... {message[-longest // 2 :]}"
