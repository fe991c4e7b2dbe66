"""`accountant individuals` as it is typed: the verdict first, exit codes, one shape with --json, and one error."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner, Result

from accountant.cli import main
from tests.plugins.scale.panel import write

Run = Callable[..., Result]

PLAN = {
    "title": "A panel",
    "specification": {"neighbours": "add-remove"},
    "budget": [{"divergence": "zcdp", "rho": "0.015"}],
    "release": [
        {
            "name": "wave",
            "query": {"kind": "count", "attributes": ["employed"]},
            "mechanism": {"kind": "gaussian", "sigma": "10"},
            "times": 4,
        }
    ],
}
"""One count of a wave has rho 1 / (2 * 10^2) = 0.005, so that a unit may take part in three."""


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """The command on the plan and a table of so many events for each unit."""
    plan = tmp_path / "plan.json"
    plan.write_text(json.dumps(PLAN), encoding="utf-8")

    def call(times: dict[str, int], *options: object) -> Result:
        rows = [(unit, "wave", often) for unit, often in times.items()]
        table = write(tmp_path / "events.csv", rows, ("unit", "release", "times"))
        return CliRunner().invoke(main, ["individuals", str(plan), str(table), *map(str, options)])

    return call


@pytest.fixture(scope="module")
def schema() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(CliRunner().invoke(main, ["schema", "output"]).stdout)
    return found


def checked(data: object, name: str, schema: dict[str, Any]) -> None:
    jsonschema.Draft202012Validator({"$ref": f"#/$defs/{name}", "$defs": schema["$defs"]}).validate(data)


def test_a_budget_that_all_units_keep_is_said_first(run: Run) -> None:
    result = run({"a": 3, "b": 1}, "--participation", "design")
    assert (result.exit_code, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert lines[0] == "KEPT by all 2 units"
    assert lines[1].split()[:3] == ["note:", "by", "design:"]
    assert "  worst:      0.015, with 3 x wave" in lines
    assert "CONFIDENTIAL" not in result.stdout


def test_units_beyond_a_budget_are_said_first_with_how_many(run: Run) -> None:
    result = run({"a": 4, "b": 4, "c": 1}, "--participation", "design")
    assert result.exit_code == 1
    first = result.stdout.splitlines()[0]
    assert first.startswith("NOT KEPT by 2 of 3 units: ")
    assert first.endswith("with rho = 0.015 (1 implied, 2 refuted)")


def test_losses_that_depend_on_the_data_are_labelled_unless_somebody_says_otherwise(run: Run) -> None:
    for options in ((), ("--participation", "data")):
        result = run({"a": 1}, *options)
        assert result.stdout.splitlines()[1].startswith("  note:       CONFIDENTIAL: who took part depends on the data")
        data = json.loads(run({"a": 1}, *options, "--json").stdout)
        assert data["confidential"] is True
        assert data["note"].startswith("CONFIDENTIAL")


def test_a_plan_that_only_asks_is_read(tmp_path: Path) -> None:
    question = {**PLAN, "budget": [], "reading": [{"divergence": "zcdp"}]}
    table = write(tmp_path / "events.csv", [("a", "wave")])
    result = CliRunner().invoke(main, ["individuals", json.dumps(question), str(table)])
    assert (result.exit_code, result.stdout.splitlines()[0]) == (0, "READ for all 1 units")


@pytest.mark.parametrize(
    ("times", "options", "status"),
    [({"a": 1, "b": 3}, (), 0), ({"a": 4}, ("--participation", "design"), 1), ({"a": 3, "b": 1}, ("--before", "wave"), 0)],
)
def test_every_answer_is_as_described(
    run: Run, schema: dict[str, Any], times: dict[str, int], options: tuple[str, ...], status: int
) -> None:
    result = run(times, *options, "--json")
    assert (result.exit_code, result.stderr) == (status, "")
    data = json.loads(result.stdout)
    checked(data, "individuals", schema)
    (reading,) = data["readings"]
    assert data["units"] == len(times)
    assert reading["worst"]["upper"] == f"{5 * max(times.values()) / 1000:g}"
    assert sum(reading["verdicts"].values()) == len(times)
    assert data.get("left_out") == (1 if options == ("--before", "wave") else None)


def test_another_shape_is_noticed(run: Run, schema: dict[str, Any]) -> None:
    data = json.loads(run({"a": 1}, "--json").stdout)
    del data["confidential"]
    with pytest.raises(jsonschema.ValidationError):
        checked(data, "individuals", schema)


def test_what_is_written_is_what_is_answered(run: Run, tmp_path: Path) -> None:
    from pyarrow import parquet

    result = run({"a": 3, "b": 1}, "--before", "wave", "--output", tmp_path / "out", "--json")
    assert result.exit_code == 0
    assert json.loads((tmp_path / "out" / "individuals.json").read_text("utf-8")) == json.loads(result.stdout)
    assert parquet.read_table(tmp_path / "out" / "left-out").to_pylist() == [{"unit": "a"}]
    again = run({"a": 3, "b": 1}, "--before", "wave", "--output", tmp_path / "out")
    assert (again.exit_code, again.stdout) == (2, "")


@pytest.mark.parametrize(
    ("times", "options", "wrong"),
    [
        ({"a": 1}, ("--engine", "abacus"), "'abacus' is no engine"),
        ({"a": 1}, ("--engine", "spark://nowhere"), "write spark://HOST:PORT"),
        ({"a": 1}, ("--engine", "sc://127.0.0.1:15002"), "write the address of the cluster's master, spark://HOST:PORT"),
        ({"a": 1}, ("--certificate", "units.json"), "these losses are confidential"),
        ({"a": 1}, ("--verify", "units.json"), "these losses are confidential"),
        ({"a": 1}, ("--before", "tide"), "'tide' is no release of the plan"),
        ({"a": 5}, (), "takes part in 'wave' 5 times, but the plan makes it 4 times"),
        ({"a": -1}, (), "no whole number"),
        ({}, (), "has no rows"),
    ],
)
def test_bad_input_is_one_error_and_nothing_is_written(
    run: Run, schema: dict[str, Any], tmp_path: Path, times: dict[str, int], options: tuple[str, ...], wrong: str
) -> None:
    result = run(times, *options, "--output", tmp_path / "out", "--json")
    assert (result.exit_code, result.stdout) == (2, "")
    (line,) = result.stderr.splitlines()
    checked(json.loads(line), "faults", schema)
    assert wrong in line
    assert not (tmp_path / "out").exists()


def test_events_that_are_not_there_are_one_error(tmp_path: Path) -> None:
    result = CliRunner().invoke(
        main, ["individuals", json.dumps(PLAN), str(tmp_path / "absent.csv"), "--output", str(tmp_path / "out")]
    )
    assert (result.exit_code, result.stdout) == (2, "")
    assert "there is no file" in result.stderr
    assert not (tmp_path / "out").exists()


def test_a_budget_that_nobody_can_decide_is_not_said_to_be_passed(tmp_path: Path) -> None:
    """A claim says how much is lost at most, and never that it is lost."""
    claim = {"name": "wave", "mechanism": {"kind": "claim", "divergence": "zcdp", "rho": "1"}}
    plan = tmp_path / "plan.json"
    plan.write_text(json.dumps({**PLAN, "release": [claim]}), encoding="utf-8")
    table = write(tmp_path / "events.csv", [("a", "wave")], ("unit", "release"))
    result = CliRunner().invoke(main, ["individuals", str(plan), str(table), "--participation", "design"])
    assert result.exit_code == 1
    assert result.stdout.splitlines()[0].startswith("NOT SHOWN TO BE KEPT by 1 of 1 units: ")
    assert "What is claimed of 'wave' is taken on trust." in " ".join(result.stdout.split())
    assert "between:" in result.stdout
