"""Tampered: plain data that somebody changed, at every place and in every way that a reader must notice."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import deepcopy
from decimal import Decimal
from typing import Any

Path = tuple[str | int, ...]
"""Where something stands in plain data: keys and places in lists, from the outside."""

_STRANGE = "planted"
_NEARLY = "1.000001"


def changes(data: Any) -> Iterator[tuple[str, Any, bool | None]]:
    """What may be changed in a history: what must hold, the changed history, and whether it then is the same plan or not
    if it is read at all; None where it must not be read."""
    for path in places(data):
        value = found_at(data, path)
        if isinstance(value, Mapping):
            yield "a key that is not known must be refused", put_at(data, path, {**value, _STRANGE: 1}), None
            for key in value:
                left = {other: item for other, item in value.items() if other != key}
                yield "a key that is left out must be refused where it says something", put_at(data, path, left), True
        elif isinstance(value, list):
            yield "an entry that is not understood must be refused", put_at(data, path, [*value, _STRANGE]), None
        elif isinstance(value, str):
            yield "a word that is not known must be refused where it says something", put_at(data, path, _STRANGE), True
        else:
            yield "a word in the place of a number must be refused", put_at(data, path, _STRANGE), None
            if value > 0:
                yield "the sign of a number must count: without it the plan is another", put_at(data, path, -value), False
            if value not in (0, 1):
                yield "true in the place of a number must be refused", put_at(data, path, True), None
            other = value + 1 if isinstance(value, int) else value / 2
            yield "every number must count: with another one the plan is another", put_at(data, path, other), False
            nearly = (Decimal(value) if isinstance(value, int) else value) * Decimal(_NEARLY)
            if nearly:
                statement = "every digit must count: with a number hardly larger the plan is another"
                yield statement, put_at(data, path, nearly), False


def places(data: Any, above: Path = ()) -> Iterator[Path]:
    """Every place in plain data, the outermost first."""
    yield above
    inner = data.items() if isinstance(data, Mapping) else enumerate(data) if isinstance(data, list) else ()
    for key, value in inner:
        yield from places(value, (*above, key))


def found_at(data: Any, path: Path) -> Any:
    """What stands at a place."""
    for key in path:
        data = data[key]
    return data


def put_at(data: Any, path: Path, value: Any) -> Any:
    """A copy of plain data with another value at a place."""
    if not path:
        return value
    copy = deepcopy(data)
    found_at(copy, path[:-1])[path[-1]] = value
    return copy


HOSTILE: tuple[Any, ...] = (
    None,
    True,
    "",
    {},
    [],
    [[]],
    {"": 1},
    {_STRANGE: {_STRANGE: []}},
    0,
    -1,
    10**400,
    10**5000,
    Decimal("1e-400"),
    Decimal("1e999999"),
    float("nan"),
    float("inf"),
    "1e999999999",
    "\x1b[31m",
    "\u202e",
    "x" * 20_000,
    b"bytes",
    object,
)
"""What may stand in a history that somebody wrote to do harm, beside what is nested too deep."""
