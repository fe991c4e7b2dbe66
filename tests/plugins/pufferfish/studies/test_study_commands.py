"""`accountant study counties`, `tests` and `clamps`: one shape, repeatable, and nothing written on bad data."""

from __future__ import annotations

import csv
import json
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner, Result

from accountant.cli import main

pytestmark = pytest.mark.slow

HEAD = "month,county,cases,deaths"
ROWS = ["1,a,9,1", "1,b,3,0", "1,c,2,0", "2,a,11,1", "2,b,4,1", "2,c,0,0", "10,a,8,0", "10,b,5,0", "10,c,1,0"]


def study(*words: object) -> Result:
    return CliRunner().invoke(main, ["study", *map(str, words)])


def checked(result: Result, name: str) -> Any:
    assert result.exit_code == 0, result.output
    data = json.loads(result.stdout)
    schema = json.loads(CliRunner().invoke(main, ["schema", "output"]).stdout)
    jsonschema.Draft202012Validator({"$ref": f"#/$defs/{name}", "$defs": schema["$defs"]}).validate(data)
    return data


def table(folder: Path, *rows: str, head: str = HEAD) -> Path:
    path = folder / "counties.csv"
    path.write_text("\n".join([head, *rows]) + "\n", encoding="utf-8")
    return path


def test_a_table_of_ones_own_is_compared_in_all_its_months_in_their_order(tmp_path: Path) -> None:
    path = table(tmp_path, *ROWS)
    options = ("--epsilon", "1/2", "--epsilon", "4", "--alpha", "1", "--releases", "5", "--seed", "3", "--json")
    first = checked(study("counties", path, "--output", tmp_path / "one", *options, "--jobs", 1), "study-counties")
    second = checked(study("counties", path, "--output", tmp_path / "two", *options, "--jobs", 2), "study-counties")
    assert first["months"] == ["2", "10"]
    assert first["counties"] == 3
    for name in ("counties-errors.csv", "counties-relative-errors.csv", "counties-contracted.csv"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    with (tmp_path / "one" / "counties-errors.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert {(row["month"], row["epsilon"]) for row in rows} == {(m, e) for m in ("2", "10") for e in ("0.5", "4")}
    doubled = [item["method"] for item in first["methods"] if item["may_lose_twice_the_budget"]]
    assert doubled == ["alpha 1 at twice the rate"]
    assert second["methods"] == first["methods"]
    assert (tmp_path / "one" / "counties-figure-6.svg").exists()
    assert "confidential" in (tmp_path / "one" / "counties.html").read_text(encoding="utf-8")


def test_one_month_is_compared_alone_and_is_no_attack(tmp_path: Path) -> None:
    path, out = table(tmp_path, *ROWS), tmp_path / "out"
    told = study("counties", path, "--output", out, "--month", "2", "--epsilon", "2", "--alpha", "1", "--releases", "5")
    assert told.exit_code == 0
    assert "STUDY: 1 month of 3 counties" in told.stdout
    page = (out / "counties.html").read_text(encoding="utf-8")
    assert "releases of 1 month of 3 counties" in page
    assert "attack" not in page.lower()


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        (["1,a,9,", *ROWS[1:]], "deaths is missing"),
        (["1,a,-9,0", *ROWS[1:]], "at least 0"),
        (["1,a,2.5,0", *ROWS[1:]], "whole number"),
        (["1,a,²,0", *ROWS[1:]], "whole number"),
        ([f"1,a,{'9' * 5000},0", *ROWS[1:]], "whole number"),
        ([f"{'9' * 5000},a,1,0", "²,b,1,0", "²,a,1,0"], "of its counties' months"),
        (["1,a,1,2", *ROWS[1:]], "more than 1 cases"),
        ([*ROWS, "10,c,1,0"], "there twice"),
        (ROWS[:-1], "'c' in month '10'"),
        (ROWS[:3], "two months"),
        ([*ROWS, "11,a,0,0", "11,b,0,0", "11,c,0,0"], "has no cases"),
        ([], "two months"),
        ([*ROWS[:8], ",c,1,0"], "month or county is missing"),
        ([*ROWS[:6], "10,a,99999999,0", *ROWS[7:]], "are followed"),
    ],
)
def test_bad_tables_are_refused_and_nothing_is_written(tmp_path: Path, rows: list[str], told: str) -> None:
    path = table(tmp_path, *rows)
    result = study("counties", path, "--output", tmp_path / "out")
    assert result.exit_code == 2, result.output
    assert told in result.stderr
    assert "Traceback" not in result.output
    assert {entry.name for entry in tmp_path.iterdir()} == {"counties.csv"}


def test_all_faulty_rows_are_named_at_once(tmp_path: Path) -> None:
    path = table(tmp_path, "1,a,x,1", "1,b,3,y", *ROWS[2:])
    result = study("counties", path, "--output", tmp_path / "out")
    assert result.exit_code == 2
    assert "row 2" in result.stderr
    assert "row 3" in result.stderr


def test_wrong_columns_months_and_counties_are_refused(tmp_path: Path) -> None:
    path = table(tmp_path, *ROWS, head="month,county,cases,dead")
    assert "no column deaths" in study("counties", path, "--output", tmp_path / "out").stderr
    path = table(tmp_path, *ROWS)
    assert "no county" in study("counties", path, "--output", tmp_path / "out", "--show", "z").stderr
    assert "no month" in study("counties", path, "--output", tmp_path / "out", "--month", "1").stderr
    assert "above 0" in study("counties", path, "--output", tmp_path / "out", "--epsilon", "0").stderr
    assert study("counties", tmp_path / "absent.csv", "--output", tmp_path / "out").exit_code == 2
    assert {entry.name for entry in tmp_path.iterdir()} == {"counties.csv"}


def test_powers_of_a_grid_are_written_and_ordered(tmp_path: Path) -> None:
    grid = json.dumps({"grid": {"people": 6, "noise": "geometric:1", "alternative": ["0.6", "0.8"]}})
    data = checked(study("tests", grid, "--output", tmp_path / "out", "--jobs", 1, "--json"), "study-tests")
    powers = [{item["test"]: float(item["power"]) for item in one["power"]} for one in data["settings"]]
    assert powers[1]["projected"] > powers[0]["projected"]
    assert all(one["noisy and public"] >= one["projected"] for one in powers)
    assert (tmp_path / "out" / "study-power.csv").exists()
    assert (tmp_path / "out" / "study-figure-1.png").exists()


def test_settings_that_are_not_shown_are_counted_and_curves_name_what_they_are_of(tmp_path: Path) -> None:
    rates = [f"0.{place}" for place in range(2, 9)]
    grid = json.dumps({"grid": {"records": 2, "rate_if_zero": ["0.1", "0.3"], "rate_if_one": rates}})
    result = study("dependence", grid, "--output", tmp_path / "out", "--jobs", 1)
    assert result.output.count("rate_if_one 0.") == 12
    assert re.search(r"further: +2 settings are in the table", result.output)
    assert "of the count, rate_if_zero 0.3" in (tmp_path / "out" / "study.html").read_text(encoding="utf-8")


def test_clamps_are_named_with_the_power_that_they_give(tmp_path: Path) -> None:
    laws = {"null": "0.5 0.3 0.2", "alternative": "0.1 0.3 0.6"}
    grid = json.dumps({"grid": {"people": [2, 3], "epsilon": "1", **laws}})
    data = checked(study("clamps", grid, "--output", tmp_path / "out", "--jobs", 1, "--json"), "study-clamps")
    assert {item["test"] for item in data["settings"][0]["clamps"]} >= {"best of width epsilon", "best of all"}


def test_a_grid_of_tests_with_faults_writes_nothing(tmp_path: Path) -> None:
    grid = json.dumps({"grid": {"people": 0, "noise": "laplace:1", "alternative": "2"}})
    result = study("tests", grid, "--output", tmp_path / "out")
    assert result.exit_code == 2
    for part in ("from 1 to 200", "geometric:SCALE", "strictly between 0 and 1"):
        assert part in result.stderr
    assert not list(tmp_path.iterdir())


def test_distances_over_a_grid_are_those_of_the_best_coupling_and_the_print_is_never_larger(tmp_path: Path) -> None:
    from accountant_pufferfish.distance.counts import binomial_weights
    from tests.plugins.pufferfish.transport_references import one_sided

    grid = {"records": [1, 4], "rate_if_zero": ["0", "0.3", "0.9"], "rate_if_one": ["0.1", "0.9"]}
    words = ("dependence", json.dumps({"grid": grid}), "--output", tmp_path / "out", "--jobs", 1, "--json")
    data = checked(study(*words), "study-dependence")
    assert len(data["settings"]) == 12
    for item in data["settings"]:
        records = int(item["setting"]["records"])
        zero, one = (Fraction(item["setting"][name]) for name in ("rate_if_zero", "rate_if_one"))
        of_count, of_records, as_printed = (int(row["distance"]) for row in item["distance"])
        laws = [
            {k + more: Fraction(weight, 10 ** (records - 1)) for k, weight in binomial_weights(records - 1, rate, 10)}
            for more, rate in ((0, int(10 * zero)), (1, int(10 * one)))
        ]
        assert as_printed == one_sided(*laws)
        assert as_printed <= of_count <= of_records
        # Strassen: whatever is kept within so much of a set has at least its mass, and less would not do.
        assert all(_kept(*laws, of_count, below) for below in range(records + 1))
        assert of_count == 0 or not all(_kept(*laws, of_count - 1, below) for below in range(-1, records + 2))


def _kept(first: dict[int, Fraction], second: dict[int, Fraction], reach: int, below: int) -> bool:
    """Whether both laws put at least as much mass on counts up to a place and a reach as the other does up to it."""

    def mass(law: dict[int, Fraction], most: int) -> Fraction:
        return sum((chance for count, chance in law.items() if count <= most), Fraction(0))

    return all(mass(one, below + reach) >= mass(other, below) for one, other in ((first, second), (second, first)))


@pytest.mark.parametrize(
    ("grid", "told"),
    [
        ({"records": 0, "rate_if_zero": "0", "rate_if_one": "1"}, "from 1 to 1,000 records"),
        ({"records": 5, "rate_if_zero": "1.5", "rate_if_one": "1"}, "between 0 and 1"),
        ({"records": 5, "rate_if_zero": "nan", "rate_if_one": "1"}, "rate_if_zero"),
        ({"records": 5, "rate_if_one": "1"}, "rate_if_zero"),
    ],
)
def test_dependence_that_cannot_be_is_refused(tmp_path: Path, grid: dict[str, Any], told: str) -> None:
    result = study("dependence", json.dumps({"grid": grid}), "--output", tmp_path / "out")
    assert result.exit_code == 2
    assert told in result.stderr
    assert not (tmp_path / "out").exists()
