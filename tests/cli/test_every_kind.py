"""Plans that use every bundled kind at once: certified in one go, verified, and nothing left out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import attrs
import pytest

from accountant import Certificate, Plan, Verdict, certify, default_registry, read_plan, verify
from accountant.plugin import MECHANISMS, QUERIES, SAMPLINGS, Family
from accountant.registry.registry import Registry

HERE = "tests/cli/test_every_kind.py"
COUNT = {"kind": "count"}
CELLS = {"kind": "histogram", "attributes": ["age", "sex"]}

# One plan for each neighbour relation. A new kind gets a release in the plan of a relation that it is accounted for under.
# What hides nothing stands apart, so that the first plan has a finite loss, and so does what only compares some datasets.
EXAMPLES: dict[str, list[dict[str, Any]]] = {
    "add-remove": [
        {"query": COUNT, "mechanism": {"kind": "laplace", "scale": "5"}},
        {"query": CELLS, "mechanism": {"kind": "gaussian", "sigma": "8"}, "times": 3},
        {"query": COUNT, "mechanism": {"kind": "discrete-gaussian", "sigma": "6"}},
        {"query": COUNT, "mechanism": {"kind": "geometric", "scale": "6"}},
        {"query": COUNT, "mechanism": {"kind": "skellam", "variance": "50"}},
        {"query": COUNT, "mechanism": {"kind": "staircase", "epsilon": "1/5", "gamma": "1/2"}},
        {"mechanism": {"kind": "randomised-response", "epsilon": "1/4"}},
        {"mechanism": {"kind": "exponential", "epsilon": "1/5"}},
        {"mechanism": {"kind": "permute-and-flip", "epsilon": "1/5"}},
        {"query": COUNT, "mechanism": {"kind": "report-noisy-max", "noise": "gumbel", "scale": "12", "monotone": True}},
        {
            "query": COUNT,
            "mechanism": {"kind": "sparse-vector", "threshold_scale": "12", "query_scale": "40", "cutoff": 2},
        },
        {"mechanism": {"kind": "table", "rows": [["3/5", "2/5"], ["2/5", "3/5"]]}},
        {"mechanism": {"kind": "claim", "divergence": "zcdp", "rho": "0.01"}},
        {"mechanism": {"kind": "no-op"}},
        {
            "query": COUNT,
            "mechanism": {"kind": "post-processed", "by": "rounding", "mechanism": {"kind": "laplace", "scale": "9"}},
        },
        {
            "query": COUNT,
            "mechanism": {"kind": "conditional", "until": "positive", "mechanism": {"kind": "laplace", "scale": "9"}},
        },
        {
            "query": COUNT,
            "mechanism": {
                "kind": "mixture",
                "parts": [
                    {"chance": "1/4", "mechanism": {"kind": "laplace", "scale": "8"}},
                    {"chance": "3/4", "mechanism": {"kind": "gaussian", "sigma": "9"}},
                ],
            },
        },
        {
            "query": CELLS,
            "mechanism": {"kind": "matrix", "sigma": "9", "strategy": [[1, 0], [1, 1]], "participations": 2},
        },
        {"query": COUNT, "mechanism": {"kind": "tree", "sigma": "30", "leaves": 52, "participations": 3, "separation": 4}},
        {
            "query": {"kind": "sum", "lower": "0", "upper": "2"},
            "mechanism": {"kind": "gaussian", "sigma": "4"},
            "sampling": {"kind": "poisson", "rate": "1/20"},
            "times": 10,
        },
        {
            "query": {"kind": "gradient", "norm": "1/2"},
            "mechanism": {"kind": "gaussian", "sigma": "2"},
            "sampling": {"kind": "poisson", "rate": "1/100"},
            "times": 20,
        },
        {
            "query": {"kind": "attribute-sum", "attribute": "age", "lower": "0", "upper": "100"},
            "mechanism": {"kind": "laplace", "scale": "900"},
        },
        {
            "query": {"kind": "thresholds", "attribute": "age", "thresholds": ["18", "65"]},
            "mechanism": {"kind": "laplace", "scale": "30"},
        },
        {"query": {"kind": "vector", "shift": ["1", "1/2"]}, "mechanism": {"kind": "laplace", "scale": "10"}},
        {
            "query": {"kind": "quantile-scores", "level": "1/2", "candidates": 100},
            "mechanism": {"kind": "report-noisy-max", "noise": "gumbel", "scale": "10"},
        },
        {
            "query": {"kind": "cross-product", "lower": [1, 0], "upper": [1, 2]},
            "mechanism": {"kind": "gaussian", "sigma": "20"},
        },
    ],
    "replace-one": [
        {
            "query": {"kind": "mean", "lower": "0", "upper": "100", "size": 500},
            "mechanism": {"kind": "laplace", "scale": "4"},
        },
        {"query": {"kind": "proportion", "size": 500}, "mechanism": {"kind": "laplace", "scale": "1/50"}},
        {
            "query": {"kind": "variance", "lower": "0", "upper": "1", "size": 500},
            "mechanism": {"kind": "gaussian", "sigma": "1/40"},
        },
        {
            "query": {"kind": "quantile", "level": "1/2", "lower": "0", "upper": "1"},
            "mechanism": {"kind": "laplace", "scale": "10"},
        },
        {"query": CELLS, "mechanism": {"kind": "gaussian", "sigma": "8"}},
        {
            "query": COUNT,
            "mechanism": {"kind": "laplace", "scale": "4"},
            "sampling": {"kind": "without-replacement", "sample": 10, "population": 1000},
        },
        {"query": COUNT, "mechanism": {"kind": "non-private"}},
        {"mechanism": {"kind": "k-randomised-response", "categories": 8, "epsilon": "1/2"}, "times": 2},
        {"mechanism": {"kind": "subset-selection", "categories": 8, "size": 3, "epsilon": "1/2"}},
        {"mechanism": {"kind": "unary-encoding", "epsilon": "1"}},
        {"mechanism": {"kind": "optimised-unary-encoding", "epsilon": "1"}},
        {"mechanism": {"kind": "shuffle", "epsilon": "1", "reports": 5000}},
    ],
    "node": [
        {"query": {"kind": "edge-count"}, "mechanism": {"kind": "geometric", "scale": "90"}},
        {"query": {"kind": "degree-histogram"}, "mechanism": {"kind": "laplace", "scale": "90"}},
        {"query": {"kind": "triangles"}, "mechanism": {"kind": "gaussian", "sigma": "90"}},
    ],
    "replace-one in pairs": [
        {
            "mechanism": {
                "kind": "swapping",
                "rate": "1/20",
                "strata": [12, 7],
                "stratify": ["block"],
                "swap": ["race"],
                "rest": ["age"],
                "version": "permute",
            }
        },
    ],
}

# What a plan promises where it is more than its neighbours.
PROMISES: dict[str, dict[str, Any]] = {
    "node": {"unit": "node", "neighbours": {"kind": "node", "degree": 9}},
    "replace-one in pairs": {
        "neighbours": "replace-one",
        "group": 2,
        "invariants": [
            {"name": "race by block", "counts_by": ["block", "race"]},
            {"name": "age by block", "counts_by": ["block", "age"]},
        ],
    },
}

TOKENS: dict[str, Family[type[Any]]] = {family.name: family for family in (MECHANISMS, QUERIES, SAMPLINGS)}
FAMILIES = {"mechanisms": "mechanism", "queries": "query", "samplings": "sampling"}
Kind = tuple[str, str]


def used(releases: list[dict[str, Any]]) -> set[Kind]:
    """The kinds that releases use, each with its family."""
    return {(family, release[key]["kind"]) for release in releases for family, key in FAMILIES.items() if key in release}


def bundled(registry: Registry) -> dict[Kind, type[Any]]:
    """The kinds that the distribution itself registers."""
    own = registry.plugins["builtin"].distribution
    return {
        (family, kind): cls
        for family in FAMILIES
        for kind, cls in registry[TOKENS[family]].items()
        if registry.owner(TOKENS[family], kind).distribution == own
    }


def complaints(registry: Registry, examples: Mapping[str, list[dict[str, Any]]]) -> Iterator[str]:
    """What is missing from the examples or should not be there, with what to write."""
    known = bundled(registry)
    shown = {kind for releases in examples.values() for kind in used(releases)}
    for family, kind in sorted(set(known) - shown):
        parameters = "".join(
            f', "{member.alias or member.name}": ...'
            for member in attrs.fields(known[family, kind])
            if member.default is attrs.NOTHING
        )
        key, plugin = FAMILIES[family], registry.owner(TOKENS[family], kind).name
        yield (
            f"the {key} '{kind}' of the plugin '{plugin}' has no example: add a release with "
            f'"{key}": {{"kind": "{kind}"{parameters}}} to EXAMPLES in {HERE}'
        )
    for family, kind in sorted(shown - set(known)):
        yield f"the {FAMILIES[family]} '{kind}' in EXAMPLES of {HERE} is not registered by a bundled plugin"


@cache
def plan(neighbours: str) -> Plan:
    releases = [
        {"name": f"{number}: {release['mechanism']['kind']}", **release}
        for number, release in enumerate(EXAMPLES[neighbours], start=1)
    ]
    return read_plan(
        {
            "title": f"One of every kind between {neighbours} neighbours",
            "specification": PROMISES.get(neighbours, {"neighbours": neighbours}),
            "budget": [{"divergence": "approx", "epsilon": "1000", "delta": "1e-6"}],
            "release": releases,
        }
    )


@cache
def certified(neighbours: str) -> Certificate:
    return certify(plan(neighbours))


def test_every_bundled_kind_has_an_example() -> None:
    found = list(complaints(default_registry(), EXAMPLES))
    assert not found, "\n".join(found)


@pytest.mark.slow
@pytest.mark.parametrize("neighbours", EXAMPLES)
def test_every_kind_is_in_the_certificate(neighbours: str) -> None:
    data = certified(neighbours).data
    assert used(data["releases"]) == used(EXAMPLES[neighbours])
    registry = default_registry()
    owners = {registry.owner(TOKENS[family], kind).name for family, kind in used(EXAMPLES[neighbours])}
    assert owners <= {plugin["name"] for plugin in data["plugins"]}
    cited = {step["theorem"]["name"] for step in data["budgets"][0]["guarantee"]["derivation"]}
    assert {bundled(registry)[kind].theorem.name for kind in used(EXAMPLES[neighbours])} <= cited


@pytest.mark.slow
@pytest.mark.parametrize("neighbours", EXAMPLES)
def test_the_certificate_verifies_against_the_plan(neighbours: str) -> None:
    read = Certificate.parse(certified(neighbours).to_json())
    assert verify(read, plan(neighbours)).differences == ()


def test_the_total_of_everything_is_known_from_both_sides() -> None:
    data = certified("add-remove").data
    value, costs = data["budgets"][0]["guarantee"]["value"], [release["costs"][0] for release in data["releases"]]
    assert max(float(cost["lower"]) for cost in costs) < float(value["lower"])
    assert float(value["lower"]) <= float(value["upper"]) < float("inf")
    assert certified("add-remove").verdicts == (Verdict.IMPLIED,)


def test_one_step_that_hides_nothing_spoils_the_total() -> None:
    assert certified("replace-one").data["budgets"][0]["guarantee"]["value"]["upper"] == "inf"
    assert certified("replace-one").verdicts == (Verdict.REFUTED,)


def test_a_kind_without_an_example_is_named() -> None:
    without = {name: [item for item in items if item["mechanism"]["kind"] != "tree"] for name, items in EXAMPLES.items()}
    (message,) = complaints(default_registry(), without)
    assert "the mechanism 'tree' of the plugin 'streams' has no example" in message
    assert '{"kind": "tree", "sigma": ..., "leaves": ...}' in message


def test_an_example_of_nothing_is_named() -> None:
    more = {**EXAMPLES, "add-remove": [*EXAMPLES["add-remove"], {"mechanism": {"kind": "carousel"}}]}
    assert list(complaints(default_registry(), more)) == [
        f"the mechanism 'carousel' in EXAMPLES of {HERE} is not registered by a bundled plugin"
    ]
