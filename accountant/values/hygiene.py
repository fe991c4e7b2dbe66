"""Hygiene: what no field could use is refused before anything is read, and nothing long is quoted whole."""

from __future__ import annotations

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
            elif problem := _unprintable(key):
                yield Fault(f"a key {problem}", place)
            else:
                yield from unusable(value, f"{place}.{key}" if depth else key or place, depth + 1)
    elif isinstance(data, list):
        for index, item in enumerate(data):
            yield from unusable(item, f"{place}[{index}]", depth + 1)
    elif isinstance(data, str):
        if problem := _unprintable(data):
            yield Fault(f"the text {problem}", place)
    elif isinstance(data, int):
        if data.bit_length() > _LARGEST_BITS:
            yield Fault(f"a whole number of {data.bit_length():,} bits is beyond any use here", place)
    elif data is None:
        yield Fault("expected a value, got null; leave the key out instead", place)
    elif not isinstance(data, float | Decimal | Fraction):
        yield Fault(f"expected text, a number, a list or a table, got a value of type {type(data).__name__}", place)


def _unprintable(text: str) -> str | None:
    if len(text) > _LONGEST_TEXT:
        return f"has {len(text):,} characters (at most {_LONGEST_TEXT:,})"
    found = next((character for character in text if unicodedata.category(character) in _UNPRINTABLE), None)
    if found is None:
        return None
    return f"contains {_UNPRINTABLE[unicodedata.category(found)]} (U+{ord(found):04X}); write one line of plain text"


def shortened(message: str, longest: int = LONGEST_MESSAGE) -> str:
    """A message without the middle of whatever long thing it quotes."""
    if len(message) <= longest:
        return message
    return f"{message[: longest // 2]} ... {message[-longest // 2 :]}"
