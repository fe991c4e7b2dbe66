"""Reading plain data into values with all faults at once, writing values as plain data, and schemas of both.

Value classes are frozen attrs classes whose fields say everything: the converter reads one value, validators constrain it,
metadata describes it. A third party's mechanism needs no further code to be read, written and documented.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Collection, Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any, TypeVar, cast

import attrs

from accountant import fields
from accountant.errors import AccountantError, Fault, InvalidValue, PlanError
from accountant.exact import plain
from accountant.mechanism import Mechanism
from accountant.registry import suggest

T = TypeVar("T")

_DEEPEST = 32
_LONGEST_TEXT = 10_000
_LONGEST_MESSAGE = 400
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


def shortened(message: str, longest: int = _LONGEST_MESSAGE) -> str:
    """A message without the middle of whatever long thing it quotes."""
    if len(message) <= longest:
        return message
    return f"{message[: longest // 2]} ... {message[-longest // 2 :]}"


class Reader:
    """Collects faults while plain data is read."""

    def __init__(self) -> None:
        self.faults: list[Fault] = []

    def fault(self, message: str, place: str) -> None:
        """Note one thing wrong."""
        self.faults.append(Fault(shortened(message), place))

    def attempt(self, place: str, action: Callable[[], T]) -> T | None:
        """The result of an action, or None with its error noted as a fault.

        Validators of third parties raise the usual built-in errors: these are faults of the input too.
        """
        try:
            return action()
        except AccountantError as error:
            self.fault(str(error), place)
        except (ArithmeticError, TypeError, ValueError) as error:
            self.fault(str(error.args[0]) if error.args else type(error).__name__, place)
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
            return self._field(member, data[key], f"{place}.{key}")
        if member.default is not attrs.NOTHING:
            return member.default
        described = member.metadata.get("about")
        self.fault(f"missing '{key}'" + (f": {described}" if described else ""), place)
        return None

    def _field(self, member: attrs.Attribute[Any], data: Any, place: str) -> Any:
        """The value of a field; what it is made of is read first, so that faults inside have places of their own."""
        before = len(self.faults)
        if cast(Any, member.converter) is fields.mechanism:
            data = self.mechanism(data, place)
        for each in _validators(member, fields.Each):
            data = [self.value(each.cls, table, where) for where, table in self.tables(data, place)]
        return None if len(self.faults) > before else self.attempt(place, lambda: _read(member, data))

    def tables(self, data: object, place: str) -> list[tuple[str, Mapping[str, Any]]]:
        """The tables in a list, each with its place."""
        if not isinstance(data, list):
            self.fault("expected a list of tables", place)
            return []
        found = [(f"{place}[{index}]", self.table(item, f"{place}[{index}]")) for index, item in enumerate(data)]
        return [(where, table) for where, table in found if table is not None]

    def mechanism(self, data: object, place: str) -> Any:
        """A mechanism read from a table with its kind. Only who reads plans knows the kinds."""
        self.fault("a mechanism cannot be given here", place)

    def value(self, cls: type[T], data: Mapping[str, Any], place: str, *, besides: Collection[str] = ()) -> T | None:
        """A value of an attrs class read from a table; keys in `besides` belong to someone else."""
        before = len(self.faults)
        members = [member.alias or member.name for member in attrs.fields(cls)]  # type: ignore[arg-type]
        self.keys(data, {*members, *besides}, place)
        arguments = {key: self.member(cls, key, data, place) for key in members}
        if len(self.faults) > before:
            return None
        return self.attempt(place, lambda: cls(**arguments))


_LISTS: tuple[object, ...] = (fields.names, fields.exact_list, fields.exact_table)


def _read(member: attrs.Attribute[Any], value: Any) -> Any:
    # An empty table would pass for an empty list: a query that depends on nothing and therefore costs nothing.
    if isinstance(value, Mapping) and member.converter in _LISTS:
        raise InvalidValue("expected a list, got a table")
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
    if isinstance(item, Mechanism):
        return kind_data(item)
    return unstructure(item) if attrs.has(type(item)) else item


def kind_data(item: Any) -> dict[str, Any]:
    """A mechanism, query or sampling as a table: its kind and its parameters, which some kinds write in their own way."""
    return {"kind": item.kind, **(item.as_data() if hasattr(item, "as_data") else unstructure(item))}


def in_words(item: Any, longest: int = _LONGEST_MESSAGE) -> str:
    """Plain data in one line; a table with a kind as kind(name = value). Long values lose their middle."""
    if isinstance(item, Mapping):
        inside = ", ".join(f"{name} = {in_words(value, longest)}" for name, value in item.items() if name != "kind")
        return f"{item.get('kind', '')}({inside})"
    if isinstance(item, list) and any(isinstance(member, Mapping) for member in item):
        return f"[{', '.join(in_words(member, longest) for member in item)}]"
    return shortened(str(item), longest)


NUMBER_SCHEMA: dict[str, Any] = {
    "description": "an exact number: a decimal or ratio as a string, or a plain number",
    "type": ["string", "number"],
    "pattern": r"^\s*[+-]?([0-9]+/[0-9]+|([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?)\s*$",
}
_TEXT_SCHEMA = {"type": "string", "pattern": r"\S"}

_SCHEMAS: dict[Callable[..., Any], dict[str, Any]] = {
    fields.exact: NUMBER_SCHEMA,
    fields.optional_exact: NUMBER_SCHEMA,
    fields.whole: {"type": ["integer", "string"], "pattern": NUMBER_SCHEMA["pattern"]},
    fields.text: _TEXT_SCHEMA,
    fields.optional_text: _TEXT_SCHEMA,
    fields.names: {"type": "array", "items": _TEXT_SCHEMA},
    fields.exact_list: {"type": "array", "items": NUMBER_SCHEMA},
    fields.exact_table: {"type": "array", "items": {"type": "array", "items": NUMBER_SCHEMA}},
    fields.mechanism: {"$ref": "#/$defs/mechanism"},
}


def _known_schema(member: attrs.Attribute[Any]) -> dict[str, Any]:
    for each in _validators(member, fields.Each):
        return {"type": "array", "minItems": 1, "items": schema(each.cls)}
    return _SCHEMAS.get(cast(Any, member.converter), {})


def schema(cls: type[Any], *, constants: Mapping[str, str] | None = None) -> dict[str, Any]:
    """The JSON Schema of the plain data of an attrs class, with further keys that have a constant value."""
    properties: dict[str, Any] = {key: {"const": value} for key, value in (constants or {}).items()}
    required = list(properties)
    for member in attrs.fields(cls):
        key = member.alias or member.name
        known = member.metadata.get("schema") or _known_schema(member)
        described = member.metadata.get("about")
        properties[key] = {**known, **_bounds(member), **({"description": described} if described else {})}
        if member.default is attrs.NOTHING:
            required.append(key)
    result: dict[str, Any] = {"type": "object", "properties": properties, "additionalProperties": False}
    if required:
        result["required"] = required
    if alternatives := getattr(cls, "alternatives", ()):
        result["oneOf"] = [{"required": [key]} for key in alternatives]
    if cls.__doc__:
        result["description"] = cls.__doc__.strip().splitlines()[0]
    return result


_KEYWORDS = {">": "exclusiveMinimum", ">=": "minimum", "<": "exclusiveMaximum", "<=": "maximum"}


def _bounds(member: attrs.Attribute[Any]) -> dict[str, float]:
    """What a field's constraints say about plain numbers; a schema cannot compare numbers written as strings."""
    return {
        _KEYWORDS[item.sign]: item.bound.numerator if item.bound.denominator == 1 else float(item.bound)
        for item in _validators(member, fields.Constraint)
    }


def _validators(member: attrs.Attribute[Any], kind: type[T]) -> list[T]:
    """The validators of one kind that a field has."""
    several = getattr(member.validator, "_validators", (member.validator,))
    return [item for item in several if isinstance(item, kind)]
