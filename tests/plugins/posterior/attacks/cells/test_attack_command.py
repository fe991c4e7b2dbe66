"""`accountant attack` as it is typed: labelled first, repeatable, one shape with --json, nothing written on bad data."""

from __future__ import annotations

import csv
import itertools
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pyarrow as pa
import pytest
from click.testing import CliRunner, Result
from pyarrow import csv as arrow_csv, parquet

from accountant import read_plan
from accountant.cli import main
from accountant.report import Curves
from accountant_posterior.attacks import CountAttack, HierarchyAttack, Level, NoisyCount
from accountant_posterior.attacks.cells import table as cell_tables
from accountant_posterior.attacks.cells.attacker import Attacker
from accountant_posterior.attacks.cells.page import figures_of
from accountant_posterior.attacks.cells.study import study_cells

pytestmark = pytest.mark.slow

Run = Callable[..., Result]
PEOPLE = [
    *[("1-1", "1", "red")] * 3,
    ("1-1", "1", "blue"),
    ("1-2", "1", "red"),
    ("1-2", "1", "green"),
    *[("2-1", "2", "blue")] * 2,
    ("2-2", "2", "red"),
    ("2-3", "2", "green"),
]
HEAD = ("block", "tract", "colour")


def release(name: str, *attributes: str, **mechanism: str) -> dict[str, Any]:
    made = mechanism or {"kind": "discrete-gaussian", "variance": "4"}
    return {"name": name, "query": {"kind": "histogram", "attributes": list(attributes)}, "mechanism": made}


PLAN = {
    "title": "Colours",
    "specification": {"neighbours": "add-remove"},
    "release": [
        release("blocks", "block", "colour"),
        release("tracts", "tract", "colour", kind="geometric", scale="2"),
        release("everybody", "block"),
    ],
}


def table(path: Path, rows: list[tuple[str, ...]], head: tuple[str, ...] = HEAD) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([head, *rows])
    return path


@pytest.fixture
def run(tmp_path: Path) -> Run:
    plan = tmp_path / "plan.json"
    plan.write_text(json.dumps(PLAN), encoding="utf-8")
    people = table(tmp_path / "people.csv", PEOPLE)

    def call(*options: object, data: Path = people, plan: Path = plan, places: str = "block,tract") -> Result:
        words = ["attack", str(plan), str(data), "--places", places, "--seed", "3", *map(str, options)]
        return CliRunner().invoke(main, words)

    return call


def read(result: Result) -> dict[str, Any]:
    assert result.exit_code == 0, result.output
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def test_what_it_is_is_said_first_and_who_is_unique_is_counted(run: Run) -> None:
    result = run("--of", "colour")
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("SIMULATED ATTACK, not a guarantee: 5 cells of 10 people\n")
    assert "blocks: 5 of 15 cells hold one person" in result.stdout
    assert "seed:" in result.stdout
    assert "2 tables of the plan" in result.stdout


def test_answers_have_the_shape_that_the_schema_says(run: Run, tmp_path: Path) -> None:
    schema = json.loads(CliRunner().invoke(main, ["schema", "output"]).stdout)
    for options in (
        ("--of", "colour"),
        ("--of", "colour", "--knows", "hierarchy", "--prior", "1/3", "--output", tmp_path / "o"),
    ):
        data = read(run(*options, "--json"))
        jsonschema.Draft202012Validator({"$ref": "#/$defs/attack", "$defs": schema["$defs"]}).validate(data)
        assert data["label"] == "simulated attack, not a guarantee"


def test_the_mean_over_all_noise_is_that_of_the_attack_on_one_count(run: Run) -> None:
    (found,) = read(run("--of", "colour", "--prior", "1/5", "--json"))["found"]
    outlook = CountAttack("1/5", [NoisyCount(4)]).outlook()
    assert float(found["expected"]["posterior"]["lower"]) == pytest.approx(outlook.posterior.lower, abs=1e-9)
    assert found["cells"] == 5
    assert found["open"] == 0


@pytest.mark.parametrize("knows", ["block", "hierarchy"])
def test_draws_of_all_noise_estimate_the_means_over_it(run: Run, tmp_path: Path, knows: str) -> None:
    """One target in an area with one sibling, three people above: both means are worked out exactly for comparison."""
    people = table(tmp_path / "three.csv", [("a", "t", "red"), ("b", "t", "red"), ("b", "t", "red")])
    told = {**PLAN, "release": [release("blocks", "block", "colour"), release("tracts", "tract", "colour")]}
    plan = tmp_path / "two.json"
    plan.write_text(json.dumps(told), encoding="utf-8")
    words = ("--knows", knows, "--prior", "1/3", "--draws", "400")
    found = read(run(*words, "--json", data=people, plan=plan))["found"][0]
    outlook = CountAttack("1/3", [NoisyCount(4)]).outlook()
    if knows == "hierarchy":
        outlook = HierarchyAttack("1/3", (Level(4, 1), Level(4))).outlook(3)
        assert found["expected"] is None
    for word, value in (("posterior", outlook.posterior), ("right", outlook.correct)):
        error = float(found["estimated"][f"{word}_error"])
        assert abs(float(found["estimated"][word]["lower"]) - value.lower) < 4 * error < 0.15
    shown = " ".join(run(*words, data=people, plan=plan).stdout.split())
    assert "from 400 draws of it" in shown
    # Further draws change nothing of what is found in the first.
    alone = read(run("--knows", knows, "--prior", "1/3", "--json", data=people, plan=plan))["found"][0]
    assert alone == {key: value for key, value in found.items() if key != "estimated"}


def test_the_same_seed_finds_the_same_and_another_one_something_else(run: Run) -> None:
    first, again = (read(run("--of", "colour", "--knows", "hierarchy", "--missing", "1", "--json")) for _ in range(2))
    other = read(run("--of", "colour", "--knows", "hierarchy", "--missing", "1", "--json", "--seed", "4"))
    assert first == again
    assert first["found"] != other["found"]


def test_counts_and_people_and_both_formats_are_the_same_to_it(run: Run, tmp_path: Path) -> None:
    cells = sorted({row: PEOPLE.count(row) for row in PEOPLE}.items(), key=lambda item: PEOPLE.index(item[0]))
    counted = table(tmp_path / "cells.csv", [(*row, str(count)) for row, count in cells], (*HEAD, "n"))
    parquet.write_table(arrow_csv.read_csv(counted), tmp_path / "cells.parquet")
    expected = read(run("--of", "colour", "--json"))
    for data in (counted, tmp_path / "cells.parquet"):
        assert read(run("--of", "colour", "--json", "--counts", "n", data=data)) == expected


def test_an_engine_counts_people_into_the_same_cells(run: Run, tmp_path: Path) -> None:
    # Names that SQL would have to quote, cells in another order, and a folder of files.
    told = json.loads(json.dumps(PLAN).replace('"tract"', '"group"').replace('"colour"', '"it\'s \\"hue\\""'))
    plan, people = tmp_path / "odd.json", tmp_path / "people"
    plan.write_text(json.dumps(told), encoding="utf-8")
    people.mkdir()
    head = ("nothing", 'it\'s "hue"', "group", "block")
    rows = [("", colour, tract, block) for block, tract, colour in reversed(PEOPLE)]
    whole = table(tmp_path / "whole.csv", rows, head)
    table(people / "1.csv", rows[:4], head)
    table(people / "2.csv", rows[4:], head)
    options = ("--of", 'it\'s "hue"', "--knows", "hierarchy", "--json")
    expected = read(run(*options, data=whole, plan=plan, places="block,group"))
    counted = read(run(*options, "--engine", "duckdb", data=people, plan=plan, places="block,group"))
    assert counted == expected
    assert expected["found"][0]["mean"] == read(run("--of", "colour", "--knows", "hierarchy", "--json"))["found"][0]["mean"]


def test_people_that_change_while_they_are_read_are_refused(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    people, read = table(tmp_path / "moving.csv", PEOPLE), cell_tables._read

    def slowly(path: Path, wanted: tuple[str, ...]) -> Any:
        found = read(path, wanted)
        table(path, [*PEOPLE, PEOPLE[0]])
        return found

    monkeypatch.setattr(cell_tables, "_read", slowly)
    result = run("--output", tmp_path / "out", data=people)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "changed while it was read" in result.stderr
    assert not (tmp_path / "out").exists()


def test_what_an_engine_cannot_count_is_refused(run: Run, tmp_path: Path) -> None:
    bad = table(tmp_path / "bad.csv", [("1-1", "1", ""), ("1-2", " ", "red"), ("1-3", "1", "")])
    for options, data, words in (
        ((), bad, ("2 rows have nothing in 'colour'", "1 row has nothing in 'tract'")),
        ((), table(tmp_path / "none.csv", []), ("there are no rows",)),
        ((), table(tmp_path / "few.csv", [("1", "1")], ("block", "tract")), ("there is no column 'colour'",)),
        ((), table(tmp_path / "torn.csv", [("1", "1", "red"), ("1", "2", "red")]), ("more than one 'tract'",)),
        (("--counts", "colour"), bad, ("is counted already",)),
        ((), tmp_path / "nowhere.csv", ("there is no file",)),
    ):
        result = run("--of", "colour", "--engine", "duckdb", *options, data=data)
        assert result.exit_code == 2
        for word in words:
            assert word in result.stderr
    assert "is no engine" in run("--engine", "abacus").stderr


@pytest.mark.parametrize("form", ["csv", pytest.param("parquet", marks=pytest.mark.sweep)])
def test_tables_pages_and_pictures_are_written_with_their_label(run: Run, tmp_path: Path, form: str) -> None:
    folder = tmp_path / "found"
    result = run("--of", "colour", "--prior", "1/2", "--prior", "1/9", "--output", folder, "--format", form)
    assert result.exit_code == 0, result.output
    path = folder / f"simulated-attack-cells.{form}"
    rows = (arrow_csv.read_csv(path) if form == "csv" else parquet.read_table(path)).to_pylist()
    assert len(rows) == 10
    for row in rows:
        assert row["simulated_attack"] == "simulated attack, not a guarantee"
        assert row["true_count"] == 1
        prior = {"0.5": "1/2", "1/9": "1/9"}[str(row["prior"])]
        belief = CountAttack(prior, [NoisyCount(4)]).belief(int(row["noisy_count"]))
        assert row["posterior_lower"] <= belief.posterior.upper
        assert belief.posterior.lower <= row["posterior_upper"]
        assert row["guess"] == ("present" if belief.guess else "absent")
    page = (folder / "simulated-attack.html").read_text(encoding="utf-8")
    assert page.count("SIMULATED ATTACK") >= 5
    assert len(list(folder.glob("*.png"))) == len(list(folder.glob("*.svg"))) == 5
    assert json.loads((folder / "simulated-attack.json").read_text(encoding="utf-8"))["seed"] == "3"
    again = run("--of", "colour", "--output", folder)
    assert again.exit_code == 2
    assert "is there already" in again.stderr


def test_right_guesses_are_drawn_densely_enough_to_show_that_less_noise_may_make_them_rarer(tmp_path: Path) -> None:
    """With a prior of 1/10 the chance of a right guess is a saw-tooth: it falls from each tooth on."""
    people = table(tmp_path / "people.csv", PEOPLE)
    study = study_cells(read_plan(PLAN), str(people), [Attacker("1/10")], places=["block"], of=["colour"], seed=1)
    (drawn,) = [one for one in figures_of(study, 0) if "right guesses" in one.title]
    assert isinstance(drawn, Curves)
    assert "less noise may make it smaller" in drawn.description
    heights = [low for _, low, _ in drawn.series[0].points]
    assert sum(after < before - 0.01 for before, after in itertools.pairwise(heights)) >= 2
    # The table has powers of two only, at which none of that is seen.
    assert len(drawn.table.rows) == 9


def test_what_processed_counts_tell_is_said_to_be_unknown(run: Run, tmp_path: Path) -> None:
    options = ("--of", "colour", "--knows", "levels", "--processed", "--output", tmp_path / "found")
    (found,) = read(run(*options, "--json"))["found"]
    assert found["processed"]["posterior"] == "unknown"
    # Whoever knows everybody else learns from both levels together, and never more from what is made of them.
    assert float(found["processed"]["mean_at_most"]) == pytest.approx(
        float(found["expected"]["posterior"]["upper"]), abs=1e-9
    )
    rows = parquet.read_table(tmp_path / "found" / "simulated-attack-cells.parquet").to_pylist()
    assert {row["posterior_of_processed"] for row in rows} == {"unknown"}
    assert all(row["processed_count"] >= 0 for row in rows)
    assert "UNKNOWN" in run("--of", "colour", "--knows", "levels", "--processed").stdout
    refused = run("--of", "colour", "--processed")
    assert refused.exit_code == 2
    assert "from the largest areas down" in refused.stderr


def test_invariants_are_known_to_the_attacker(run: Run, tmp_path: Path) -> None:
    told = {
        **PLAN,
        "specification": {**PLAN["specification"], "invariants": [{"name": "colours", "counts_by": ["tract", "colour"]}]},
    }
    plan = tmp_path / "exact.json"
    plan.write_text(json.dumps(told), encoding="utf-8")
    data = read(run("--of", "colour", "--knows", "levels", "--json", plan=plan))
    assert any(item["table"] == "colours (exact)" for item in data["tables"])
    # Whoever knows all others of the tract, and the tract's own count, knows everything.
    assert float(data["found"][0]["mean"]["lower"]) > 0.999999
    assert data["found"][0]["expected"] is None


@pytest.mark.parametrize(
    ("neighbours", "by", "settled"),
    [
        (
            "add-remove",
            ["block"],
            True,
        ),  # Who knows all others of the block knows from its size whether the target is there.
        ("replace-one", ["block"], False),  # The target is known to live there, and the size says nothing more.
        ("replace-one", ["block", "colour"], True),
        ("add-remove", ["tract"], False),  # Others of the tract are not known.
    ],
)
def test_margins_of_what_is_published_exactly_are_known_too(
    run: Run, tmp_path: Path, neighbours: str, by: list[str], settled: bool
) -> None:
    people = table(tmp_path / "sized.csv", [(*row, "tall") for row in PEOPLE], (*HEAD, "size"))
    told = {
        "title": "Exact",
        "specification": {"neighbours": neighbours, "invariants": [{"name": "exact", "counts_by": by}]},
        "release": [release("blocks", "block", "colour", "size"), release("tracts", "tract", "colour", "size")],
    }
    plan = tmp_path / "exact.json"
    plan.write_text(json.dumps(told), encoding="utf-8")
    data = read(run("--json", data=people, plan=plan))
    assert (float(data["found"][0]["mean"]["lower"]) > 0.999999) == settled
    # One table is followed through a hierarchy: what is exact of another one is left aside, and named.
    followed = read(run("--json", "--knows", "hierarchy", data=people, plan=plan))
    assert ("exact (exact)" in followed["not_looked_at"]) == (by != ["block"] or neighbours == "add-remove")


def test_who_misses_people_of_a_block_may_sum_up_by_larger_areas(run: Run) -> None:
    data = read(run("--of", "colour", "--missing", "1", "--by", "tract", "--json"))
    assert {item["area"] for item in data["found"][0]["worst"]} == {"1", "2"}


def test_a_number_that_is_none_is_nobody_s_area(run: Run, tmp_path: Path) -> None:
    """Tables with missing whole numbers are often written as floating point, with NaN where nothing is known."""
    blocks = [1.0, 2.0, math.nan]
    odd = tmp_path / "odd.parquet"
    parquet.write_table(pa.table({"block": blocks, "tract": ["1"] * 3, "colour": ["red"] * 3}), odd)
    result = run("--of", "colour", "--output", tmp_path / "none", data=odd)
    assert result.exit_code == 2
    assert "1 row has nothing in 'block', the first being row 3" in result.stderr
    assert not (tmp_path / "none").exists()


def test_names_in_any_script_are_drawn_without_a_word(run: Run, tmp_path: Path, recwarn: pytest.WarningsRecorder) -> None:
    people = table(tmp_path / "far.csv", [("\u6771\u4eac", "\u65e5\u672c", "red"), ("b", "\u65e5\u672c", "blue")])
    assert run("--of", "colour", "--output", tmp_path / "far", data=people).exit_code == 0
    assert not [warning for warning in recwarn if "Glyph" in str(warning.message)]
    assert "\u65e5\u672c" in (tmp_path / "far" / "simulated-attack.html").read_text(encoding="utf-8")


def test_names_that_look_like_formulas_and_names_of_any_length_are_drawn_as_they_are(
    run: Run, tmp_path: Path, recwarn: pytest.WarningsRecorder
) -> None:
    long = "9" * 5000
    people = table(tmp_path / "odd.csv", [("$x^$", "t", "red"), ("$\\frac$", "t", "blue"), (long, "t", "red")])
    assert run("--of", "colour", "--by", "block", "--output", tmp_path / "odd", data=people).exit_code == 0
    assert not [warning for warning in recwarn if "layout" in str(warning.message)]
    page = (tmp_path / "odd" / "simulated-attack.html").read_text(encoding="utf-8")
    assert "$x^$" in page
    assert long in page


def test_all_that_is_wrong_with_data_is_said_at_once_and_nothing_is_written(run: Run, tmp_path: Path) -> None:
    bad = table(
        tmp_path / "bad.csv", [("1-1", "1", "", "2"), ("1-2", "", "red", "-1"), ("1-3", "1", "red", "x")], (*HEAD, "n")
    )
    result = run("--of", "colour", "--counts", "n", "--output", tmp_path / "none", data=bad)
    assert result.exit_code == 2
    for words in ("nothing in 'colour'", "nothing in 'tract'", "'-1', 'x'", "row 2", "bad.csv"):
        assert words in result.stderr
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize(
    ("rows", "head", "words"),
    [
        ([("a", "b")], ("block", "tract"), "there is no column 'colour'"),
        ([], HEAD, "there are no rows"),
        ([("1", "1", "red"), ("1", "2", "red")], HEAD, "more than one 'tract'"),
        ([("1", "1", "red")] * 2, HEAD, "there is nobody to attack"),
    ],
)
def test_tables_that_cannot_be_meant_are_refused(run: Run, tmp_path: Path, rows: Any, head: Any, words: str) -> None:
    result = run("--of", "colour", data=table(tmp_path / "odd.csv", rows, head))
    assert result.exit_code == 2
    assert words in result.stderr
    assert "Traceback" not in result.output


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--knows", "hierarchy"), "say which with --of"),
        (("--of", "shape"), "no histogram by 'block'"),
        (("--by", "county"), "none of the places"),
        (("--parents", "known"), "known:N"),
        (("--parents", "known:-1"), "must be at least 0, got -1 @ --parents"),
        (("--parents", "up-to:-3"), "must be at least 0, got -3 @ --parents"),
        (("--missing", "1001"), "must be at most 1000, got 1001 @ --missing"),
        (("--missing", "1", "--share", "2"), "must be at most 1, got 2 @ --share"),
        (("--prior", "0"), "got 0 @ --prior"),
        (("--prior", "1.5"), "strictly between 0 and 1"),
    ],
)
def test_what_cannot_be_asked_is_refused(run: Run, options: tuple[str, ...], words: str) -> None:
    result = run(*options)
    assert result.exit_code == 2
    assert words in result.stderr
    assert "Traceback" not in result.output
