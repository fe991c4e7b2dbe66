"""`accountant bridge`: the cost first, then what the history does not say; the plan that is written keeps its budget."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from accountant import account, certify, load_plan, read_history
from accountant.analysis.spent import spending
from accountant.cli import main

Run = Callable[..., Result]
STATE = {"history": [[1.1, 0.01, 600], [1.5, 0.02, 200]], "mechanism": "rdp"}
NOTHING = {"module_name": "dp_accounting.dp_event", "class_name": "NonPrivateDpEvent"}


@pytest.fixture
def history(tmp_path: Path) -> Path:
    path = tmp_path / "run.json"
    path.write_text(json.dumps(STATE), encoding="utf-8")
    return path


def test_the_cost_comes_first_and_the_plan_is_kept(run: Run, history: Path) -> None:
    result = run("bridge", "opacus", history, "--delta", "1e-5")
    assert result.exit_code == 0
    plan = load_plan(history.with_suffix(".toml"))
    cost = account(plan).epsilon(delta="1e-5")
    assert result.stdout.startswith(f"epsilon = {cost.shown(6)} at delta = 1e-5\n")
    assert certify(plan).kept
    assert plan.title == "run"
    assert plan.releases == read_history("opacus", STATE).plan.releases
    assert result.stdout.count("  not said: ") == 4
    assert result.stdout.endswith(f"Next: accountant certify {history.with_suffix('.toml')}\n")


def test_the_file_says_what_the_history_does_not(run: Run, history: Path) -> None:
    run("bridge", "opacus", history)
    text = history.with_suffix(".toml").read_text(encoding="utf-8")
    assert text.startswith("# What the history does not say:\n# Between which datasets: 'add-remove' ones are taken")


def test_what_is_given_is_in_the_plan(run: Run, history: Path, tmp_path: Path) -> None:
    given = ("--neighbours", "replace-one", "--unit", "patient", "--title", "Training", "-o", tmp_path / "plan.toml")
    assert run("bridge", "opacus", history, *given).exit_code == 0
    plan = load_plan(tmp_path / "plan.toml")
    assert (plan.title, plan.specification.neighbours.unit) == ("Training", "patient")
    assert plan.specification.neighbours.relation.name == "replace-one"
    assert not history.with_suffix(".toml").exists()


def test_nothing_is_replaced_unless_that_is_asked_for(run: Run, history: Path) -> None:
    target = history.with_suffix(".toml")
    target.write_text("mine", encoding="utf-8")
    refused = run("bridge", "opacus", history)
    assert (refused.exit_code, refused.stdout, target.read_text("utf-8")) == (2, "", "mine")
    assert "it is there already" in refused.stderr
    assert run("bridge", "opacus", history, "--force").exit_code == 0
    assert run("bridge", "opacus", history, "-o", history, "--force").exit_code == 2
    assert json.loads(history.read_text("utf-8")) == STATE


def test_standard_input_is_read_and_nothing_is_written_of_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(main, ["bridge", "opacus", "-"], input=json.dumps(STATE["history"]))
    assert result.exit_code == 0
    assert "Plan: not written; --output says where" in result.stdout
    assert not list(tmp_path.iterdir())


def test_what_promises_nothing_has_no_budget_and_says_so_second(run: Run, tmp_path: Path) -> None:
    target = tmp_path / "plan.toml"
    result = run("bridge", "dp-accounting", json.dumps(NOTHING), "--neighbours", "add-remove", "-o", target)
    assert result.exit_code == 1
    assert result.stdout.splitlines()[0] == "epsilon = inf at delta = 1e-6"
    assert result.stdout.splitlines()[1].startswith("exit status 1: nothing bounds what the history cost")
    assert not load_plan(target).specification.budgets


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("opaque", "RUN"), "unknown bridge 'opaque'; did you mean 'opacus'?"),
        (("opacus", "missing.json"), "cannot be read"),
        (("dp-accounting", "RUN"), "expected an event with module_name and class_name"),
        (("opacus", "RUN", "--neighbours", "add-remov"), "did you mean 'add-remove'"),
        (("opacus", "RUN", "--delta", "0,1"), "0,1"),
        (("opacus", "RUN", "--delta", "2"), "between 0 and 1"),
        (("opacus", "RUN", "-o", "plan.json"), "ends in .toml"),
        (("opacus", "{"), "cannot be parsed as JSON"),
    ],
)
def test_bad_input_is_refused_in_words(run: Run, history: Path, words: tuple[str, ...], why: str) -> None:
    result = run("bridge", *(str(history) if word == "RUN" else word for word in words))
    assert (result.exit_code, result.stdout) == (2, "")
    assert why in result.stderr
    assert [path.name for path in history.parent.iterdir()] == ["run.json"]


def test_what_was_spent_is_a_budget_of_few_figures_that_is_kept() -> None:
    plan, cost = spending(read_history("opacus", STATE).plan, {"delta": "1e-7"})
    (budget,) = plan.specification.budgets
    assert budget.at == cost.at
    assert cost.value.upper <= float(budget.parameter.epsilon) <= cost.value.upper * (1 + 1e-5)
