"""Faults say where they stand as people do: the file, the line, the release by its own name, all counted from 1."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from accountant.cli.places import told
from accountant.errors import Fault

Run = Callable[..., Result]


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (Fault("wrong", "release[1].mechanism.scale", "b", "p.toml", 7), "p.toml, line 7, release 'b'.mechanism.scale"),
        (Fault("wrong", "release[1].mechanism.scale", None, "p.toml", 7), "p.toml, line 7, release 2.mechanism.scale"),
        (Fault("wrong", "scenario[0]", "s", "p.json"), "p.json, scenario 's'"),
        (Fault("wrong", "table[0].row[3].times", "c", "rows.csv", 5), "rows.csv, line 5, release 'c'.times"),
        (Fault("wrong", "table[0].row[3].times"), "table 1.row 3.times"),
        (Fault("wrong", "public[0].budget[1].epsilon", "r", "p.toml", 9), "p.toml, line 9, public 'r'.budget 2.epsilon"),
        (Fault("wrong", "plan", None, "p.toml", 1), "p.toml, line 1"),
        (Fault("wrong", "--delta"), "--delta"),
        (Fault("wrong", "p.toml"), "p.toml"),
    ],
)
def test_a_place_is_told_by_names_and_counted_from_one(fault: Fault, words: str) -> None:
    assert told(fault) == f"wrong @ {words}"


def lines(run: Run, *words: object) -> list[str]:
    result = run(*words)
    assert (result.exit_code, result.stdout) == (2, "")
    return [line.removeprefix("error: ") for line in result.stderr.splitlines()]


def test_faults_of_a_plan_name_file_line_and_release(run: Run, survey: Path) -> None:
    content = survey.read_text(encoding="utf-8")
    wrong = content.replace('"2"', '"-2"').replace("title", "titel").replace("epsilon =", "epsilom =")
    survey.write_text(wrong, encoding="utf-8")
    where = {text: 1 + wrong.splitlines().index(text) for text in wrong.splitlines() if text}
    key = where['epsilom = "4"']
    scale = where['mechanism = { kind = "laplace", scale = "-2" }']
    assert lines(run, "certify", survey) == [
        f"unknown key 'titel'; did you mean 'title'? @ {survey}, line 1",
        f"unknown key 'epsilom'; did you mean 'epsilon'? @ {survey}, line {key}, budget 1",
        f"must be above 0, got -2 @ {survey}, line {scale}, release 'smokers'.mechanism.scale",
    ]


def test_faults_of_rows_name_the_table_and_its_line(run: Run, tmp_path: Path) -> None:
    template = {"name": "{name}", "query": {"kind": "count", "attributes": ["{about}"]}}
    noise = {"kind": "gaussian", "sigma": "{sigma}"}
    specification = {"neighbours": "replace-one", "domain": {"attributes": ["age"]}}
    table = [{"file": "rows.csv", **template, "mechanism": noise}]
    plan = tmp_path / "plan.json"
    plan.write_text(json.dumps({"specification": specification, "table": table}), encoding="utf-8")
    rows = tmp_path / "rows.csv"
    rows.write_text('name,about,sigma\na,age,1\n\n"b\nc",age,-2\nd,agee,1\n', encoding="utf-8")
    found = lines(run, "certify", plan)
    assert found[0] == f"must be above 0, got -2 @ {rows}, line 5, release 'b\\u000ac'.mechanism.sigma"
    assert found[1].startswith("'agee' is not an attribute that the domain declares; did you mean 'age'? @ ")
    assert found[1].endswith(f"{rows}, line 6, release 'd'.query.attributes")
    rows.write_text("name,about,sigma\n\na,age\n", encoding="utf-8")
    (uneven,) = lines(run, "certify", plan)
    assert uneven.startswith(f"'rows.csv' has 2 cells in row 1, but 3 columns @ {rows}, line 3")


def test_faults_of_json_that_is_laid_out_have_lines(run: Run, tmp_path: Path) -> None:
    release = {"name": "a", "query": {"kind": "count"}, "mechanism": {"kind": "laplace", "scale": "0"}}
    data = {"specification": {"neighbours": "add-remove"}, "release": [release]}
    plan = tmp_path / "plan.json"
    plan.write_text(json.dumps(data, indent=2), encoding="utf-8")
    line = 1 + plan.read_text(encoding="utf-8").splitlines().index('        "scale": "0"')
    assert lines(run, "certify", plan) == [f"must be above 0, got 0 @ {plan}, line {line}, release 'a'.mechanism.scale"]
    plan.write_text(json.dumps(data), encoding="utf-8")
    assert lines(run, "certify", plan) == [f"must be above 0, got 0 @ {plan}, release 'a'.mechanism.scale"]


def test_faults_of_a_request_to_a_ledger_have_places_too(run: Run, tmp_path: Path) -> None:
    ledger, request = tmp_path / "l", tmp_path / "request.toml"
    assert run("ledger", "open", ledger, "--neighbours", "add-remove", "--budget", "zcdp rho=1").exit_code == 0
    request.write_text('[[release]]\nname = "a"\nquery = { kind = "count" }\nmechanism = { kind = "gausian" }\n')
    (fault,) = lines(run, "ledger", "quote", ledger, request)
    assert f"{request}, line 4, release 'a'.mechanism" in fault
