"""`accountant study beliefs` and the curves of `accountant recommend`: closed forms, known answers, bad input."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner, Result

from accountant import account, read_plan
from accountant.cli import main
from accountant_posterior.pictures import releases
from accountant_posterior.reports.view import views

pytestmark = pytest.mark.slow

PURE = {
    "title": "A day",
    "specification": {"neighbours": "add-remove"},
    "release": [{"name": "day", "query": {"kind": "count"}, "mechanism": {"kind": "geometric", "scale": "20"}}],
}


def invoke(*words: object) -> Result:
    return CliRunner().invoke(main, [*map(str, words)])


def after(data: Any, bound: int = 0) -> dict[int, tuple[float, float]]:
    rows = data["bounds"][bound]["after"]
    return {row["releases"]: (float(row["posterior"]), float(row["difference"])) for row in rows}


def test_pure_releases_bound_beliefs_as_the_closed_form_says(tmp_path: Path) -> None:
    """An epsilon of 1/20 each: the posterior is at most expit(k/20), and the difference at most tanh(k/80)."""
    result = invoke("study", "beliefs", json.dumps(PURE), "--times", 28, "--output", tmp_path / "out", "--json")
    assert result.exit_code == 0, result.output
    data = json.loads(result.stdout)
    schema = json.loads(invoke("schema", "output").stdout)
    jsonschema.Draft202012Validator({"$ref": "#/$defs/study-beliefs", "$defs": schema["$defs"]}).validate(data)
    found = after(data)
    for count in (1, 10, 28):
        assert found[count][0] == pytest.approx(1 / (1 + math.exp(-count / 20)), rel=1e-7)
        assert found[count][1] == pytest.approx(math.tanh(count / 80), rel=1e-7)
    # The thesis: 28 basic compositions of 0.05 put the posterior above 80 %, and 27 do not.
    assert found[27][0] < 0.8 < found[28][0]
    assert {path.name for path in (tmp_path / "out").iterdir()} >= {"beliefs.csv", "beliefs.html", "beliefs-figure-4.png"}


def test_help_takes_no_plan_for_one_of_people_who_come_and_go() -> None:
    said = " ".join(invoke("study", "beliefs", "--help").output.split())
    assert "with replace-one which of two values it has" in said
    assert "one person" not in said


def test_the_page_speaks_of_the_attacker_and_the_secret_of_the_plan(tmp_path: Path) -> None:
    """Where units are replaced nobody asks whether somebody is in the data, and not all plans are about persons."""
    specification = {"neighbours": "replace-one", "unit": "household", "group": 2}
    result = invoke(
        "study", "beliefs", json.dumps({**PURE, "specification": specification}), "--times", 1, "--output", tmp_path / "out"
    )
    page = (tmp_path / "out" / "beliefs.html").read_text(encoding="utf-8")
    for told in (" ".join(result.stdout.split()), page):
        assert "which of two values, or of two sets of values, the record of the household has" in told
        assert "up to 2 units at once" in told
        assert "in the data" not in told


def test_a_bound_that_may_fail_is_never_above_one_that_holds_always_nor_above_the_detour(tmp_path: Path) -> None:
    words = ("--times", 6, "--failure", "0.05", "--delta", "1e-3", "--output", tmp_path / "out", "--json")
    result = invoke("study", "beliefs", json.dumps(PURE), *words)
    assert result.exit_code == 0, result.output
    always, fails, detour = (after(json.loads(result.stdout), bound) for bound in range(3))
    for count in always:
        assert fails[count][0] <= always[count][0] + 1e-9
        assert fails[count][0] <= detour[count][0] + 1e-9


def test_the_figures_of_a_plan_draw_the_same_bounds(tmp_path: Path) -> None:
    """`accountant figures` says between which ends beliefs stay; the upper ones are the bounds of this command."""
    words = ("--times", 12, "--failure", "0.05", "--output", tmp_path / "out", "--json")
    result = invoke("study", "beliefs", json.dumps(PURE), *words)
    assert result.exit_code == 0, result.output
    always, fails = (after(json.loads(result.stdout), bound) for bound in range(2))
    panel = releases.picture(views(account(read_plan(PURE)))[0]).panels[2]
    drawn = {line.label: line.curve for line in panel.lines}
    for label, bounds in (("always", always), ("except with probability 0.05", fails)):
        curve = drawn[f"largest belief, {label}"]
        for count, value in zip(curve.places, curve.values, strict=True):
            if count in bounds:
                assert bounds[int(count)][0] == pytest.approx(value.upper, rel=1e-8)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--prior", "2"), "between 0 and 1"),
        (("--failure", "-1"), "between 0 and 1"),
        (("--delta", "0.1"), "must lie between"),
        (("--failure", "0.01", "--delta", "0.1"), "must lie between"),
    ],
)
def test_bad_beliefs_are_refused_and_nothing_is_written(tmp_path: Path, options: tuple[str, ...], told: str) -> None:
    result = invoke("study", "beliefs", json.dumps(PURE), "--output", tmp_path / "out", *options)
    assert result.exit_code == 2
    assert told in result.stderr
    assert not (tmp_path / "out").exists()


def test_a_plan_of_which_nothing_holds_always_says_what_to_add(tmp_path: Path) -> None:
    noise = {"kind": "gaussian", "sigma": "5"}
    plan = {**PURE, "release": [{"name": "day", "query": {"kind": "count"}, "mechanism": noise}]}
    result = invoke("study", "beliefs", json.dumps(plan), "--output", tmp_path / "out")
    assert result.exit_code == 2
    assert "--failure" in result.stderr


def curves(folder: Path) -> list[dict[str, str]]:
    with (folder / "profile-curves.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_the_lowest_point_of_a_curve_is_what_is_recommended(tmp_path: Path) -> None:
    """Table 3.1 of the thesis: 0.5108, 1.2993 and 2.0369, at priors of a/r: 1/6, 1/12 and 1/24."""
    words = ("fixed-disclosure", "disclosure=1", "posterior=0.25", "--over", "ratio=1.5,3,6")
    result = invoke("recommend", *words, "--output", tmp_path / "out", "--json")
    assert result.exit_code == 0, result.output
    for ratio, epsilon in ((1.5, 0.510826), (3.0, 1.299283), (6.0, 2.036882)):
        own = [row for row in curves(tmp_path / "out") if row["profile"] == f"ratio {ratio:g}"]
        lowest = min(float(row["epsilon"]) for row in own)
        # The curve is drawn at hundredths: its lowest point is never below the infimum, and close to it.
        assert epsilon - 1e-6 < lowest < 1.05 * epsilon
        assert all(float(row["tolerated"]) == pytest.approx(max(0.25 / float(row["prior"]), ratio)) for row in own)
    assert (tmp_path / "out" / "profile-figure-2.svg").exists()


def test_the_other_prior_varies_where_membership_is_fixed_and_slices_are_drawn_where_neither_is(tmp_path: Path) -> None:
    fixed = invoke(
        "recommend", "fixed-membership", "membership=0.05", "ratio=3", "posterior=0.15", "--output", tmp_path / "a"
    )
    assert fixed.exit_code == 0, fixed.output
    assert {(row["varies"], row["other"]) for row in curves(tmp_path / "a")} == {("disclosure", "0.05")}
    both = invoke("recommend", "two-dimensional", "ratio=3", "posterior=0.25", "--output", tmp_path / "b")
    assert both.exit_code == 0, both.output
    assert {row["other"] for row in curves(tmp_path / "b")} == {"0.25", "0.5", "1"}
    assert min(float(row["epsilon"]) for row in curves(tmp_path / "b")) == pytest.approx(0.649642, rel=0.05)


def test_several_profiles_are_compared_by_bars_with_the_printed_chances(tmp_path: Path) -> None:
    """Figure 3.2 of the thesis: epsilon 2.20, deviation 0.53, and a decision that turns with a chance of exactly 1/10."""
    words = ("fixed-disclosure", "disclosure=1", "--over", "ratio=1.2,5", "--over", "posterior=0,0.5")
    result = invoke("recommend", *words, "--distance", 1, "--distance", 8, "--output", tmp_path / "out", "--json")
    assert result.exit_code == 0, result.output
    last = json.loads(result.stdout)["recommendations"][-1]
    assert float(last["epsilon"]["lower"]) == pytest.approx(math.log(9), abs=1e-9)
    assert float(last["count"]["deviation"]) == pytest.approx(math.sqrt(2 / 9) / (8 / 9), abs=1e-9)
    assert float(last["count"]["turned"][0]) == pytest.approx(0.1, abs=1e-9)
    page = (tmp_path / "out" / "profile.html").read_text(encoding="utf-8")
    for word in ("recommended epsilon", "deviation of a noisy count", "a count 1 from", "a count 8 from"):
        assert word in page
    assert (tmp_path / "out" / "profile-figure-6.png").exists()
