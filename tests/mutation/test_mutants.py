"""A small sample of mutants dies whenever the tests are run; the command judges larger ones."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from fnmatch import fnmatchcase
from pathlib import Path

import pytest
from attrs import evolve

from tests.mutation import report
from tests.mutation.importing import _doors, _imported
from tests.mutation.judging import Fate, ordered, within
from tests.mutation.mutant import Name, all_mutants
from tests.mutation.places import ROOT, module_name, statements
from tests.mutation.reach import Clock, Reach

pytestmark = pytest.mark.slow

NAME = Name("accountant/loss/x.py", "f", "count", "a", "b")


def test_a_sample_of_mutants_is_killed_and_the_code_itself_is_not() -> None:
    command = [sys.executable, "-m", "tests.mutation", "--quick"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{done.stdout}{done.stderr}"


@pytest.mark.parametrize("path", [report.EQUIVALENT, report.OUTWARD], ids=["equivalent", "outward"])
def test_every_mutant_that_need_not_die_still_stands_and_has_a_reason(path: Path) -> None:
    known = report.listed(path, "reason")
    standing = all_mutants(report.files(known))
    assert not [str(name) for name in known if name not in standing]
    assert all(len(reason) > 20 for reason in known.values())


def test_every_function_that_only_chooses_still_stands() -> None:
    rows = tomllib.loads(report.CHOICES.read_text())["choice"]
    named = [row for row in rows if row["file"] != "*"]
    standing = {(name.file, name.function) for name in all_mutants([row["file"] for row in named])}
    for row in named:
        assert any(file == row["file"] and fnmatchcase(function, row["function"]) for file, function in standing), row
    assert all(len(row["reason"]) > 20 for row in rows)
    assert report.chooses(evolve(NAME, function="AnyLoss.window"))
    assert not report.chooses(evolve(NAME, function="AnyLoss.cells"))


def test_the_stored_figures_are_those_of_the_stored_mutants() -> None:
    how, fates = report.read()
    assert {"sample", "seed", "only", "seconds"} <= set(how)
    assert json.loads(report.REPORT.read_text())["figures"] == report.figures(fates)


def test_half_of_a_sample_are_error_terms_and_the_seed_decides() -> None:
    names = [evolve(NAME, operator=kind, nth=k) for kind in ("error-term", "count", "ends") for k in range(1, 30)]
    sample = report.drawn(names, 20, 5)
    assert sample == report.drawn(names[::-1], 20, 5) != report.drawn(names, 20, 6)
    assert sorted(name.operator for name in sample) == ["count"] * 5 + ["ends"] * 5 + ["error-term"] * 10


def test_every_mutant_is_in_one_of_two_halves_that_are_about_as_large_whatever_else_there_is() -> None:
    names = sorted(all_mutants(["loss/engine/grid.py", "loss/engine/zoom_route.py"]))
    odd = [name for name in names if report.half(name) == "odd"]
    assert {report.half(name) for name in names} == {"odd", "even"}
    assert 0.4 * len(names) < len(odd) < 0.6 * len(names)
    assert odd == [name for name in sorted(all_mutants(["zoom_route.py", "engine/grid.py"])) if report.half(name) == "odd"]


def test_a_report_is_read_as_it_was_written(tmp_path: Path) -> None:
    fates = [Fate(NAME, "killed", "tests/x.py::test_y", 1.5, 3, 9), Fate(evolve(NAME, nth=2), "survived", "", 2.0, 9, 9)]
    report.write(tmp_path / "report.json", fates, sample=2, seed=1)
    assert report.read(tmp_path / "report.json") == ({"sample": 2, "seed": 1}, fates)
    assert "survived (9 of 9 tests): accountant/loss/x.py, f, count: a => b (2)" in report.table(fates)


def test_quick_tests_come_first_and_further_cases_later() -> None:
    seconds = {
        "tests/cli/a.py::t": 0.1,
        "tests/loss/b.py::t[1]": 0.2,
        "tests/loss/b.py::t[2]": 0.25,
        "tests/cli/c.py::t": 0.15,
    }
    order = ordered(list(seconds), "accountant/loss/x.py", seconds, {})
    assert order == ["tests/loss/b.py::t[1]", "tests/cli/a.py::t", "tests/cli/c.py::t", "tests/loss/b.py::t[2]"]
    assert within(order, seconds, 0.31) == order[:2]
    cheap = {f"tests/loss/b.py::t[{k}]": 0.01 for k in range(9)} | {"tests/loss/c.py::t": 0.2}
    assert ordered(list(cheap), "accountant/loss/x.py", cheap, {})[-1] == "tests/loss/c.py::t"
    assert ordered(list(cheap), "accountant/loss/x.py", cheap, {"tests/loss/c.py::t": 1})[2] == "tests/loss/c.py::t"
    alone = {"tests/loss/c.py::t": 0.2, "tests/loss/test_functions_alone.py::t[x]": 0.3}
    assert ordered(list(alone), "accountant/loss/x.py", alone, dict.fromkeys(alone, 20))[0] == [*alone][1]


def test_statements_that_hold_others_stand_for_their_heads_only() -> None:
    found = dict(statements("def f(a):\n    if a:\n        return g(\n            a)\n    return 1\n"))
    assert found == {
        range(1, 2): ("", "def f(a):"),
        range(2, 3): ("f", "if a:"),
        range(3, 5): ("f", "return g("),
        range(5, 6): ("f", "return 1"),
    }


@pytest.mark.parametrize(
    ("place", "tests"),
    [(("f", "x"), ["a"]), (("f", "new"), ["a", "b"]), (("g", "x"), ["a", "b", "c"]), (("", "y"), ["a", "b", "c"])],
)
def test_tests_of_what_changed_or_runs_on_loading_are_those_of_what_holds_it(
    place: tuple[str, str], tests: list[str]
) -> None:
    reach = Reach(dict.fromkeys("abc", 1.0), {"x.py": {"f\tx": ["a"], "f\ty": ["b"], "h\tz": ["c"]}})
    assert reach.tests("x.py", place) == tests


def test_plugins_are_imported_without_their_folder() -> None:
    assert module_name("plugins/accountant_noise/__init__.py") == "accountant_noise"
    assert module_name("accountant/loss/engine/grid.py") == "accountant.loss.engine.grid"


def test_tests_that_were_not_measured_are_asked_of_what_their_file_imports(tmp_path: Path) -> None:
    test = tmp_path / "test_x.py"
    test.write_text("from accountant.loss import GaussianLoss\nfrom accountant.loss.engine import grid\n")
    assert list(_imported(test)) == [("accountant.loss", "GaussianLoss"), ("accountant.loss.engine", "grid")]
    assert _doors()["accountant.loss", "GaussianLoss"] == "accountant.loss.families.gaussian"
    reach = Reach({"a": 1.0, "b": 1.0}, {"x.py": {"f\tx": ["a"]}}, {"x.py": ["b"]})
    assert reach.tests("x.py", ("f", "x")) == reach.tests("x.py", ("g", "y")) == ["a", "b"]


def test_cases_that_are_left_out_for_want_of_patience_are_taken_for_their_others() -> None:
    clock = Clock(None, 1.0)
    clock.seconds |= {"x.py::t[1]": 0.5, "x.py::t[2]": 0.7, "x.py::t[3]": 0.0, "x.py::u": 0.1}
    clock.left_out.add("x.py::t[3]")
    clock.failed |= {"x.py::t[3]", "x.py::u"}
    passed, alike = clock.results()
    assert passed == {"x.py::t[1]": 0.5, "x.py::t[2]": 0.7, "x.py::t[3]": 0.6}
    assert alike == {"x.py::t[1]": ["x.py::t[3]"], "x.py::t[2]": ["x.py::t[3]"]}
