"""Whatever a plan or an option holds, the answer is exact or a refusal that names the place: never a hang or a zero."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from accountant.cli.output import visible

Run = Callable[..., Result]

PLAN: dict[str, Any] = {
    "title": "valid",
    "specification": {"neighbours": "replace-one"},
    "budget": [{"divergence": "approx", "epsilon": "4", "delta": "1e-6"}],
    "release": [
        {"name": "a", "query": {"kind": "count"}, "mechanism": {"kind": "gaussian", "sigma": "8"}, "times": 3},
        {"name": "b", "query": {"kind": "count"}, "mechanism": {"kind": "laplace", "scale": "2"}},
        {"name": "c", "mechanism": {"kind": "claim", "divergence": "zcdp", "rho": "0.05"}},
    ],
}
SIGMA, SCALE, TIMES = "release[0].mechanism.sigma", "release[1].mechanism.scale", "release[0].times"
DELTA, EPSILON = "budget[0].delta", "budget[0].epsilon"

NO_NUMBERS = [
    float("nan"),
    float("inf"),
    float("-inf"),
    "nan",
    "inf",
    "-inf",
    True,
    False,
    "eight",
    "",
    "0x8",
    "1,5",
    "1/0",
    [8],
    {"value": 8},
    None,
    "1e999999999",
    "1e-999999999",
    "9" * 100_000,
    10**4000,
]


def put(place: str, value: object) -> dict[str, Any]:
    """The valid plan with one value changed, by its place."""
    plan = deepcopy(PLAN)
    *parents, last = [int(word) if word.isdigit() else word for word in re.findall(r"\w+", place)]
    target: Any = plan
    for parent in parents:
        target = target[parent]
    target[last] = value
    return plan


def refused(run: Run, folder: Path, content: str | bytes, name: str = "plan.json") -> list[str]:
    """The faults of a plan file; nothing may be written and nothing may take long."""
    plan = folder / name
    plan.write_bytes(content.encode() if isinstance(content, str) else content)
    start = time.monotonic()
    result = run("certify", plan)
    assert time.monotonic() - start < 5
    assert (result.exit_code, result.stdout) == (2, "")
    assert "Traceback" not in result.stderr
    assert [item.name for item in folder.iterdir()] == [name]
    lines = result.stderr.splitlines()
    assert all(line.startswith("error: ") for line in lines)
    assert lines
    # For programs the same faults have places that do not depend on names; of some there is nothing else to say.
    told = json.loads(run("certify", plan, "--json").stderr)["error"]
    assert all(line.startswith(f"error: {visible(fault['message'])}") for line, fault in zip(lines, told, strict=True))
    return [visible(" @ ".join(filter(None, (fault["message"], fault["place"])))) for fault in told]


@pytest.mark.parametrize("value", NO_NUMBERS, ids=lambda value: repr(value)[:12] if not isinstance(value, int) else "")
@pytest.mark.parametrize("place", [SIGMA, SCALE, TIMES, DELTA, EPSILON, "release[2].mechanism.rho"])
def test_what_is_no_number_is_refused_where_it_stands(run: Run, tmp_path: Path, place: str, value: object) -> None:
    content = json.dumps(put(place, value)) if not isinstance(value, int) or isinstance(value, bool) else None
    if content is None:
        content = json.dumps(put(place, "BIG")).replace('"BIG"', "1" + "0" * 4000)
    (fault,) = refused(run, tmp_path, content)
    assert fault.endswith(f" @ {place}")
    assert len(fault) < 600


@pytest.mark.parametrize(
    ("place", "value"),
    [
        *((SIGMA, value) for value in (0, -1, "-8", "0.0", -0.5)),
        *((SCALE, value) for value in (0, -1, "-1e-300")),
        *((TIMES, value) for value in (2.5, "2.5", "5/2", 0, -1, 10**30, 10**18 + 1)),
        *((DELTA, value) for value in (0, 1, 2, -1, "0", "1", "1.0")),
        (EPSILON, "-0.1"),
        ("release[2].mechanism.rho", -1),
    ],
)
def test_a_number_out_of_range_is_refused_where_it_stands(run: Run, tmp_path: Path, place: str, value: object) -> None:
    (fault,) = refused(run, tmp_path, json.dumps(put(place, value)))
    assert fault.endswith(f" @ {place}")
    assert re.match(r"must be (above|below|at least|at most) |expected a whole number", fault)


@pytest.mark.parametrize(
    ("place", "value", "fault"),
    [
        (
            "release[0].mechanism.kind",
            "gausian",
            "unknown mechanism 'gausian'; did you mean 'gaussian'? @ release[0].mechanism",
        ),
        ("release[0].query.kind", "histgram", "unknown query 'histgram'; did you mean 'histogram'? @ release[0].query"),
        ("budget[0].divergence", "aprox", "unknown divergence 'aprox'; did you mean 'approx'? @ budget[0].divergence"),
        (
            "specification.neighbours",
            "replace-two",
            "unknown neighbour relation 'replace-two'; did you mean 'replace-one'? @ specification.neighbours",
        ),
        ("release[0].tims", 3, "unknown key 'tims'; did you mean 'times'? @ release[0]"),
        ("release[0].mechanism.sigm", 3, "unknown key 'sigm'; did you mean 'sigma'? @ release[0].mechanism"),
        ("budgets", [], "unknown key 'budgets'; did you mean 'budget'? @ plan"),
        ("specification.units", "x", "unknown key 'units'; did you mean 'unit'? @ specification"),
        ("release[1].name", "a", "two releases are called 'a'; give each its own name @ release[1].name"),
        ("specification.unit", 5, "expected text, got 5 @ specification.unit"),
        ("specification.attributes", "age", "expected a list of names, got 'age' @ specification.attributes"),
        ("specification.invariants", "n", "expected a list of names, got 'n' @ specification.invariants"),
        ("specification.invariants", [1], "expected text, got 1 @ specification.invariants[0]"),
        ("release[0].query.attributes", [[]], "expected text, got [] @ release[0].query.attributes"),
        ("release[0].query.attributes", {}, "expected a list, got a table @ release[0].query.attributes"),
        ("specification.attributes", {"age": 1}, "expected a list, got a table @ specification.attributes"),
        ("release[0].name", "", "expected text, got an empty string @ release[0].name"),
        ("title", ["x"], "expected text, got ['x'] @ title"),
    ],
)
def test_a_mistake_is_told_in_these_words(run: Run, tmp_path: Path, place: str, value: object, fault: str) -> None:
    assert refused(run, tmp_path, json.dumps(put(place, value))) == [fault]


@pytest.mark.parametrize("value", [5, "text", True, [], ["x"], {}, {"x": 1}, None, 1.5], ids=str)
@pytest.mark.parametrize(
    "place",
    [
        "title",
        "specification",
        "specification.neighbours",
        "budget[0]",
        "budget[0].divergence",
        "release",
        "release[0]",
        "release[0].name",
        "release[0].query",
        "release[0].query.kind",
        "release[0].mechanism",
        "release[0].mechanism.kind",
    ],
)
def test_a_value_of_the_wrong_type_is_refused_in_its_part(run: Run, tmp_path: Path, place: str, value: object) -> None:
    if value == "text" and place in ("title", "release[0].name"):
        value = ["text"]
    part = place.partition("[")[0].partition(".")[0]
    assert all(f" @ {part}" in fault for fault in refused(run, tmp_path, json.dumps(put(place, value))))


@pytest.mark.parametrize("part", ["specification", "release"])
def test_a_missing_part_is_named(run: Run, tmp_path: Path, part: str) -> None:
    plan = {key: value for key, value in PLAN.items() if key != part}
    (fault,) = refused(run, tmp_path, json.dumps(plan))
    assert fault.endswith(f" @ {part}")


def test_a_plan_without_budgets_cannot_be_certified_but_can_be_measured(run: Run, tmp_path: Path) -> None:
    plan = {key: value for key, value in PLAN.items() if key != "budget"}
    (fault,) = refused(run, tmp_path, json.dumps(plan))
    assert fault.endswith(" @ budget")
    assert run("measure", tmp_path / "plan.json", "--as", "zcdp").exit_code == 0


def test_all_faults_are_reported_at_once(run: Run, tmp_path: Path) -> None:
    plan = put("release[0].mechanism.kind", "gausian")
    plan["release"][1]["mechanism"]["scale"] = "-2"
    plan["budget"][0]["delta"] = 2
    plan["specification"]["neighbours"] = "none"
    plan["release"][2]["name"] = "b"
    places = [fault.rpartition(" @ ")[2] for fault in refused(run, tmp_path, json.dumps(plan))]
    assert sorted(places) == [
        "budget[0].delta",
        "release[0].mechanism",
        "release[1].mechanism.scale",
        "release[2].name",
        "specification.neighbours",
    ]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("empty.toml", ""),
        ("empty.json", ""),
        ("null.json", "null"),
        ("list.json", "[]"),
        ("truncated.toml", '[specification]\nneighbours = "repl'),
        ("truncated.json", json.dumps(PLAN)[:-9]),
        ("twice.json", '{"title": "a", "title": "b"}'),
        ("twice.toml", 'title = "a"\ntitle = "b"'),
        ("deep.json", "[" * 100_000),
        ("deep-closed.json", '{"title": ' + "[" * 500 + "]" * 500 + "}"),
        ("deep.toml", "title = " + "[" * 100_000),
        ("dotted.toml", "a" + ".a" * 100_000 + " = 1"),
        ("exponent.toml", "title = 1e9999999999999999999"),
        ("exponent.json", '{"title": 1e9999999999999999999}'),
        ("digits.toml", "title = " + "1" * 100_000),
        ("digits.json", '{"title": ' + "1" * 100_000 + "}"),
        ("hexadecimal.toml", "title = 0x" + "f" * 100_000),
        ("date.toml", "title = 2020-01-01"),
        ("bytes.toml", b"title = \xff\xfe"),
        ("bytes.json", b"\xff\xfe{\x00}\x00"),
        ("nul.json", '{"title": "\\u0000"}'),
        ("escape.toml", 'title = "\\u001b[2J"'),
        ("surrogate.json", '{"title": "\\ud800"}'),
        ("key.json", '{"\\u001b[2J": 1}'),
        ("long.json", json.dumps({"title": "x" * 100_000})),
    ],
    ids=lambda value: value if isinstance(value, str) and len(value) < 30 else "",
)
def test_a_file_that_holds_no_plan_is_refused(run: Run, tmp_path: Path, name: str, content: str | bytes) -> None:
    faults = refused(run, tmp_path, content, name)
    assert all(len(fault) < 1000 and fault.isprintable() for fault in faults)


def test_a_file_that_cannot_be_read_is_refused(run: Run, tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "absent.toml", tmp_path / "absent" / "plan.toml", "", "/"):
        result = run("certify", path)
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr.startswith("error: cannot be read: ")
        assert len(result.stderr.splitlines()) == 1


def test_a_byte_order_mark_does_not_matter(run: Run, tmp_path: Path) -> None:
    (tmp_path / "plan.json").write_bytes(b"\xef\xbb\xbf" + json.dumps(PLAN).encode())
    assert run("certify", tmp_path / "plan.json").exit_code == 0


def test_a_huge_count_of_gaussian_noise_is_answered_exactly(run: Run, tmp_path: Path) -> None:
    plan = {**PLAN, "release": [{**PLAN["release"][0], "mechanism": {"kind": "gaussian", "sigma": 10**9}, "times": 10**18}]}
    (tmp_path / "plan.json").write_text(json.dumps(plan), encoding="utf-8")
    result = run("measure", tmp_path / "plan.json", "--as", "zcdp", "--json")
    assert json.loads(result.stdout)["value"] == {"name": "rho", "lower": "0.5", "upper": "0.5", "exact": "0.5"}


@pytest.mark.parametrize(
    "options",
    [
        *(("--as", "approx", "--delta", value) for value in ("0", "1", "2", "-1", "nan", "inf", "", "1e-999999999", "x")),
        ("--as", "approx", "--epsilon", "-1"),
        ("--as", "approx"),
        ("--as", "approx", "--delta", "1e-6", "--epsilon", "1"),
        ("--as", "zcdp", "--order", "2"),
        ("--as", "aprox", "--delta", "1e-6"),
        *(
            ("--as", "approx", "--delta", "1e-6", "--precision", value)
            for value in ("0", "-1", "1e-16", "1.5", "nan", "inf", "", "fine", "1/0", "1e-999999999")
        ),
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("command", ["measure", "explain"])
def test_a_reading_that_means_nothing_is_refused(run: Run, survey: Path, command: str, options: tuple[str, ...]) -> None:
    result = run(command, survey, *options)
    assert (result.exit_code, result.stdout) == (2, "")
    assert re.fullmatch(r"error: .* @ --\w+\n", result.stderr)


def test_faults_of_options_and_plan_come_together(run: Run, tmp_path: Path) -> None:
    (tmp_path / "plan.json").write_text(json.dumps(put(SIGMA, 0)), encoding="utf-8")
    result = run("measure", tmp_path / "plan.json", "--as", "aprox", "--delta", "nan")
    places = [line.rpartition(" @ ")[2] for line in result.stderr.splitlines()]
    assert places == ["--as", "--delta", f"{tmp_path / 'plan.json'}, release 'a'.mechanism.sigma"]


def test_with_json_the_faults_are_json_on_standard_error(run: Run, tmp_path: Path) -> None:
    (tmp_path / "plan.json").write_text(json.dumps(put(SIGMA, 0)), encoding="utf-8")
    result = run("certify", tmp_path / "plan.json", "--json")
    assert (result.exit_code, result.stdout) == (2, "")
    fault = {"message": "must be above 0, got 0", "place": SIGMA, "name": "a", "file": str(tmp_path / "plan.json")}
    assert json.loads(result.stderr) == {"error": [fault]}


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("certify",),
        ("certfy", "x"),
        ("certify", "x", "--nonsense"),
        ("measure", "x"),
        ("schema", "ledger"),
        ("calibrate",),
        ("reallocate",),
    ],
    ids=" ".join,
)
def test_a_command_that_is_misused_shows_its_usage(run: Run, arguments: tuple[str, ...]) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert "Usage: accountant" in result.stderr


def test_unknown_plugins_cannot_be_disabled_or_allowed(run: Run) -> None:
    for option in ("--disable", "--allow"):
        result = run("plugins", option, "nois")
        assert result.exit_code == 2
        assert result.stderr == "error: no plugin is called 'nois'; did you mean 'noise'?\n"
