"""`accountant init`: whatever it writes is read back and keeps its budget, and it writes nothing else."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings, strategies as st

from accountant import certify, default_registry, load_plan
from accountant.analysis import beginning
from accountant.cli import main
from accountant.plugin import DIVERGENCES, MECHANISMS, NEIGHBOURS, QUERIES

Run = Callable[..., Result]
REGISTRY = default_registry()
PROGRAM = str(Path(sys.executable).with_name("accountant"))


def begun(*arguments: str) -> bool:
    """Whether a plan is written, which is read back and certified; where the answers are refused, nothing is written."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "plan.toml")
        result = CliRunner().invoke(main, ["init", str(file), *arguments])
        if result.exit_code == 0:
            plan = load_plan(file)
            assert certify(plan).kept
            assert not plan.warnings
            return True
        assert (result.exit_code, result.stdout) == (2, ""), result.output
        assert result.stderr.startswith(("error: ", "Usage: "))
        assert not os.listdir(folder)
        return False


def option(name: str, value: str | None) -> list[str]:
    return [] if value is None else [f"--{name}", value]


VALUES = st.sampled_from(["0", "1", "2", "1/3", "0.25", "10", "1e-6", "40", "-1", "age,sex", "x"])
NUMBERS = st.sampled_from(["1", "2", "1/3", "0.25", "10", "40"])


@st.composite
def kinds(draw: st.DrawFn, family: Any, values: st.SearchStrategy[str]) -> str:
    """A registered kind with a value for some of its fields."""
    import attrs

    name = draw(st.sampled_from(sorted(REGISTRY[family])))
    item: Any = REGISTRY[family][name]
    members = attrs.fields(item if isinstance(item, type) else item.parameter)
    given_ = [member.alias or member.name for member in members if draw(st.integers(0, 3))]
    return " ".join([name, *(f"{field}={draw(values)}" for field in given_)])


TEXTS = st.none() | st.text(max_size=12).filter(lambda text: "\0" not in text and not text.startswith("-"))


@settings(max_examples=20, deadline=None)
@given(
    st.none() | st.sampled_from(sorted(REGISTRY[NEIGHBOURS])),
    st.none() | kinds(QUERIES, VALUES),
    st.none() | kinds(MECHANISMS, NUMBERS),
    st.none() | kinds(DIVERGENCES, NUMBERS),
    TEXTS,
    TEXTS,
)
def test_whatever_is_written_is_read_back_and_keeps_its_budget(
    neighbours: str | None,
    query: str | None,
    mechanism: str | None,
    budget: str | None,
    title: str | None,
    unit: str | None,
) -> None:
    answers = {"neighbours": neighbours, "query": query, "mechanism": mechanism, "budget": budget}
    begun(*(word for name, value in {**answers, "title": title, "unit": unit}.items() for word in option(name, value)))


@pytest.mark.parametrize("budget", sorted(REGISTRY[DIVERGENCES]))
def test_just_enough_noise_is_found_for_every_definition(budget: str) -> None:
    """Without one, the definition's own parameter to begin with; some noise keeps it."""
    values = beginning.usual_parameter(REGISTRY[DIVERGENCES][budget])
    written = " ".join([budget, *(f"{name}={value}" for name, value in values.items())])
    assert begun("--budget", written)


@pytest.mark.parametrize("neighbours", sorted(REGISTRY[NEIGHBOURS]))
@pytest.mark.parametrize("noise", [name for name, cls in REGISTRY[MECHANISMS].items() if cls.needs_query])
def test_noise_of_every_kind_that_has_one_number_is_found(noise: str, neighbours: str) -> None:
    written = begun("--neighbours", neighbours, "--mechanism", noise, "--query", "count attributes=age")
    open_ = {"report-noisy-max", "sparse-vector", "matrix", "tree"}  # they also have numbers that are no noise
    assert written == (noise not in open_)


def test_a_plan_without_enough_noise_is_never_written() -> None:
    assert begun("--mechanism", "laplace scale=2", "--budget", "pure epsilon=0.5")
    assert not begun("--mechanism", "laplace scale=1.9", "--budget", "pure epsilon=0.5")


def test_a_plan_that_costs_nothing_is_never_written(run: Run, tmp_path: Path) -> None:
    result = run("init", tmp_path / "plan.toml", "--mechanism", "no-op")
    assert "the release costs nothing" in result.stderr
    assert not begun("--query", "vector shift=0")


def test_a_plan_that_is_not_checked_would_be_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: noise is taken as it is given, whatever the budget."""
    monkeypatch.setattr(beginning, "limits_of", lambda whole: [])
    with pytest.raises(AssertionError):
        begun("--mechanism", "laplace scale=1.9", "--budget", "pure epsilon=0.5")


def test_the_next_command_is_said_and_works(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = run("init")
    assert result.stdout.splitlines()[0].startswith("KEPT: plan.toml keeps ")
    said = result.stdout.splitlines()[-1].removeprefix("Next: accountant ")
    assert run(*said.split()).exit_code == 0


def test_a_file_that_is_there_is_not_replaced_unless_asked(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "plan.toml"
    file.write_text("precious", encoding="utf-8")
    refused = run("init", file)
    assert (refused.exit_code, file.read_text(encoding="utf-8")) == (2, "precious")
    assert "--force" in refused.stderr
    assert run("init", file, "--force").exit_code == 0
    assert load_plan(file)


def test_json_says_what_was_written(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "plan.toml"
    data = json.loads(run("init", file, "--json").stdout)
    assert data == {"file": str(file), "plan": load_plan(file).as_data(), "next": f"accountant certify {file}"}


def test_all_faults_of_the_answers_are_said_at_once(run: Run, tmp_path: Path) -> None:
    result = run(
        "init", tmp_path / "p.toml", "--query", "sum lower=0", "--mechanism", "laplce", "--budget", "pur epsilon=1"
    )
    lines = result.stderr.splitlines()
    assert [any(word in line for line in lines) for word in ("'upper'", "'laplace'", "'pure'")] == [True] * 3
    assert not list(tmp_path.iterdir())


def test_a_name_that_ends_in_json_is_refused(run: Run, tmp_path: Path) -> None:
    assert "a plan with comments is TOML" in run("init", tmp_path / "plan.json").stderr


def on_a_terminal(folder: Path, *answers: str) -> tuple[str, int]:
    """What the program says to answers that are typed on a terminal, and its exit status."""
    control, terminal = pty.openpty()
    process = subprocess.Popen(
        [PROGRAM, "init", "typed.toml"], cwd=folder, stdin=terminal, stdout=terminal, stderr=terminal, close_fds=True
    )
    os.close(terminal)
    os.write(control, "".join(f"{answer}\n" for answer in answers).encode())
    said = b""
    while True:
        try:
            part = os.read(control, 4096)
        except OSError:  # nobody is left to write
            break
        if not part:
            break
        said += part
    os.close(control)
    return said.decode(), process.wait(timeout=60)


def test_questions_are_asked_on_a_terminal_and_again_after_a_wrong_answer(tmp_path: Path) -> None:
    said, status = on_a_terminal(
        tmp_path,
        "Buses",
        "passenger",
        "replace-won",
        "replace-one",
        "riders",
        "sum lower=0",
        "sum lower=0 upper=4 attributes=rides",
        "gaussian",
        "zcdp rho=0.1",
    )
    assert status == 0, said
    plan = load_plan(tmp_path / "typed.toml")
    assert "did you mean 'replace-one'?" in said
    assert "missing 'upper'" in said
    for offered in ("count, ", "gradient norm=, histogram, mean lower= upper=", "sum lower= upper=, ", "vector shift="):
        assert offered in said
    assert "approx epsilon= delta=" in said
    assert (plan.title, plan.specification.neighbours.unit, plan.releases[0].name) == ("Buses", "passenger", "riders")
    assert plan.releases[0].mechanism.kind == "gaussian"
    assert certify(plan).kept
