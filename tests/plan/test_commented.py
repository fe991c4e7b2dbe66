"""Plans written with comments: what they say is read back, and comments are never read."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from attrs import evolve
from hypothesis import given, settings, strategies as st

from accountant import Plan, default_registry, load_plan, read_plan
from accountant.plan.commented import commented
from accountant.testing.strategies import plans

REGISTRY = default_registry()
EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(plans(), st.text(st.characters(exclude_categories=("Cc", "Cs", "Zl", "Zp")), min_size=1).filter(str.strip))
def test_a_plan_with_comments_is_the_plan(plan: Plan, title: str) -> None:
    named = evolve(plan, title=title)
    assert read_plan(tomllib.loads(commented(named, REGISTRY))) == named


@pytest.mark.parametrize("name", ["survey.toml", "census-2020.toml"])
def test_the_examples_survive_being_written_with_comments(name: str) -> None:
    plan = load_plan(EXAMPLES / name)
    assert read_plan(tomllib.loads(commented(plan, REGISTRY))) == plan


def test_every_part_of_a_plan_may_be_there() -> None:
    data = {
        "title": "everything",
        "precision": "1e-5",
        "specification": {"neighbours": "replace-one", "invariants": ["size"]},
        "budget": [{"divergence": "approx", "epsilon": "1", "delta": "1e-6"}],
        "reading": [{"divergence": "zcdp"}],
        "scenario": [{"name": "age", "attributes": ["age"]}],
        "public": [
            {
                "kind": "independent",
                "name": "size",
                "determines": ["size"],
                "budget": [{"divergence": "pure", "epsilon": "1"}],
            }
        ],
        "risk": [{"kind": "constant", "ratio": "3", "neighbours": "replace-one"}],
        "release": [
            {
                "name": 'old "and" \\ young',
                "query": {"kind": "count", "attributes": ["age"]},
                "mechanism": {"kind": "geometric", "scale": "2"},
                "sampling": {"kind": "poisson", "rate": "1/2"},
            }
        ],
    }
    plan = read_plan(data)
    written = commented(plan, REGISTRY)
    assert read_plan(tomllib.loads(written)) == plan
    for said in ("# what is promised, and between which datasets", "# replace-one: one unit has other values", "# scale: "):
        assert said in written
    assert "no event is more than e^epsilon times as likely" in " ".join(written.replace("#", " ").split())
