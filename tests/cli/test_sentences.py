"""What commands print about a number is true: it is read back from the screen and enumerated."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from accountant import default_registry, load_plan
from accountant.plugin import DIVERGENCES
from accountant.testing.laws import require_meaning
from accountant.testing.worlds import Noisy, World
from tests.promise.nested import World as Nested
from tests.promise.test_strands import nearest

# Geometric noise of scale 1/log(3) is no rational; that of scale 1 loses no less than exact noise of ratio 2/5 > 1/e.
CLOSE = "2/5"
GEOMETRIC = {"kind": "geometric", "scale": "1"}
CASES: dict[str, tuple[dict[str, Any], tuple[Noisy, ...]]] = {
    "presence": ({"neighbours": "add-remove"}, (Noisy(("illness",), CLOSE),)),
    "a group": ({"neighbours": "replace-one", "group": 2}, (Noisy(("illness",), CLOSE, single=True),)),
    "attributes": (
        {"neighbours": "replace-one", "attributes": ["illness"]},
        (Noisy(("illness",), CLOSE), Noisy(("age",), CLOSE)),
    ),
    "exact counts": (
        {"neighbours": "replace-one", "invariants": [{"name": "ages", "counts_by": ["age"]}]},
        (Noisy(("illness",), CLOSE),),
    ),
    "a sample": ({"neighbours": "add-remove"}, (Noisy(("illness",), CLOSE, rate="1/4"),)),
}


def written(noisy: Noisy, number: int) -> dict[str, Any]:
    kind = "count" if noisy.single else "histogram"
    sampling = {} if noisy.rate is None else {"sampling": {"kind": "poisson", "rate": str(noisy.rate)}}
    query = {"kind": kind, "attributes": list(noisy.attributes or ())}
    return {"name": f"release {number}", "query": query, "mechanism": GEOMETRIC, **sampling}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("definition", ["pure", "approx", "fdp"])
def test_what_measure_prints_holds(run: Callable[..., Any], tmp_path: Path, name: str, definition: str) -> None:
    specification, truth = CASES[name]
    world = World.of(*truth, specification=specification)
    releases = [written(noisy, number) for number, noisy in enumerate(truth)]
    plan = tmp_path / "plan.json"
    plan.write_text(json.dumps({"specification": specification, "release": releases}), encoding="utf-8")
    words = {"approx": ("--delta", "0.01"), "fdp": ("--level", "0.1")}.get(definition, ())
    result = run("measure", plan, "--as", definition, *words)
    assert result.exit_code == 0, result.output
    require_meaning(default_registry()[DIVERGENCES][definition], " ".join(result.stdout.split()), world)


def test_explain_and_scenario_say_what_is_compared(run: Callable[..., Any], tmp_path: Path) -> None:
    specification, truth = CASES["attributes"]
    releases = [written(noisy, number) for number, noisy in enumerate(truth)]
    plan = tmp_path / "plan.json"
    plan.write_text(json.dumps({"specification": specification, "release": releases}), encoding="utf-8")
    explained = " ".join(run("explain", plan, "--as", "pure").stdout.split())
    assert "Between datasets that differ in the illness of one person (replace-one). Other attributes" in explained
    asked = " ".join(run("scenario", plan, "--about", "illness", "--as", "pure").stdout.split())
    assert "A scenario compares datasets that differ in the attributes named of one person (replace-one)" in asked
    assert "Other attributes of a person are not protected by this number." in asked


def test_a_number_between_datasets_that_do_not_exist_says_so(run: Callable[..., Any], tmp_path: Path) -> None:
    specification = {
        "neighbours": "replace-one",
        "attributes": ["illness"],
        "invariants": [{"name": "all", "counts_by": ["illness", "age"]}],
    }
    plan = tmp_path / "plan.json"
    release = written(Noisy(("illness",), CLOSE), 0)
    plan.write_text(json.dumps({"specification": specification, "release": [release]}), encoding="utf-8")
    assert "No two such datasets exist" in run("measure", plan, "--as", "pure").stdout


SMALL_HOUSEHOLDS = """
[specification]
unit = "household"
neighbours = "add-remove"
invariants = [
    { name = "households", counts_by = ["tenure"] },
    { name = "persons", counts_by = ["age", "tenure"], of = "person" },
]
[[specification.entities]]
name = "person"
within = "household"
at_most = 2
attributes = ["age"]
[[specification.entities]]
name = "household"
may_be_empty = true
attributes = ["tenure"]
[[budget]]
divergence = "pure"
epsilon = "1"
[[scenario]]
name = "who is there"
records = 1
without = ["t*"]
[[release]]
name = "ages"
query = { kind = "histogram", attributes = ["age"], of = "person" }
mechanism = { kind = "laplace", scale = "4" }
[[release]]
name = "tenure"
query = { kind = "histogram", attributes = ["tenure"] }
mechanism = { kind = "laplace", scale = "4" }
"""


def test_no_number_is_that_of_the_closest_datasets_where_it_is_not_known_how_close_these_are(
    run: Callable[..., Any], tmp_path: Path
) -> None:
    """At least two households come or go. Enumeration says four: two of two persons, and two of one of each."""
    path = tmp_path / "plan.toml"
    path.write_text(SMALL_HOUSEHOLDS, encoding="utf-8")
    promised = load_plan(path).specification
    assert (promised.universe.closest.least, promised.universe.closest.most) == (2, None)
    assert nearest(Nested(list(promised.neighbours.entities.declared)), promised, most=2) == 4
    shown = " ".join(run("certify", path).stdout.split())
    assert "between the closest" not in shown
    assert "Between any that differ in 2 the bounds are pure epsilon 1.5." in shown
    assert "2, if any are so near" in shown
    asked = " ".join(run("scenario", path, "--as", "pure").stdout.split())
    assert "between the closest" not in asked
    assert "between datasets 2 units (household) apart, if any that are compared are so near" in asked
