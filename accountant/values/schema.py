"""JSON Schemas of values: what their fields say about plain data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

import attrs

from accountant import fields

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
    for each in fields.validators(member, fields.Each):
        return {"type": "array", "minItems": 1, "items": schema(each.cls)}
    return _SCHEMAS.get(cast(Any, member.converter), {})


def field_schema(member: attrs.Attribute[Any]) -> dict[str, Any]:
    """The JSON Schema of the plain data of one field."""
    known = member.metadata.get("schema") or _known_schema(member)
    described = member.metadata.get("about")
    return {**known, **_bounds(member), **({"description": described} if described else {})}


def schema(cls: type[Any], *, constants: Mapping[str, str] | None = None) -> dict[str, Any]:
    """The JSON Schema of the plain data of an attrs class, with further keys that have a constant value."""
    properties: dict[str, Any] = {key: {"const": value} for key, value in (constants or {}).items()}
    required = list(properties)
    for member in attrs.fields(cls):
        key = member.alias or member.name
        properties[key] = field_schema(member)
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
        for item in fields.validators(member, fields.Constraint)
    }
