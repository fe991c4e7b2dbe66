"""`accountant diff`: the verdict first, then numbers, then the plan; one exit status for what the new plan keeps."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from accountant.cli import main

Run = Callable[..., Result]

PLAN = """
[specification]
neighbours = "add-remove"

[[budget]]
divergence = "pure"
epsilon = "1"

[[release]]
name = "smokers"
query = { kind = "count" }
mechanism = { kind = "geometric", scale = "2" }
"""


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Writes the plan with some texts replaced."""

    def put(name: str, *pairs: tuple[str, str]) -> Path:
        content = PLAN
        for old, new in pairs:
            assert old in content
            content = content.replace(old, new)
        path = tmp_path / name
        path.write_text(content, encoding="utf-8")
        return path

    return put


def test_the_verdict_is_said_first_and_then_what_it_costs(run: Run, write: Callable[..., Path]) -> None:
    result = run("diff", write("old.toml"), write("new.toml", ('"2"', '"1/2"')))
    assert result.exit_code == 1
    assert result.stdout.splitlines() == [
        "NOT KEPT; kept before",
        "exit status 1: the new plan does not keep all that it promises",
        "  pure epsilon = 1: kept before, EXCEEDED after",
        "",
        "What they cost",
        "  pure epsilon",
        "    before  0.5, limit 1: kept",
        "    after   2, limit 1: EXCEEDED",
        "    change  1.5 more",
        "",
        "What changed",
        "  release 'smokers'",
        "    mechanism.scale: 2 -> 0.5",
    ]


@pytest.mark.parametrize(
    ("old", "new", "status"),
    [((), (), 0), ((("2", "1/2"),), (), 0), ((), (("2", "1/2"),), 1), ((("2", "1/2"),), (("2", "1/2"),), 1)],
)
def test_the_exit_status_is_that_of_the_new_plan(
    run: Run, write: Callable[..., Path], old: Any, new: Any, status: int
) -> None:
    quoted = [[(f'"{a}"', f'"{b}"') for a, b in side] for side in (old, new)]
    first, second = write("old.toml", *quoted[0]), write("new.toml", *quoted[1])
    assert run("diff", first, second).exit_code == status
    assert run("certify", second, "--output", second.with_suffix(".json")).exit_code == status


def test_less_noise_in_the_old_plan_is_less_in_the_new_one(run: Run, write: Callable[..., Path]) -> None:
    assert "    change  1.5 less" in run("diff", write("old.toml", ('"2"', '"1/2"')), write("new.toml")).stdout


def test_the_same_plan_is_said_to_be_the_same(run: Run, survey: Path) -> None:
    result = run("diff", survey, survey)
    assert result.stdout.splitlines()[0] == "KEPT, as before: the plans are the same"
    assert "    change  none" in result.stdout
    assert "What changed" not in result.stdout


def test_a_certificate_stands_for_the_plan_that_it_is_about(run: Run, survey: Path, certificate: Path) -> None:
    assert "the plans are the same" in run("diff", certificate, survey).stdout
    assert "the plans are the same" in run("diff", survey, certificate).stdout


def test_a_certificate_that_was_changed_is_refused(run: Run, survey: Path, certificate: Path) -> None:
    certificate.write_text(certificate.read_text(encoding="utf-8").replace('"sigma":"8"', '"sigma":"9"'), "utf-8")
    result = run("diff", certificate, survey)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "not the one that was certified" in result.stderr


def test_one_plan_may_come_from_standard_input(write: Callable[..., Path]) -> None:
    path = write("plan.toml")
    for content in (PLAN, json.dumps(json_plan())):
        for order in ([str(path), "-"], ["-", str(path)]):
            result = CliRunner().invoke(main, ["diff", *order], input=content)
            assert result.exit_code == 0, result.stderr
            assert "the plans are the same" in result.stdout
    assert CliRunner().invoke(main, ["diff", json.dumps(json_plan()), str(path)]).exit_code == 0
    faulty = CliRunner().invoke(main, ["diff", str(path), '{"release": []}'])
    assert faulty.exit_code == 2
    assert "the argument" in faulty.stderr
    refused = CliRunner().invoke(main, ["diff", "-", "-"], input=PLAN)
    assert refused.exit_code == 2
    assert "only one of OLD and NEW" in refused.stderr


def json_plan() -> dict[str, Any]:
    return {
        "specification": {"neighbours": "add-remove"},
        "budget": [{"divergence": "pure", "epsilon": "1"}],
        "release": [
            {"name": "smokers", "query": {"kind": "count"}, "mechanism": {"kind": "geometric", "scale": "2"}},
        ],
    }


def test_numbers_of_another_specification_are_shown_and_not_subtracted(run: Run, write: Callable[..., Path]) -> None:
    result = run("diff", write("old.toml"), write("new.toml", ('"add-remove"', '"replace-one"')))
    assert "The plans differ in what they promise (neighbours): their numbers are not comparable." in result.stdout
    assert "  The old promise implies the new: refuted" in result.stdout
    assert "  The new promise implies the old: refuted" in result.stdout
    assert "change  " not in result.stdout
    data = json.loads(run("diff", "--json", write("old.toml"), write("new.toml", ('"add-remove"', '"replace-one"'))).stdout)
    assert (data["comparable"], data["costs"][0]["growth"]) == (False, None)
    assert [item["verdict"] for item in data["promises"]] == ["refuted", "refuted"]


def test_json_says_the_same(run: Run, write: Callable[..., Path]) -> None:
    result = run("diff", write("old.toml"), write("new.toml", ('"2"', '"1/2"')), "--json")
    data = json.loads(result.stdout)
    assert result.exit_code == 1
    assert (data["kept"], data["verdict"]) == (False, {"before": "implied", "after": "refuted"})
    assert data["costs"][0]["growth"] == {"lower": "1.5", "upper": "1.5", "exact": "1.5"}
    assert data["changes"] == [{"part": "release 'smokers'", "field": "mechanism.scale", "before": "2", "after": "0.5"}]


def test_faults_of_both_plans_are_named_at_once_with_their_files(run: Run, write: Callable[..., Path]) -> None:
    old, new = write("old.toml", ("geometric", "geometrc")), write("new.toml", ("pure", "pur"))
    result = run("diff", old, new)
    assert (result.exit_code, result.stdout) == (2, "")
    lines = result.stderr.splitlines()
    assert [str(path) in line for path, line in zip((old, new), lines, strict=True)] == [True, True]
    assert "did you mean 'geometric'" in lines[0]
    assert "did you mean 'pure'" in lines[1]
