"""JSON Schemas of what people write: plans, with every kind and definition that plugins add."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import attrs

from accountant.plan.checks import Check, asks_query, says_releases
from accountant.plan.form import (
    OTHERWISE,
    SHARED,
    Asked,
    Either,
    InRows,
    Joined,
    Key,
    KeyedTable,
    Many,
    Part,
    Short,
    Stated,
)
from accountant.plan.plan import PLAN
from accountant.promise.divergence import DIVERGENCES
from accountant.registry.registry import Registry
from accountant.release.release import MECHANISMS
from accountant.values.family import Family
from accountant.values.schema import NUMBER_SCHEMA, field_schema, schema

DIALECT = "https://json-schema.org/draft/2020-12/schema"
Schema = dict[str, Any]
_WORDS = ("description", "type", "properties", "required", "anyOf", "additionalProperties", "if", "then")


def plan_schema(registry: Registry) -> Schema:
    """The JSON Schema of plans.

    Guarantee: a plan that is read without faults is valid. The converse cannot be had, since a schema does not compare
    numbers that are written as strings.
    """
    parts = {name: part_schema(part, registry) for name, part in SHARED.items()}
    return {"$schema": DIALECT, "title": "accountant plan", **part_schema(PLAN, registry), "$defs": parts}


def _reference(part: Part, registry: Registry) -> Schema:
    """The schema of a part, by its name where it has one."""
    names = [name for name, shared in SHARED.items() if shared is part]
    return {"$ref": f"#/$defs/{names[0]}"} if names else part_schema(part, registry)


def part_schema(part: Part, registry: Registry) -> Schema:
    """The JSON Schema of a part of a plan."""
    match part:
        case attrs.Attribute():
            return field_schema(part)
        case Family() if part.classes:
            return _one_of([kind for item in sorted(registry[part].items()) for kind in _kinds(*item, registry)])
        case Family():
            return {
                "oneOf": [{"const": name, "description": item.meaning} for name, item in sorted(registry[part].items())]
            }
        case Stated():
            return {"oneOf": list(_stated(part, registry, {}))}
        case Asked():
            return {"oneOf": list(_asked(registry))}
        case Many():
            return _many(part, registry)
        case Short():
            table = schema(part.cls)
            return {"oneOf": [table["properties"][part.name], table]}
        case KeyedTable():
            return _table(part, registry)
        case Joined():
            return _one_of(
                [_joined(table, part, registry) for table in part_schema(part.family, registry).get("oneOf", ())]
            )
        case Either():
            tables = part_schema(part.kinds, registry).get("oneOf", [])
            alone = [table["properties"]["kind"] for table in tables if table["required"] == ["kind"]]
            return _one_of([*part_schema(part.named, registry)["oneOf"], *alone, *tables])
        case InRows():
            # References to columns may stand anywhere in a row, so that its parts are only known row by row.
            file = {"type": "string", "description": "a CSV, Parquet or .xlsx file beside the plan"}
            parts: Schema = {key.name: {} for key in part.row.keys}
            grouped = {"type": "boolean", "description": "whether rows that say the same are one release, so many times"}
            return _closed(part.about, {"file": file, "grouped": grouped, **parts}, ["file", *_required(part.row.keys)])
    return schema(part)


def _closed(about: str, properties: Schema, required: list[str]) -> Schema:
    """A table without other keys."""
    return {
        "description": about,
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }


def _required(keys: Iterable[Key]) -> list[str]:
    return [key.name for key in keys if key.required]


def _table(part: KeyedTable, registry: Registry) -> Schema:
    properties = {key.name: _reference(key.part, registry) for key in part.keys}
    whole = _closed(part.about, properties, _required(part.keys))
    for key in part.keys:
        if key.check in _CONDITIONS:
            whole |= _CONDITIONS[key.check](registry)
    return {word: whole[word] for word in _WORDS if word in whole}


def _needs_query(registry: Registry) -> Schema:
    asking = sorted(kind for kind, cls in registry[MECHANISMS].items() if cls.needs_query)
    return {
        "if": {"properties": {"mechanism": {"properties": {"kind": {"enum": asking}}, "required": ["kind"]}}},
        "then": {"required": ["query"]},
    }


def _needs_releases(registry: Registry) -> Schema:
    return {"anyOf": [{"required": ["release"]}, {"required": ["table"]}]}


_CONDITIONS: dict[Check | None, Callable[[Registry], Schema]] = {asks_query: _needs_query, says_releases: _needs_releases}
"""The checks that a schema can make."""


def _many(part: Many, registry: Registry) -> Schema:
    item = _reference(part.item, registry)
    least = {"minItems": part.least} if part.least else {}
    if part.short:
        name = item["properties"][part.short]
        return {"description": name["description"], "type": "array", **least, "items": {"oneOf": [name, item]}}
    several = {"type": "array", **least, "items": item}
    return {"oneOf": [item, several]} if part.alone else several


def _one_of(kinds: list[Schema]) -> Schema:
    """One of several kinds; nothing at all where no plugin offers any."""
    return {"oneOf": kinds} if kinds else {"not": {}}


def _kinds(kind: str, cls: type[Any], registry: Registry) -> Iterator[Schema]:
    """A class of a family, named by its kind."""
    if cls in OTHERWISE:
        yield from _stated(OTHERWISE[cls], registry, {"kind": kind})
    else:
        yield schema(cls, constants={"kind": kind})


def _joined(table: Schema, part: Joined, registry: Registry) -> Schema:
    properties = {**table["properties"], **{key.name: _reference(key.part, registry) for key in part.keys}}
    return {**table, "properties": properties, "required": [*table["required"], *_required(part.keys)]}


def _stated(part: Stated, registry: Registry, constants: dict[str, str]) -> Iterator[Schema]:
    """A parameter of each definition, and where curves are allowed several points of each that has them."""
    known = [({**constants, "divergence": name}, item) for name, item in sorted(registry[DIVERGENCES].items())]
    for keys, divergence in known:
        whole = schema(divergence.parameter, constants=keys)
        further = {key.name: _reference(key.part, registry) for key in part.keys}
        yield {**whole, "properties": {**whole["properties"], **further}, "title": divergence.title}
    for keys, divergence in known if part.curves else ():
        if divergence.readings[0].at:
            points = {"type": "array", "minItems": 1, "items": schema(divergence.parameter)}
            properties: Schema = {key: {"const": value} for key, value in keys.items()}
            properties["points"] = {"description": "parameters that hold at once", **points}
            whole = _closed("A curve, known at points.", properties, [*keys, "points"])
            yield {"title": f"{divergence.title}, at several points", **whole}


def _asked(registry: Registry) -> Iterator[Schema]:
    """One kind for each reading of each definition."""
    for name, divergence in sorted(registry[DIVERGENCES].items()):
        for reading in divergence.readings:
            properties = {"divergence": {"const": name}, **dict.fromkeys(reading.at, NUMBER_SCHEMA)}
            yield _closed(f"{reading.value} of {divergence.title}", properties, ["divergence", *reading.at])
