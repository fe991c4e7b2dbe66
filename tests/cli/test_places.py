"""Faults say where they stand as people do: the file, the line, the release by its own name, all counted from 1."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from attrs import evolve
from click.testing import Result

from accountant import load_plan
from accountant.errors import Fault
from accountant.values.places import told

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
    rows.write_text('name,about,sigma\na,age,1\n\n"b\nc",age,1\ne,age,-2\nd,agee,1\n', encoding="utf-8")
    found = lines(run, "certify", plan)
    assert found[0].startswith("the text contains a control character (U+000A)")
    assert found[0].endswith(f"{rows}, line 5, release 'b\\u000ac'.name")
    assert found[1] == f"must be above 0, got -2 @ {rows}, line 6, release 'e'.mechanism.sigma"
    assert found[2].startswith("'agee' is not an attribute that the domain declares; did you mean 'age'? @ ")
    assert found[2].endswith(f"{rows}, line 7, release 'd'.query.attributes")
    rows.write_text('name,about,sigma\n"b\nc",age,-2\n"d\ne",agee,1\n', encoding="utf-8")
    beside = lines(run, "certify", plan)
    assert [fault.partition(" @ ")[0].partition(";")[0] for fault in beside] == [
        "the text contains a control character (U+000A)",
        "must be above 0, got -2",
        "the text contains a control character (U+000A)",
        "'agee' is not an attribute that the domain declares",
    ], "a control character hides no other fault of its row"
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


DOUBTFUL = """
[specification]
neighbours = "replace-one"

[[budget]]
divergence = "zcdp"
rho = "1"

[[release]]
name = "first"
query = { kind = "histogram", attributes = ["diabetes", "age"] }
mechanism = { kind = "gaussian", sigma = "8" }

[[release]]
name = "second"
query = { kind = "histogram", attributes = ["diabetes", "age"] }
mechanism = { kind = "gaussian", sigma = "8" }

[[table]]
file = "rows.csv"
name = "{name}"
query = { kind = "histogram", attributes = ["{by}"] }
mechanism = { kind = "gaussian", sigma = "8" }
"""


@pytest.fixture
def doubtful(tmp_path: Path) -> Path:
    path = tmp_path / "plan.toml"
    path.write_text(
        DOUBTFUL.replace(
            '["diabetes", "age"] }\nmechanism = { kind = "gaussian"',
            '["diabtes", "age"] }\nmechanism = { kind = "gaussian"',
            1,
        )
    )
    (tmp_path / "rows.csv").write_text("name,by\nthird,diabetes\nfourth,agee\n")
    return path


def test_warnings_carry_file_line_and_name_as_faults_do(run: Run, doubtful: Path) -> None:
    written = doubtful.read_text(encoding="utf-8").splitlines()
    first = 1 + next(number for number, line in enumerate(written) if "diabtes" in line)
    rows = doubtful.with_name("rows.csv")
    expected = {
        f"{doubtful}, line {first}, release 'first'.query.attributes",
        f"{rows}, line 3, release 'fourth'.query.attributes",
    }
    result = run("measure", doubtful, "--as", "zcdp")
    assert result.exit_code == 0
    assert {line.partition(" @ ")[2] for line in result.stderr.splitlines()} == expected
    told_as_data = json.loads(run("measure", doubtful, "--as", "zcdp", "--json").stderr)["warning"]
    assert {(item["name"], item["file"], item["line"]) for item in told_as_data} == {
        ("first", str(doubtful), first),
        ("fourth", str(rows), 3),
    }
    shown = " ".join(run("certify", doubtful).stdout.split())
    assert f"@ plan.toml, line {first}, release 'first'.query.attributes" in shown
    assert "@ rows.csv, line 3, release 'fourth'.query.attributes" in shown
    assert str(doubtful.parent) not in shown.partition("Certificate:")[0]


def test_where_a_plan_was_read_from_is_no_part_of_it(doubtful: Path) -> None:
    plan = load_plan(doubtful)
    elsewhere = doubtful.with_name("other.toml")
    elsewhere.write_text("# moved\n" + doubtful.read_text(encoding="utf-8"), encoding="utf-8")
    moved = load_plan(elsewhere)
    assert (moved, moved.digest, repr(moved)) == (plan, plan.digest, repr(plan))
    lines_of_first = [next(item.line for item in found.warnings if item.name == "first") for found in (plan, moved)]
    assert lines_of_first[1] == (lines_of_first[0] or 0) + 1
    changed = evolve(plan, releases=tuple(release.repeated(2) for release in plan.releases))
    assert {(warning.file, warning.line) for warning in changed.warnings} == {(None, None)}


def test_warnings_of_a_request_to_a_ledger_name_its_file(run: Run, tmp_path: Path) -> None:
    ledger, request = tmp_path / "l", tmp_path / "request.toml"
    opening = ("--neighbours", "replace-one", "--budget", "zcdp rho=1")
    assert run("ledger", "open", ledger, *opening).exit_code == 0
    queries = (["age", "diabetes"], ["age", "diabtes"], ["diabetes"])
    request.write_text(
        "".join(
            f'[[release]]\nname = "r{number}"\nquery = {{ kind = "count", attributes = {json.dumps(names)} }}\n'
            'mechanism = { kind = "gaussian", sigma = "8" }\n'
            for number, names in enumerate(queries)
        )
    )
    found = run("ledger", "quote", ledger, request)
    assert found.exit_code == 0
    assert f"@ {request}, line 7, release 'r1'.query.attributes" in found.stderr
