"""Reading plain data into values with all faults at once, writing values as plain data, and schemas of both.

Value classes are frozen attrs classes whose fields say everything: the converter reads one value, validators constrain it,
metadata describes it. A third party's mechanism needs no further code to be read, written and documented.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from fractions import Fraction
from typing import Any, TypeVar

import attrs

from accountant import fields
from accountant.errors import AccountantError, Fault
from accountant.exact import plain
from accountant.registry import suggest

T = TypeVar("T")


class Reader:
    """Collects faults while plain data is read."""

    def __init__(self) -> None:
        self.faults: list[Fault] = []

    def fault(self, message: str, place: str) -> None:
        """Note one thing wrong."""
        self.faults.append(Fault(message, place))

    def attempt(self, place: str, action: Callable[[], T]) -> T | None:
        """The result of an action, or None with its error noted as a fault."""
        try:
            return action()
        except AccountantError as error:
            self.fault(str(error), place)
            return None

    def table(self, data: object, place: str) -> Mapping[str, Any] | None:
        """The data as a table."""
        if isinstance(data, Mapping):
            return data
        self.fault(f"expected a table, got {data!r}", place)
        return None

    def keys(self, data: Mapping[str, Any], known: Collection[str], place: str) -> None:
        """Note every key that means nothing here."""
        for key in data:
            if key not in known:
                self.fault(f"unknown key '{key}'{suggest(str(key), known)}", place)

    def member(self, cls: type[Any], key: str, data: Mapping[str, Any], place: str) -> Any:
        """One field of an attrs class read from a table; its default if the table leaves it out, None with a fault."""
        member = next(member for member in attrs.fields(cls) if (member.alias or member.name) == key)
        if key in data:
            return self.attempt(f"{place}.{key}", lambda: _read(member, data[key]))
        if member.default is not attrs.NOTHING:
            return member.default
        described = member.metadata.get("about")
        self.fault(f"missing '{key}'" + (f": {described}" if described else ""), place)
        return None

    def value(self, cls: type[T], data: Mapping[str, Any], place: str, *, besides: Collection[str] = ()) -> T | None:
        """A value of an attrs class read from a table; keys in `besides` belong to someone else."""
        before = len(self.faults)
        members = [member.alias or member.name for member in attrs.fields(cls)]  # type: ignore[arg-type]
        self.keys(data, {*members, *besides}, place)
        arguments = {key: self.member(cls, key, data, place) for key in members}
        if len(self.faults) > before:
            return None
        return self.attempt(place, lambda: cls(**arguments))


def _read(member: attrs.Attribute[Any], value: Any) -> Any:
    converted = member.converter(value) if member.converter is not None else value  # type: ignore[operator]
    if member.validator is not None:
        member.validator(None, member, converted)
    return converted


def unstructure(value: object) -> dict[str, Any]:
    """A value of an attrs class as plain data, leaving out what equals its default."""
    result: dict[str, Any] = {}
    for member in attrs.fields(type(value)):  # type: ignore[arg-type]
        item = getattr(value, member.name)
        if item != member.default:
            result[member.alias or member.name] = _plain(item)
    return result


def _plain(item: object) -> Any:
    if isinstance(item, Fraction):
        return plain(item)
    if isinstance(item, frozenset):
        return sorted(item)
    if isinstance(item, tuple):
        return [_plain(member) for member in item]
    return item


NUMBER_SCHEMA: dict[str, Any] = {
    "description": "an exact number: a decimal or ratio as a string, or a plain number",
    "type": ["string", "number"],
}

_SCHEMAS: dict[Callable[..., Any], dict[str, Any]] = {
    fields.exact: NUMBER_SCHEMA,
    fields.whole: {"type": ["integer", "string"]},
    fields.text: {"type": "string", "minLength": 1},
    fields.optional_text: {"type": "string", "minLength": 1},
    fields.names: {"type": "array", "items": {"type": "string"}},
    fields.exact_list: {"type": "array", "items": NUMBER_SCHEMA},
}


def schema(cls: type[Any], *, constants: Mapping[str, str] | None = None) -> dict[str, Any]:
    """The JSON Schema of the plain data of an attrs class, with further keys that have a constant value."""
    properties: dict[str, Any] = {key: {"const": value} for key, value in (constants or {}).items()}
    required = list(properties)
    for member in attrs.fields(cls):
        key = member.alias or member.name
        known = member.metadata.get("schema") or _SCHEMAS.get(member.converter, {})
        described = member.metadata.get("about")
        properties[key] = {**known, "description": described} if described else dict(known)
        if member.default is attrs.NOTHING:
            required.append(key)
    result: dict[str, Any] = {"type": "object", "properties": properties, "additionalProperties": False}
    if required:
        result["required"] = required
    if cls.__doc__:
        result["description"] = cls.__doc__.strip().splitlines()[0]
    return result
