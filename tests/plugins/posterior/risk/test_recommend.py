"""`accountant recommend`: what it prints, as words and as data, and which input it refuses."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from accountant.cli import main
from accountant_posterior.risk.profiles import KINDS


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["recommend", *arguments])


def test_epsilons_are_rounded_down_and_the_prior_that_decides_is_named() -> None:
    shown = run(
        "difference", "at_most=0.2", "adversary=strong", "failure=0.01", "--delta", "1e-6", "--releases", "12"
    ).stdout
    lines = shown.splitlines()
    assert lines[0] == "epsilon = 0.81093"
    assert "  decided:  at membership 0.4 and disclosure 1" in lines
    assert "  approx:   epsilon = 0.810785 at delta = 1e-6" in lines
    assert "  zcdp:     rho = 0.0306108" in lines
    assert "    0.0675654 by basic composition" in lines


def test_a_grid_shows_what_every_profile_leaves_of_a_count() -> None:
    shown = run(
        "fixed-disclosure", "disclosure=1", "--over", "ratio=2,5", "--over", "posterior=0,0.5", "--distance", "1"
    ).stdout
    assert [line.split() for line in shown.splitlines()[1:]] == [
        ["2", "0", "0.693147", "2", "0.33333", "0.33333"],
        ["2", "0.5", "1.09861", "1.2247", "0.5", "0.25"],
        ["5", "0", "1.60943", "0.79057", "0.66667", "0.16667"],
        ["5", "0.5", "2.19722", "0.53033", "0.8", "0.1"],
    ]


def test_data_hold_both_ends_of_every_number() -> None:
    (found,) = json.loads(run("constant", "ratio=3", "--json").stdout)["recommendations"]
    assert float(found["epsilon"]["lower"]) <= 0.5493061443340548 <= float(found["epsilon"]["upper"])
    assert (found["membership"], found["disclosure"]) == ("1", None)
    assert found["theorem"] == "risk-profile-corners"


def test_a_profile_that_asks_nothing_says_so() -> None:
    (found,) = json.loads(run("point", "ratio=2", "--json").stdout)["recommendations"]
    assert found["epsilon"] == {"lower": "inf", "upper": "inf"}
    assert "count" not in found


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("differnce", "at_most=0.2"), "did you mean 'difference'"),
        (("difference",), "missing 'at_most'"),
        (("difference", "at_most=2"), "must be below 1, got 2 @ risk.at_most"),
        (("difference", "at_most"), "expected KEY=VALUE"),
        (("difference", "at_most=0.1", "at_most=0.2"), "given twice"),
        (("difference", "at_most=0.1", "--each", "0.1"), "--releases"),
        (("difference", "at_most=0.1", "--delta", "1e-6"), "probability of failure"),
        (("table", "points=[[1,"), "no list as TOML"),
        (("constant", "ratio=3", "--distance", "0"), "at least 1"),
        (("constant", "ratio=3", "kind=box"), "the kind is PROFILE"),
    ],
)
def test_bad_input_is_one_clear_error(arguments: tuple[str, ...], message: str) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert message in result.stderr
    assert "Traceback" not in result.stderr


def test_faults_are_data_where_data_are_asked_for() -> None:
    fault = json.loads(run("difference", "at_most=2", "--json").stderr)["error"]
    assert fault == [{"message": "must be below 1, got 2", "place": "risk.at_most"}]


PLAN = """
title = "Answers of a survey"

[specification]
neighbours = "add-remove"

[[risk]]
kind = "difference"
at_most = "0.2"
adversary = "strong"

[[risk]]
kind = "constant"
ratio = "3"
"""


def test_the_profiles_of_a_plan_are_read_before_it_says_what_is_released(tmp_path: Path) -> None:
    source = tmp_path / "survey.toml"
    source.write_text(PLAN)
    lines = run(str(source)).stdout.splitlines()
    assert [line for line in lines if line.startswith(("difference:", "constant:", "epsilon ="))] == [
        "difference: no posterior exceeds its prior by more than 0.2",
        "epsilon = 0.81093",
        "constant: no posterior exceeds 3 times its prior",
        "epsilon = 0.549306",
    ]
    data = json.loads(run(str(source), "--json").stdout)
    assert data["plan"] == "Answers of a survey"
    assert [item["profile"] for item in data["recommendations"]] == ["difference", "constant"]


@pytest.mark.parametrize(
    ("old", "new", "words", "message"),
    [
        ("add-remove", "replace-one", (), "is meant for 'add-remove' neighbours"),
        ('"0.2"', '"2"', (), "survey.toml, line 9, risk 1.at_most"),
        (PLAN[PLAN.index("[[risk]]") :], "", (), "states no risk profile"),
        ("", "", ("ratio=3",), "leave 'ratio=3' out"),
        ("", "", ("--over", "ratio=3"), "leave 'ratio=3' out"),
    ],
)
def test_a_plan_whose_profiles_do_not_fit_is_refused(
    tmp_path: Path, old: str, new: str, words: tuple[str, ...], message: str
) -> None:
    source = tmp_path / "survey.toml"
    source.write_text(PLAN.replace(old, new) if old else PLAN)
    result = run(str(source), *words)
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in result.stderr


def test_no_epsilon_is_negative_where_a_tolerance_is_smaller_than_any_double() -> None:
    for adversary in ("strong", "independent"):
        shown = run("difference", "at_most=1e-400", f"adversary={adversary}").stdout
        assert shown.splitlines()[0] == "epsilon = 0"


def test_the_help_names_every_kind_of_profile() -> None:
    said = " ".join(run("--help").stdout.split())
    missing = [profile.kind for profile in KINDS if not re.search(rf"\b{profile.kind}\b", said)]
    assert not missing, f"name {', '.join(missing)} in the docstring of the command, in recommend.py"
