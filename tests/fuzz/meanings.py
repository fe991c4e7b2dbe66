"""Plans that say what their numbers mean, at random: narrower neighbours, entities, cohorts, exact tables and scenarios."""

from __future__ import annotations

import copy
from random import Random
from typing import Any

from tests.fuzz.plans import BUDGETS, change

ENTITIES = [
    {"name": "person", "within": "household", "at_most": 4, "may_move": True, "attributes": ["age", "race"]},
    {"name": "household", "within": "block", "at_most": 9, "may_resize": True, "may_be_empty": False, "derived": ["size"]},
    {"name": "block", "may_resize": True, "may_be_empty": True, "attributes": ["county"]},
]
ENTITIES[1]["attributes"] = ["tenure"]
EDGES = [["10", "20"], ["20", "30", "40"]]
PROMISES: tuple[dict[str, Any], ...] = (
    {"neighbours": "replace-one"},
    {"neighbours": "add-remove"},
    {"neighbours": "zero-out"},
    {"neighbours": "replace-one", "attributes": ["race"]},
    {"neighbours": {"kind": "metric", "attribute": "age", "step": "5"}},
    {"neighbours": {"kind": "blowfish", "attribute": "age", "values": ["10", "20", "30", "40", "70"], "edges": EDGES}},
    {"neighbours": {"kind": "edge", "degree": 7}, "unit": "edge"},
    {"neighbours": {"kind": "node", "degree": 3}, "unit": "node"},
    {"neighbours": "replace-one", "unit": "person", "entities": ENTITIES},
    {"neighbours": "replace-one", "unit": "household", "entities": ENTITIES},
    {"neighbours": "add-remove", "unit": "block", "entities": ENTITIES},
)
EXACT: tuple[dict[str, Any] | str, ...] = (
    {"name": "total", "counts_by": []},
    {"name": "by county", "counts_by": ["county"]},
    {"name": "by race and age", "counts_by": ["race", "age"]},
    {"name": "households", "counts_by": ["tenure"], "of": "household"},
    {"name": "zeros", "fixed": True},
    {"name": "ages", "counts_by": ["age"], "fixed": True},
    "something else",
)
QUERIES: tuple[dict[str, Any], ...] = (
    {"kind": "count"},
    {"kind": "histogram", "attributes": ["race", "age"]},
    {"kind": "histogram", "attributes": ["age"], "of": "person"},
    {"kind": "histogram", "attributes": ["size"], "of": "household"},
    {"kind": "attribute-sum", "attribute": "age", "lower": "0", "upper": "90"},
    {"kind": "attribute-sum", "attribute": "age", "lower": "5", "upper": "90", "chosen_by": ["race"]},
    {"kind": "thresholds", "attribute": "age", "thresholds": ["18", "30", "65"]},
    {"kind": "edge-count"},
    {"kind": "degree-histogram"},
    {"kind": "triangles"},
)
MECHANISMS: tuple[dict[str, Any], ...] = (
    {"kind": "laplace", "scale": "3"},
    {"kind": "gaussian", "sigma": "4"},
    {"kind": "discrete-gaussian", "sigma": "4"},
    {"kind": "geometric", "scale": "3"},
    {"kind": "claim", "divergence": "zcdp", "rho": "0.1"},
)
COHORTS: tuple[dict[str, Any], ...] = (
    {"by": "race", "values": ["A", "B"]},
    {"by": "age", "values": ["10"]},
    {"by": ["age"], "values": ["10", "70"]},
    {"by": ["race", "age"], "at_least": 2},
    {"by": "county", "at_most": 100},
)
SCENARIOS: tuple[dict[str, Any], ...] = (
    {"name": "race", "attributes": ["race"]},
    {"name": "age and county", "attributes": ["age", "county"]},
    {"name": "without the first", "without": ["release 0"]},
    {"name": "without many", "without": ["release*"], "attributes": ["age"]},
    {"name": "dependent", "records": 3},
    {"name": "insider", "attacker": "insider"},
)


def _fitting(promised: dict[str, Any], items: Any) -> list[Any]:
    """Queries and tables that a promise can make sense of: of graphs in graphs, of entities where they are declared."""
    graph, nested = promised.get("unit") in ("edge", "node"), "entities" in promised

    def fits(item: Any) -> bool:
        kind, of = ("", None) if isinstance(item, str) else (item.get("kind", "histogram"), item.get("of"))
        if graph:
            return kind in ("edge-count", "degree-histogram", "triangles", "")
        return kind not in ("edge-count", "degree-histogram", "triangles") and (of is None or nested)

    return [item for item in items if fits(item)]


def meant(seed: int) -> dict[str, Any]:
    """The plan of a number, most of which fit together, some of them changed a little."""
    draw = Random(seed)

    def some(items: Any, most: int) -> list[Any]:
        return copy.deepcopy(draw.sample(list(items), draw.randint(0, most)))

    promised = copy.deepcopy(draw.choice(PROMISES))
    promised["invariants"] = some(_fitting(promised, EXACT), 1)
    if promised["invariants"] and draw.random() < 0.5:
        promised["inside"] = True
    if draw.random() < 0.3:
        promised["group"] = draw.choice((2, 3, 40))
    releases = []
    for number in range(draw.choice((1, 1, 2, 4))):
        mechanism = copy.deepcopy(draw.choice(MECHANISMS))
        query = {} if mechanism["kind"] == "claim" else {"query": copy.deepcopy(draw.choice(_fitting(promised, QUERIES)))}
        releases.append({"name": f"release {number}", **query, "mechanism": mechanism})
        if query and draw.random() < 0.15:
            releases[-1]["scope"] = {"partition": draw.choice(("race", "age")), "part": draw.choice(("A", "10"))}
    budgets = copy.deepcopy(draw.sample(BUDGETS, draw.choice((1, 1, 2))))
    for budget in budgets:
        if draw.random() < 0.2:
            budget["cohort"] = copy.deepcopy(draw.choice(COHORTS))
    plan = {"title": "Meant", "specification": promised, "budget": budgets, "release": releases}
    plan["scenario"] = some(SCENARIOS, 2) if draw.random() < 0.4 else []
    for _ in range(draw.choice((0, 0, 0, 1, 2))):
        change(plan, draw)
    return plan
