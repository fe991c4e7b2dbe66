"""JSON Schemas of what people write: plans, with every kind and definition that plugins add."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from accountant.plan.plan import Plan
from accountant.promise.divergence import DIVERGENCES
from accountant.promise.invariant import Invariant
from accountant.promise.neighbours import NEIGHBOURS, Neighbours
from accountant.promise.public_facts import PUBLIC_FACTS
from accountant.promise.risk import RISK_PROFILES
from accountant.promise.specification import Scenario, Specification
from accountant.registry.registry import Registry
from accountant.release.claim import Claim
from accountant.release.mechanism import MECHANISMS
from accountant.release.query import QUERIES
from accountant.release.release import Release, Scope
from accountant.release.sampling import SAMPLINGS
from accountant.values.schema import NUMBER_SCHEMA, schema

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def plan_schema(registry: Registry) -> dict[str, Any]:
    """The JSON Schema of plans.

    Guarantee: a plan that is read without faults is valid. The converse cannot be had, since a schema does not compare
    numbers that are written as strings.
    """
    return {
        "$schema": DIALECT,
        "title": "accountant plan",
        "description": "What will be released, and what is promised about it.",
        "type": "object",
        "properties": {
            **{key: schema(Plan)["properties"][key] for key in ("title", "precision")},
            "specification": {"$ref": "#/$defs/specification"},
            "budget": {"type": "array", "items": {"$ref": "#/$defs/budget"}},
            "release": {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/release"}},
            "table": {"type": "array", "items": {"$ref": "#/$defs/table"}},
            "reading": {"type": "array", "items": {"oneOf": _questions(registry)}},
            "scenario": {"type": "array", "items": schema(Scenario)},
            "public": {"type": "array", "items": {"$ref": "#/$defs/public"}},
            "risk": {"oneOf": [{"$ref": "#/$defs/risk"}, {"type": "array", "items": {"$ref": "#/$defs/risk"}}]},
        },
        "required": ["specification"],
        "anyOf": [{"required": ["release"]}, {"required": ["table"]}],
        "additionalProperties": False,
        "$defs": {
            "specification": _specification(registry),
            "budget": {"oneOf": _parameters(registry, {})},
            "public": _one_of([_public(kind, cls) for kind, cls in sorted(registry[PUBLIC_FACTS].items())]),
            "risk": _one_of(_kinds(registry[RISK_PROFILES])),
            "query": {"oneOf": _kinds(registry[QUERIES])},
            "mechanism": {"oneOf": _mechanisms(registry)},
            "sampling": {"oneOf": _kinds(registry[SAMPLINGS])},
            "release": _release(registry),
            "table": _table(),
        },
    }


def _kinds(items: Mapping[str, type[Any]]) -> list[dict[str, Any]]:
    """The classes of a family, each named by its kind."""
    return [schema(cls, constants={"kind": kind}) for kind, cls in sorted(items.items())]


def _one_of(kinds: list[dict[str, Any]]) -> dict[str, Any]:
    """One of several kinds; nothing at all where no plugin offers any."""
    return {"oneOf": kinds} if kinds else {"not": {}}


def _public(kind: str, cls: type[Any]) -> dict[str, Any]:
    """Public information with the budgets relative to it."""
    table = schema(cls, constants={"kind": kind})
    budgets = {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/budget"}}
    return {
        **table,
        "properties": {**table["properties"], "budget": budgets},
        "required": [*table["required"], "budget"],
    }


def _parameters(registry: Registry, constants: dict[str, str]) -> list[dict[str, Any]]:
    """A parameter of each definition, named by the definition."""
    return [
        {**schema(divergence.parameter, constants={**constants, "divergence": name}), "title": divergence.title}
        for name, divergence in sorted(registry[DIVERGENCES].items())
    ]


def _curves(registry: Registry, constants: dict[str, str]) -> list[dict[str, Any]]:
    """Several parameters of one definition that hold at once, where a definition has curves."""
    kinds = []
    for name, divergence in sorted(registry[DIVERGENCES].items()):
        if divergence.readings[0].at:
            keys = {**constants, "divergence": name}
            points = {
                "description": "parameters that hold at once",
                "type": "array",
                "minItems": 1,
                "items": schema(divergence.parameter),
            }
            kinds.append(
                {
                    "title": f"{divergence.title}, at several points",
                    "description": "A curve, known at points.",
                    "type": "object",
                    "properties": {**{key: {"const": value} for key, value in keys.items()}, "points": points},
                    "required": [*keys, "points"],
                    "additionalProperties": False,
                }
            )
    return kinds


def _mechanisms(registry: Registry) -> list[dict[str, Any]]:
    kinds = []
    for kind, cls in sorted(registry[MECHANISMS].items()):
        if issubclass(cls, Claim):
            kinds.extend(_parameters(registry, {"kind": kind}))
            kinds.extend(_curves(registry, {"kind": kind}))
        else:
            kinds.append(schema(cls, constants={"kind": kind}))
    return kinds


def _specification(registry: Registry) -> dict[str, Any]:
    neighbours, promised = schema(Neighbours)["properties"], schema(Specification)["properties"]
    relations = [
        {"const": name, "description": relation.meaning} for name, relation in sorted(registry[NEIGHBOURS].items())
    ]
    return {
        "description": "What is promised, and between which datasets.",
        "type": "object",
        "properties": {
            "unit": neighbours["unit"],
            "neighbours": {"oneOf": relations},
            "group": neighbours["group"],
            "attributes": {**neighbours["attributes"], "description": "the attributes that may differ; any when left out"},
            "invariants": {
                "description": "what is published exactly",
                "type": "array",
                "items": {"oneOf": [schema(Invariant)["properties"]["name"], schema(Invariant)]},
            },
            "domain": promised["domain"],
            "attacker": promised["attacker"],
        },
        "required": ["neighbours"],
        "additionalProperties": False,
    }


def _questions(registry: Registry) -> list[dict[str, Any]]:
    """One kind for each reading of each definition."""
    return [
        {
            "description": f"{reading.value} of {divergence.title}",
            "type": "object",
            "properties": {"divergence": {"const": name}, **dict.fromkeys(reading.at, NUMBER_SCHEMA)},
            "required": ["divergence", *reading.at],
            "additionalProperties": False,
        }
        for name, divergence in sorted(registry[DIVERGENCES].items())
        for reading in divergence.readings
    ]


def _table() -> dict[str, Any]:
    """A release with references to columns anywhere in it, so that its parts are only known row by row."""
    parts: dict[str, dict[str, Any]] = {key: {} for key in ("name", "query", "mechanism", "sampling", "times")}
    file = {"type": "string", "description": "a CSV or Parquet file beside the plan"}
    return {
        "description": "Releases in the rows of a file; texts refer to its columns as {column}.",
        "type": "object",
        "properties": {"file": file, **parts},
        "required": ["file", "name", "mechanism"],
        "additionalProperties": False,
    }


def _release(registry: Registry) -> dict[str, Any]:
    fields = schema(Release)["properties"]
    asking = sorted(kind for kind, cls in registry[MECHANISMS].items() if cls.needs_query)
    return {
        "description": "A mechanism on a query, perhaps on a sample or in a part of the records, some number of times.",
        "type": "object",
        "properties": {
            "name": fields["name"],
            "query": {"$ref": "#/$defs/query"},
            "mechanism": {"$ref": "#/$defs/mechanism"},
            "sampling": {"$ref": "#/$defs/sampling"},
            "scope": schema(Scope),
            "times": fields["times"],
        },
        "required": ["name", "mechanism"],
        "additionalProperties": False,
        "if": {"properties": {"mechanism": {"properties": {"kind": {"enum": asking}}, "required": ["kind"]}}},
        "then": {"required": ["query"]},
    }
