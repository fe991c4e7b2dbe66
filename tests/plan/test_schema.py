"""The printed schema accepts what the reader accepts and refuses plain nonsense."""

from __future__ import annotations

import json
import tomllib
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from accountant.plan.schema import plan_schema
from accountant.plugin import DIVERGENCES, MECHANISMS, QUERIES
from accountant.registry.registry import default_registry

EXAMPLE = tomllib.loads((Path(__file__).parents[2] / "examples" / "survey.toml").read_text(encoding="utf-8"))
SCHEMA = plan_schema(default_registry())
VALIDATOR = Draft202012Validator(SCHEMA)


def test_the_schema_is_a_schema_and_plain_json() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    assert json.loads(json.dumps(SCHEMA)) == SCHEMA


def test_the_example_is_valid() -> None:
    VALIDATOR.validate(EXAMPLE)


@pytest.mark.parametrize(
    "release",
    [
        {"name": "s", "query": {"kind": "sum", "lower": 0, "upper": "5/2"}, "mechanism": {"kind": "laplace", "scale": 1.5}},
        {
            "name": "v",
            "query": {"kind": "vector", "shift": [1, "-1"], "neighbours": "replace-one"},
            "mechanism": {"kind": "gaussian", "sigma": ".5"},
        },
        {
            "name": "c",
            "query": {"kind": "vector", "shift": [1, 0]},
            "mechanism": {"kind": "gaussian", "covariance": [["2", 1], ["1", "0.75"]]},
        },
        {"name": "g", "query": {"kind": "count"}, "mechanism": {"kind": "geometric", "scale": "2"}},
        {"name": "k", "query": {"kind": "count"}, "mechanism": {"kind": "skellam", "variance": 9}},
        {"name": "t", "query": {"kind": "count"}, "mechanism": {"kind": "staircase", "epsilon": 1, "gamma": "1/3"}},
        {"name": "r", "mechanism": {"kind": "randomised-response", "epsilon": "1e-3"}, "times": 10**18},
        {"name": "a", "mechanism": {"kind": "claim", "divergence": "approx", "epsilon": 1, "delta": "1e-9"}},
        {"name": "n", "mechanism": {"kind": "no-op"}, "times": "3"},
        {"name": "x", "mechanism": {"kind": "non-private"}},
        {"name": "p", "mechanism": {"kind": "post-processed", "mechanism": {"kind": "no-op"}, "by": "sorting"}},
        {"name": "m", "mechanism": {"kind": "mixture", "parts": [{"chance": 1, "mechanism": {"kind": "non-private"}}]}},
    ],
    ids=lambda release: release["mechanism"]["kind"],
)
def test_every_kind_can_be_written(release: dict[str, Any]) -> None:
    VALIDATOR.validate({**EXAMPLE, "release": [release]})


def test_every_registered_name_is_in_the_schema() -> None:
    registry = default_registry()
    kinds = {option["properties"]["kind"]["const"] for option in SCHEMA["$defs"]["mechanism"]["oneOf"]}
    queries = {option["properties"]["kind"]["const"] for option in SCHEMA["$defs"]["query"]["oneOf"]}
    budgets = {option["properties"]["divergence"]["const"] for option in SCHEMA["$defs"]["budget"]["oneOf"]}
    assert (kinds, queries, budgets) == (set(registry[MECHANISMS]), set(registry[QUERIES]), set(registry[DIVERGENCES]))


def test_every_parameter_is_described() -> None:
    for part in ("mechanism", "query", "budget"):
        for option in SCHEMA["$defs"][part]["oneOf"]:
            assert option["description"]
            for value in option["properties"].values():
                assert "const" in value or (value["description"] and ("type" in value or "$ref" in value))


def changed(*path: str | int, to: object) -> dict[str, Any]:
    plan = deepcopy(EXAMPLE)
    target: Any = plan
    for key in path[:-1]:
        target = target[key]
    target[path[-1]] = to
    return plan


@pytest.mark.parametrize(
    "nonsense",
    [
        {},
        [],
        changed("title", to=""),
        changed("budgets", to=[]),
        changed("specification", to=[]),
        changed("specification", "neighbours", to="replace-two"),
        changed("specification", "invariants", to="all"),
        changed("budget", 0, "divergence", to="aprox"),
        changed("budget", 0, "rho", to="1"),
        changed("budget", 0, "delta", to=2),
        changed("budget", 0, "delta", to=0),
        changed("release", to=[]),
        changed("release", 0, "times", to=2.5),
        changed("release", 0, "times", to=0),
        changed("release", 0, "times", to=10**30),
        changed("release", 0, "mechanism", "kind", to="gausian"),
        changed("release", 0, "mechanism", "covariance", to=[["1"]]),
        changed("release", 0, "mechanism", "sigma", to="nan"),
        changed("release", 0, "mechanism", "sigma", to=True),
        changed("release", 0, "mechanism", "sigma", to=-1),
        changed("release", 0, "mechanism", "sigm", to=1),
        changed("release", 0, "mechanism", to={"kind": "gaussian"}),
        changed("release", 0, "query", "attributes", to="age"),
        changed("release", 0, to={"name": "no query", "mechanism": {"kind": "gaussian", "sigma": 1}}),
        changed("release", 2, "mechanism", to={"kind": "claim", "divergence": "zcdp", "epsilon": 1}),
    ],
    ids=str,
)
def test_nonsense_is_invalid(nonsense: object) -> None:
    assert not VALIDATOR.is_valid(nonsense)
