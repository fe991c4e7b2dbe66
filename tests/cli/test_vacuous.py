"""Where no two datasets are comparable at any distance, every command says so, and none calls anything kept."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

Run = Callable[..., Result]

NOTHING_LEFT = """
title = "Race by county, all of it exact"
[specification]
neighbours = "replace-one"
domain = { attributes = ["race", "county"] }
invariants = [{ name = "race by county", counts_by = ["race", "county"] }]
[[budget]]
divergence = "pure"
epsilon = "1"
[[scenario]]
name = "race"
attributes = ["race"]
[[release]]
name = "race"
query = { kind = "histogram", attributes = ["race"] }
mechanism = { kind = "laplace", scale = "4" }
"""


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    path = tmp_path / "nothing.toml"
    path.write_text(NOTHING_LEFT, encoding="utf-8")
    return path


def test_a_certificate_between_no_datasets_is_vacuous(run: Run, plan: Path) -> None:
    result = run("certify", plan)
    assert result.exit_code == 1
    assert "  VACUOUS  budget pure epsilon\n" in result.stdout
    assert "kept" not in result.stdout.lower()
    shown = " ".join(result.stdout.split())
    assert "reads off what is published exactly that person's county, race" in shown
    data = json.loads(plan.with_suffix(".certificate.json").read_text(encoding="utf-8"))
    assert [item["verdict"] for item in data["budgets"]] == ["vacuous"]
    assert data["scenarios"][0]["guarantees"] == []


@pytest.mark.parametrize("command", [("measure",), ("scenario",), ("scenario", "--about", "race")])
def test_a_reading_between_no_datasets_is_vacuous(run: Run, plan: Path, command: tuple[str, ...]) -> None:
    result = run(command[0], plan, "--as", "pure", *command[1:])
    assert result.exit_code == 1
    assert "vacuous" in result.stdout.lower()
    as_json = run(command[0], plan, "--as", "pure", *command[1:], "--json")
    assert as_json.exit_code == 1
    json.loads(as_json.stdout)


def test_one_more_attribute_leaves_something_to_compare(run: Run, plan: Path) -> None:
    """The race of two people from different counties can be exchanged where a third attribute tells them apart."""
    plan.write_text(NOTHING_LEFT.replace('["race", "county"] }\n', '["race", "county", "age"] }\n', 1), encoding="utf-8")
    result = run("certify", plan)
    assert result.exit_code == 0
    assert "  kept  budget pure epsilon: at most 0.5 of 1\n" in result.stdout
    found = run("scenario", plan, "--as", "pure")
    assert found.exit_code == 0
    assert "2 units (person) apart" in " ".join(found.stdout.split())
