"""Values of a class inside another value, in its fields and in tuples there: found, and replaced."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import attrs


def inside(value: object, kind: type) -> Iterator[tuple[str, Any]]:
    """The nearest values of a class among the fields, each with the path that leads to it, such as '.parts[0].inner'."""
    for member in attrs.fields(type(value)) if attrs.has(type(value)) else ():  # type: ignore[arg-type]
        path, item = f".{member.alias or member.name}", getattr(value, member.name)
        several = (
            [(f"{path}[{index}]", part) for index, part in enumerate(item)] if isinstance(item, tuple) else [(path, item)]
        )
        for place, part in several:
            if isinstance(part, kind):
                yield place, part
            else:
                yield from ((place + further, inner) for further, inner in inside(part, kind))


def replaced(value: Any, kind: type, change: Callable[[Any], Any]) -> Any:
    """The same value with the nearest values of a class among its fields changed."""

    def new(item: Any) -> Any:
        if isinstance(item, tuple):
            return tuple(new(part) for part in item)
        if isinstance(item, kind):
            return change(item)
        return replaced(item, kind, change) if attrs.has(type(item)) else item

    members = {member.name: getattr(value, member.name) for member in attrs.fields(type(value)) if member.init}
    changed = {name: new(item) for name, item in members.items()}
    return value if changed == members else attrs.evolve(value, **changed)
