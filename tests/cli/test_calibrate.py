"""`accountant calibrate` and `--precision` as they are typed."""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from accountant import load_plan
from accountant.numbers.exact import exact

Run = Callable[..., Result]

PLAN: dict[str, Any] = {
    "title": "valid",
    "specification": {"neighbours": "add-remove"},
    "budget": [{"divergence": "zcdp", "rho": "0.02"}],
    "release": [
        {"name": "a", "query": {"kind": "count"}, "mechanism": {"kind": "gaussian", "sigma": "3"}, "times": 4},
        {"name": "b", "query": {"kind": "count"}, "mechanism": {"kind": "gaussian", "sigma": "40"}},
        {"name": "c", "mechanism": {"kind": "claim", "divergence": "zcdp", "rho": "0.001"}},
    ],
}


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    return write(tmp_path, PLAN)


def write(folder: Path, data: dict[str, Any]) -> Path:
    path = folder / "plan.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


def test_the_plan_that_is_found_is_printed_and_written(run: Run, plan: Path) -> None:
    target = plan.with_name("calibrated.json")
    result = run("calibrate", plan, "--output", target)
    assert (result.exit_code, result.stderr) == (0, "")
    first, *rest = result.stdout.splitlines()
    assert first.endswith(" times is not known to.")
    assert "times the noise keeps every budget; " in first
    assert rest[0].startswith("  zcdp: rho = ")
    assert rest[3] == "  c: claim(divergence = zcdp, rho = 0.001)"
    assert rest[-1] == f"Plan: {target}"
    factor = exact(first.partition(" ")[0])
    sigmas = [release.mechanism.sigma for release in load_plan(target).releases[:2]]  # type: ignore[attr-defined]
    assert sigmas == [3 * factor, 40 * factor]
    assert run("certify", target).exit_code == 0


def test_several_profiles_are_printed_with_what_tells_them_apart(run: Run, tmp_path: Path) -> None:
    profiles = [{"kind": "difference", "at_most": most, "adversary": "strong"} for most in ("0.3", "0.2")]
    release = {**PLAN["release"][0], "mechanism": {"kind": "laplace", "scale": "3"}}
    plan = write(tmp_path, {**PLAN, "risk": profiles, "release": [release]})
    lines = run("calibrate", plan).stdout.splitlines()[1:4]
    assert lines[0].startswith("  zcdp: rho = ")
    for line, most in zip(lines[1:], ("0.3", "0.2"), strict=True):
        assert line.startswith("  risk difference(")
        assert f"at_most = {most}): pure epsilon = " in line
    labels = json.loads(run("calibrate", plan, "--json").stdout)["labels"]
    assert len(set(labels)) == 3


def test_less_noise_than_was_found_is_not_certified(run: Run, plan: Path) -> None:
    found = json.loads(run("calibrate", plan, "--json").stdout)
    less = deepcopy(PLAN)
    for release, sigma in zip(less["release"], (3, 40), strict=False):
        release["mechanism"]["sigma"] = str(exact(found["less"]) * sigma)
    assert run("certify", write(plan.parent, less)).exit_code == 1
    assert run("certify", write(plan.parent, found["plan"])).exit_code == 0


def test_the_json_has_the_plan_and_what_it_guarantees(run: Run, plan: Path) -> None:
    result = run("calibrate", plan, "--tolerance", "1e-6", "--release", "a", "--json")
    found = json.loads(result.stdout)
    assert set(found) == {"factor", "less", "plan", "guarantees", "labels"}
    assert found["labels"] == ["zcdp"]
    assert exact(found["less"]) < exact(found["factor"]) <= exact(found["less"]) * (1 + exact("1e-6"))
    assert found["plan"]["release"][1:] == load_plan(plan).as_data()["release"][1:]
    (guarantee,) = found["guarantees"]
    assert guarantee["divergence"] == "zcdp"
    assert exact(guarantee["value"]["upper"]) <= exact("0.02")
    assert [path.name for path in plan.parent.iterdir()] == ["plan.json"]


def test_the_plan_itself_is_not_overwritten(run: Run, plan: Path) -> None:
    before = plan.read_bytes()
    for target in (plan, plan.parent, plan.parent / "absent" / "found.json"):
        result = run("calibrate", plan, "--output", target)
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr.startswith(f"error: cannot write {target}: ")
        assert len(result.stderr.splitlines()) == 1
    assert plan.read_bytes() == before
    assert [path.name for path in plan.parent.iterdir()] == ["plan.json"]


WITHOUT_BUDGET = {key: value for key, value in PLAN.items() if key != "budget"}
ONLY_CLAIM = {**PLAN, "release": PLAN["release"][2:]}
SPENT = {**PLAN, "budget": [{"divergence": "zcdp", "rho": "0.0005"}]}
FREE = {
    **PLAN,
    "specification": {"neighbours": "replace-one", "attributes": ["income"]},
    "release": [{**PLAN["release"][0], "query": {"kind": "count", "attributes": ["age"]}}],
}


@pytest.mark.parametrize(
    ("data", "options", "words"),
    [
        (WITHOUT_BUDGET, (), "add a [[budget]] table @ budget"),
        (PLAN, ("--release", "z"), "no release is called 'z'"),
        (PLAN, ("--release", "c"), "'c' has no noise to scale @ release 3.mechanism"),
        (ONLY_CLAIM, (), "no release has noise to scale @ release"),
        (SPENT, (), "no amount of noise keeps every budget"),
        (FREE, (), "there is nothing to calibrate"),
        *((PLAN, ("--tolerance", value), "strictly between 0 and 1") for value in ("0", "1", "-1", "7")),
        *((PLAN, ("--tolerance", value), "is not a finite number") for value in ("nan", "inf", "close", "")),
    ],
)
def test_what_cannot_be_calibrated_is_one_error_and_nothing_is_written(
    run: Run, tmp_path: Path, data: dict[str, Any], options: tuple[str, ...], words: str
) -> None:
    plan, target = write(tmp_path, data), tmp_path / "calibrated.json"
    result = run("calibrate", plan, *options, "--output", target)
    assert (result.exit_code, result.stdout) == (2, "")
    (line,) = result.stderr.splitlines()
    assert line.startswith("error: ")
    assert words in line
    assert not target.exists()
    told = run("calibrate", plan, *options, "--output", target, "--json")
    assert (told.exit_code, told.stdout) == (2, "")
    (fault,) = json.loads(told.stderr)["error"]
    assert fault["message"] in line
    assert [path.name for path in tmp_path.iterdir()] == ["plan.json"]


def test_faults_of_names_come_together(run: Run, plan: Path) -> None:
    result = run("calibrate", plan, "--release", "c", "--release", "z")
    assert (result.exit_code, len(result.stderr.splitlines())) == (2, 2)


# Precision -----------------------------------------------------------------------------------------------------------

DISCRETE: dict[str, Any] = {
    "specification": {"neighbours": "add-remove"},
    "budget": [{"divergence": "approx", "epsilon": "9", "delta": "1e-6"}],
    "release": [
        {"name": "a", "query": {"kind": "count"}, "mechanism": {"kind": "discrete-gaussian", "sigma": "2"}, "times": 10}
    ],
}
SAMPLED: dict[str, Any] = {
    **DISCRETE,
    "release": [
        {
            "name": "a",
            "query": {"kind": "count"},
            "mechanism": {"kind": "gaussian", "sigma": "1"},
            "sampling": {"kind": "poisson", "rate": "0.01"},
            "times": 1000,
        }
    ],
}
GRIDDED: dict[str, Any] = {
    **DISCRETE,
    "release": [
        {"name": name, "query": {"kind": "count"}, "mechanism": {"kind": "laplace", "scale": scale}, "times": times}
        for name, scale, times in (("a", "2.3", 7), ("b", "4.1", 1))
    ],
}
READ = ("--as", "approx", "--delta", "1e-6")


def test_more_precision_gives_an_interval_inside(run: Run, tmp_path: Path) -> None:
    plan = write(tmp_path, GRIDDED)
    usual, fine = (
        json.loads(run("measure", plan, *READ, *more, "--json").stdout)["value"] for more in ((), ("--precision", "1e-8"))
    )
    (low, high), (lower, upper) = ([exact(value[end]) for end in ("lower", "upper")] for value in (usual, fine))
    assert low < lower < upper < high
    assert upper - lower <= exact("1.1e-8") * upper  # the width asked for, and rounding outward to two figures more


def test_the_option_and_the_key_of_a_plan_say_the_same(run: Run, tmp_path: Path) -> None:
    by_option = run("measure", write(tmp_path, GRIDDED), *READ, "--precision", "1e-8", "--json").stdout
    plan = write(tmp_path, {**GRIDDED, "precision": "1e-8"})
    assert run("measure", plan, *READ, "--json").stdout == by_option
    coarser = run("measure", plan, *READ, "--precision", "1e-4", "--json").stdout
    assert json.loads(coarser)["value"] != json.loads(by_option)["value"]


def test_a_width_that_cannot_be_had_is_said(run: Run, tmp_path: Path) -> None:
    plan = write(tmp_path, DISCRETE)
    assert "width:" not in run("measure", plan, *READ).stdout
    assert "remark" not in json.loads(run("measure", plan, *READ, "--json").stdout)
    result = run("measure", plan, *READ, "--precision", "1e-14")
    assert " width: a relative width of 1e-14 was asked for, and " in " ".join(result.stdout.split())
    told = json.loads(run("measure", plan, *READ, "--precision", "1e-14", "--json").stdout)
    assert told["remark"] in " ".join(result.stdout.split())
    assert run("explain", plan, *READ, "--precision", "1e-14").exit_code == 0


@pytest.mark.slow
def test_a_certificate_with_a_remark_verifies(run: Run, tmp_path: Path) -> None:
    plan, target = write(tmp_path, {**DISCRETE, "precision": "1e-14"}), tmp_path / "certificate.json"
    assert run("certify", plan, "--output", target).exit_code == 0
    assert "was asked for" in json.loads(target.read_text(encoding="utf-8"))["budgets"][0]["guarantee"]["remark"]
    assert run("verify", target, plan).exit_code == 0
    assert run("verify", target, write(tmp_path, DISCRETE)).exit_code == 1


@pytest.mark.parametrize("value", [0, "1e-16", 2, "nan", True, None, [], "fine"])
def test_a_precision_of_a_plan_that_means_nothing_is_refused(run: Run, tmp_path: Path, value: object) -> None:
    result = run("certify", write(tmp_path, {**DISCRETE, "precision": value}))
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.strip().endswith("precision")
    assert [path.name for path in tmp_path.iterdir()] == ["plan.json"]
