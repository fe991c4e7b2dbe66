"""A ledger from the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from accountant.cli import main

Run = Callable[..., Result]
COUNT = '{"name": "smokers", "query": {"kind": "count"}, "mechanism": {"kind": "gaussian", "sigma": "3"}}'


@pytest.fixture
def ledger(tmp_path: Path, run: Run) -> Path:
    """A new ledger with a rho of 0.1."""
    path = tmp_path / "survey.ledger"
    made = run("ledger", "open", path, "--neighbours", "add-remove", "--budget", "zcdp rho=0.1", "--title", "Survey")
    assert made.exit_code == 0, made.output
    return path


def test_three_commands_from_nothing_to_a_refused_overspend(ledger: Path, run: Run) -> None:
    assert run("ledger", "reserve", ledger, COUNT, "--commit").exit_code == 0
    refused = run("ledger", "reserve", ledger, COUNT, "--commit")
    assert refused.exit_code == 1
    assert "refused: 'smokers' would exceed the budget: zcdp rho: asked 0.0555556, left 0.0444444 of 0.1" in refused.output


def test_a_release_is_quoted_reserved_and_committed(ledger: Path, run: Run) -> None:
    assert "it fits" in run("ledger", "quote", ledger, COUNT).output
    assert run("ledger", "reserve", ledger, COUNT, "--key", "k").output == "1 reserved: smokers\n"
    again = run("ledger", "reserve", ledger, COUNT, "--key", "k")
    assert again.output == "1 reserved already; nothing was changed: smokers\n"
    assert run("ledger", "quote", ledger, COUNT).exit_code == 1
    assert "open: 1 smokers" in run("ledger", "status", ledger).output
    assert run("ledger", "commit", ledger, "1").output == "1 committed: smokers\n"
    history = run("ledger", "history", ledger).output.splitlines()
    assert [line.split(" ", 2)[2] for line in history] == ["opened Survey", "reserved smokers (key k)", "committed 1"]
    assert run("ledger", "verify", ledger).exit_code == 0


def test_what_is_cancelled_is_left_again(ledger: Path, run: Run) -> None:
    run("ledger", "reserve", ledger, COUNT)
    assert run("ledger", "what-if", ledger, COUNT).exit_code == 1
    assert run("ledger", "what-if", ledger, COUNT, "--cancel", "1").exit_code == 0
    assert run("ledger", "cancel", ledger, "1", "--reason", "it failed").exit_code == 0
    assert run("ledger", "quote", ledger, COUNT).exit_code == 0
    assert "cancelled 1 (it failed)" in run("ledger", "history", ledger).output


def test_the_key_of_a_cancelled_reservation_reserves_nothing(ledger: Path, run: Run) -> None:
    run("ledger", "reserve", ledger, COUNT, "--key", "k")
    run("ledger", "cancel", ledger, "1")
    for further in ((), ("--commit",)):
        refused = run("ledger", "reserve", ledger, COUNT, "--key", "k", *further)
        assert refused.exit_code == 1
        assert refused.output.startswith(
            "refused: reservation 1 was cancelled, so that nothing is set aside under the key 'k'"
        )
    as_json = run("ledger", "reserve", ledger, COUNT, "--key", "k", "--json")
    assert (as_json.exit_code, json.loads(as_json.stdout)["state"]) == (1, "cancelled")
    assert len(run("ledger", "history", ledger).output.splitlines()) == 3


def test_cancelling_twice_in_thought_gives_back_once(ledger: Path, run: Run) -> None:
    run("ledger", "reserve", ledger, COUNT)
    twice = {"release": [{**json.loads(COUNT), "name": name} for name in ("one", "two")]}
    for cancelled in (("--cancel", "1"), ("--cancel", "1", "--cancel", "1")):
        found = run("ledger", "what-if", ledger, json.dumps(twice), *cancelled, "--json")
        assert (found.exit_code, json.loads(found.stdout)["refused"]) == (1, ["two"])


def test_every_answer_is_also_json(ledger: Path, run: Run) -> None:
    def answer(*arguments: object) -> dict[str, object]:
        found = json.loads(run("ledger", *arguments, "--json").stdout)
        assert isinstance(found, dict)
        return found

    assert answer("quote", ledger, COUNT)["fits"] is True
    assert answer("reserve", ledger, COUNT) == {
        "number": 1,
        "state": "reserved",
        "releases": ["smokers"],
        "repeated": False,
    }
    refusal = answer("reserve", ledger, COUNT)
    assert refusal["fits"] is False
    assert refusal["budgets"] == [
        {
            "divergence": "zcdp",
            "name": "rho",
            "at": {},
            "limit": "0.1",
            "spent": "0",
            "reserved": "0.0555556",
            "asked": "0.0555556",
            "left": "0.0444444",
            "fits": False,
        }
    ]
    assert answer("commit", ledger, "1")["state"] == "committed"
    assert answer("status", ledger)["entries"] == 3
    assert answer("status", ledger, "--as", "approx", "--delta", "1e-6")["evidence"] == "filter in zcdp"
    assert answer("what-if", ledger, COUNT)["refused"] == ["smokers"]
    assert answer("verify", ledger) == {"verified": True, "faults": []}
    lines = run("ledger", "history", ledger, "--json").stdout.splitlines()
    assert [json.loads(line)["kind"] for line in lines] == ["opened", "reserved", "committed"]
    assert [
        json.loads(line)["number"]
        for line in run("ledger", "history", ledger, "--first", 1, "--last", 1, "--json").stdout.splitlines()
    ] == [1]


def test_an_exported_plan_is_certified_by_the_program(ledger: Path, tmp_path: Path, run: Run) -> None:
    run("ledger", "reserve", ledger, COUNT, "--commit")
    plan = tmp_path / "plan.json"
    assert run("ledger", "export", ledger, "--output", plan).exit_code == 0
    certified = run("certify", plan)
    assert certified.exit_code == 0
    assert "  kept  budget zcdp rho: at most " in certified.output
    assert json.loads(run("ledger", "export", ledger).stdout) == json.loads(plan.read_text())
    assert run("ledger", "export", ledger, "--output", tmp_path / "plan.toml").exit_code == 2


def test_releases_come_from_a_file_or_from_standard_input(ledger: Path, tmp_path: Path, run: Run) -> None:
    file = tmp_path / "release.toml"
    table = 'name = "drinkers"\nquery = { kind = "count" }\nmechanism = { kind = "gaussian", sigma = "10" }\n'
    file.write_text(f"[[release]]\n{table}")
    assert run("ledger", "reserve", ledger, file).exit_code == 0
    for given in (COUNT.replace("smokers", "others").replace('"3"', '"20"'), f"[[release]]\n{table}"):
        piped = CliRunner().invoke(main, ["ledger", "reserve", str(ledger), "-"], input=given)
        assert piped.exit_code == 0, piped.output


@pytest.mark.slow
def test_terms_in_a_file_may_bring_releases(tmp_path: Path, survey: Path, run: Run) -> None:
    path = tmp_path / "a.ledger"
    made = run("ledger", "open", path, "--from", survey)
    assert made.exit_code == 0, made.output
    assert "approx epsilon at delta 1e-6" in made.output
    assert len(run("ledger", "history", path).output.splitlines()) == 3
    other = tmp_path / "b.ledger"
    exceeded = run("ledger", "open", other, "--from", survey, "--budget", "zcdp rho=0.1")
    assert exceeded.exit_code == 1
    assert run("ledger", "status", other).exit_code == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["reserve", "{ledger}", '{"name": "x"}'], "missing; give a table with a kind"),
        (["reserve", "{ledger}", "nowhere.toml"], "cannot be read"),
        (["reserve", "{ledger}", '{"name": }'], "cannot be parsed"),
        (["commit", "{ledger}", "7"], "7 is no reservation of 'main'"),
        (["status", "nothing.ledger"], "there is no ledger in nothing.ledger; make one with 'accountant ledger open'"),
        (["status", "{ledger}", "--name", "other"], "holds no ledger 'other'; there are: 'main'"),
        (["status", "{ledger}", "--delta", "1e-6"], "give --as"),
        (["status", "{ledger}", "--as", "pure"], "imply no bound on epsilon of 'pure'"),
        (["status", "{ledger}", "--as", "approx"], "it cannot be read with no reading word"),
        (["open", "{ledger}", "--neighbours", "add-remove", "--budget", "zcdp rho=1"], "holds a ledger 'main' already"),
        (["open", "new.ledger", "--budget", "zcdp rho"], "expected a definition and 'name=value' pairs"),
        (["open", "new.ledger"], "a ledger needs at least one budget"),
        (["export", "{ledger}"], "nothing is committed yet"),
    ],
)
def test_bad_input_is_one_clear_error(ledger: Path, run: Run, arguments: list[str], message: str) -> None:
    refused = run(
        "ledger",
        *[argument.replace("{ledger}", str(ledger)) if argument == "{ledger}" else argument for argument in arguments],
    )
    assert refused.exit_code == 2
    assert message in refused.output
    assert "Traceback" not in refused.output


def test_a_tampered_ledger_is_refused(ledger: Path, run: Run) -> None:
    import sqlite3
    from contextlib import closing

    run("ledger", "reserve", ledger, COUNT, "--commit")
    with closing(sqlite3.connect(ledger)) as connection, connection:
        connection.execute("DROP TRIGGER entry_is_not_changed")
        connection.execute("UPDATE entry SET moment = 'earlier' WHERE number = 2")
    refused = run("ledger", "verify", ledger)
    assert refused.exit_code == 1
    assert refused.output.startswith("refused: ")
    assert "the trigger entry_is_not_changed is missing" in refused.output
    assert "it was changed @ entry[2]" in refused.output
    assert json.loads(run("ledger", "verify", ledger, "--json").stdout)["verified"] is False
    assert run("ledger", "verify", ledger, "--head", "0" * 64).exit_code == 1


@pytest.mark.parametrize(
    "command", ["open", "quote", "reserve", "commit", "cancel", "status", "history", "what-if", "verify", "export"]
)
def test_every_command_has_help_with_an_example(command: str, run: Run) -> None:
    shown = run("ledger", command, "--help")
    assert shown.exit_code == 0
    assert f"accountant ledger {command} " in shown.output
