"""Writing values as plain data, and plain data in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import attrs

from accountant.numbers.exact import plain
from accountant.values.hygiene import LONGEST_MESSAGE, shortened


def unstructure(value: object) -> dict[str, Any]:
    """A value of an attrs class as plain data, leaving out what equals its default."""
    result: dict[str, Any] = {}
    for member in attrs.fields(type(value)):  # type: ignore[arg-type]
        item = getattr(value, member.name)
        if item != member.default:
            result[member.alias or member.name] = plain_data(item)
    return result


def plain_data(item: object) -> Any:
    """What a field holds as plain data."""
    if isinstance(item, Fraction):
        return plain(item)
    if isinstance(item, frozenset):
        return sorted(item)
    if isinstance(item, tuple):
        return [plain_data(member) for member in item]
    if hasattr(item, "kind") and attrs.has(type(item)):
        return kind_data(item)
    return unstructure(item) if attrs.has(type(item)) else item


def kind_data(item: Any) -> dict[str, Any]:
    """A mechanism, query or sampling as a table: its kind and its parameters, which some kinds write in their own way."""
    return {"kind": item.kind, **(item.as_data() if hasattr(item, "as_data") else unstructure(item))}


def listed(names: Sequence[str], most: int = 5) -> str:
    """Names in quotes; of many the first."""
    shown = [f"'{name}'" for name in names[:most]]
    *first, last = [*shown, f"{len(names) - most:,} more"] if len(names) > most else shown
    return f"{', '.join(first)} and {last}" if first else last


def at_words(at: Mapping[str, Fraction]) -> str:
    """Where a definition is read, in words that follow its name: ` at delta = 1e-6`; nothing where it has no words."""
    return "".join(f" at {word} = {plain(value)}" for word, value in at.items())


def in_words(item: Any, longest: int = LONGEST_MESSAGE) -> str:
    """Plain data in one line; a table with a kind as kind(name = value). Long values lose their middle."""
    if isinstance(item, Mapping):
        inside = ", ".join(f"{name} = {in_words(value, longest)}" for name, value in item.items() if name != "kind")
        return f"{item.get('kind', '')}({inside})"
    if isinstance(item, list) and any(isinstance(member, Mapping) for member in item):
        return f"[{', '.join(in_words(member, longest) for member in item)}]"
    return shortened(str(item), longest)
