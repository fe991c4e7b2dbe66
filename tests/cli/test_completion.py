"""What a shell is offered when somebody presses Tab, asked as shells ask."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.shell_completion import CompletionItem, ShellComplete

from accountant import default_registry
from accountant.cli import main
from accountant.plugin import DIVERGENCES, NEIGHBOURS, RENDERERS, REPORTS, RISK_PROFILES

PROGRAM = str(Path(sys.executable).with_name("accountant"))


def asked(*words: str) -> list[CompletionItem]:
    """What completes the last word after the others."""
    *before, incomplete = words
    return ShellComplete(main, {}, "accountant", "_ACCOUNTANT_COMPLETE").get_completions(before, incomplete)


def values(*words: str) -> list[str]:
    return [item.value for item in asked(*words)]


REGISTERED = {
    ("measure", "PLAN", "--as"): DIVERGENCES,
    ("explain", "PLAN", "--as"): DIVERGENCES,
    ("scenario", "PLAN", "--as"): DIVERGENCES,
    ("compare", "--has"): DIVERGENCES,
    ("compare", "--implies"): DIVERGENCES,
    ("report", "PLAN", "--audience"): REPORTS,
    ("report", "PLAN", "-f"): RENDERERS,
    ("report", "PLAN", "--format"): RENDERERS,
    ("ledger", "status", "l", "--as"): DIVERGENCES,
    ("ledger", "open", "l", "--budget"): DIVERGENCES,
    ("ledger", "open", "l", "--neighbours"): NEIGHBOURS,
}


@pytest.mark.parametrize("words", REGISTERED, ids=" ".join)
def test_names_of_what_is_registered_are_offered_and_no_others(survey: Path, words: tuple[str, ...]) -> None:
    called = [str(survey) if word == "PLAN" else word for word in words]
    known = sorted(default_registry()[REGISTERED[words]])
    assert values(*called, "") == known
    first = known[0][0]
    assert values(*called, first) == [name for name in known if name.startswith(first)]
    assert values(*called, "nothing is called so") == []


def test_what_is_offered_says_what_it_means(survey: Path) -> None:
    told = {item.value: item.help for item in asked("measure", str(survey), "--as", "")}
    assert told["approx"] == "approximate differential privacy"
    assert all(told.values())


def test_names_in_the_plan_are_offered(survey: Path) -> None:
    for command in ("audit", "calibrate"):
        assert values(command, str(survey), "--release", "") == ["age by sex", "smokers", "vendor dashboard"]
        assert values(command, str(survey), "--release", "s") == ["smokers"]
    assert values("scenario", str(survey), "--as", "zcdp", "--about", "") == ["age", "sex", "smoking"]


@pytest.mark.parametrize("content", ["", "[[release", "release = 5", "release = [1, {}]", '[[release]]\nmechanism = "x"'])
def test_a_plan_with_faults_offers_nothing_that_fails(survey: Path, content: str) -> None:
    survey.write_text(content, encoding="utf-8")
    assert isinstance(values("audit", str(survey), "--release", ""), list)
    assert values("scenario", str(survey), "--about", "") == []
    survey.unlink()
    assert values("audit", str(survey), "--release", "") == []
    assert values("audit", "-", "--release", "") == []


@pytest.mark.parametrize(
    "words",
    [
        ("certify",),
        ("verify",),
        ("verify", "c.json"),
        ("measure",),
        ("compare",),
        ("compare", "a.toml"),
        ("report",),
        ("certify", "p.toml", "--output"),
        ("ledger", "status"),
        ("ledger", "quote", "l"),
        ("ledger", "open", "l", "--from"),
        ("recommend",),
    ],
    ids=" ".join,
)
def test_files_are_offered_where_files_are_taken(words: tuple[str, ...]) -> None:
    assert "file" in {item.type for item in asked(*words, "")}


def test_kinds_of_risk_are_offered_beside_files() -> None:
    assert set(values("recommend", "")) == {"", *default_registry()[RISK_PROFILES]}
    assert "difference" in values("recommend", "d")


def test_usual_numbers_are_offered_and_are_accepted(survey: Path) -> None:
    assert "1e-6" in values("measure", str(survey), "--as", "approx", "--delta", "")
    assert values("measure", str(survey), "--as", "fdp", "--level", "0.0") == ["0.01", "0.05"]
    for words in (
        ("measure", "--precision"),
        ("calibrate", "--tolerance"),
        ("audit", "--confidence"),
        ("audit", "--delta"),
    ):
        found = values(words[0], str(survey), words[1], "")
        assert found
        assert all(0 < float(value) < 1 for value in found)


def test_plugins_are_offered() -> None:
    assert values("plugins", "--disable", "") == list(default_registry().plugins)


def test_every_option_that_takes_a_name_offers_some(survey: Path) -> None:
    """Names are what nobody knows by heart; a name that the user makes up is offered nothing."""
    made_up = {("ledger", "name")}
    for name in main.list_commands(click.Context(main)):
        command = main.get_command(click.Context(main), name)
        assert command is not None
        for option in command.get_params(click.Context(command)):
            if option.metavar == "NAME" and (name, option.name) not in made_up:
                assert values(name, str(survey), option.opts[0], ""), f"{name} {option.opts[0]}"


def test_a_shell_that_asks_is_answered() -> None:
    environment = {**os.environ, "_ACCOUNTANT_COMPLETE": "bash_complete", "COMP_CWORD": "3"}
    words = "accountant ledger open --neighbours"
    for given, expected in (("accountant report --form", "plain,--format"), (words + " a", "plain,add-remove")):
        called = {**environment, "COMP_WORDS": given, "COMP_CWORD": str(given.count(" "))}
        result = subprocess.run([PROGRAM], env=called, capture_output=True, text=True, timeout=60)
        assert (result.returncode, result.stderr) == (0, "")
        assert expected in result.stdout.splitlines()
    sourced = subprocess.run(
        [PROGRAM], env={**os.environ, "_ACCOUNTANT_COMPLETE": "zsh_source"}, capture_output=True, text=True, timeout=60
    )
    assert "compdef _accountant_completion accountant" in sourced.stdout
