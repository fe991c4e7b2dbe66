"""A plan is a file, standard input or JSON itself, wherever a command takes one."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from accountant.cli import main

pytestmark = pytest.mark.slow

Run = Callable[..., Result]

RISK = {"kind": "difference", "at_most": "0.3", "adversary": "strong", "neighbours": "replace-one"}
COMMANDS = {
    "certify": ("certify", "PLAN"),
    "verify": ("verify", "CERTIFICATE", "PLAN"),
    "measure": ("measure", "PLAN", "--as", "approx", "--delta", "1e-6"),
    "explain": ("explain", "PLAN", "--as", "zcdp"),
    "scenario": ("scenario", "PLAN", "--as", "zcdp", "--about", "smoking"),
    "calibrate": ("calibrate", "PLAN"),
    "reallocate": ("reallocate", "PLAN", "--without", "vendor dashboard"),
    "audit": ("audit", "PLAN", "--samples", "1000"),
    "report": ("report", "PLAN", "--audience", "summary", "--format", "text", "--output", "-"),
    "compare": ("compare", "TITLED", "FILE"),
    "recommend": ("recommend", "RISKY"),
    "ledger open": ("ledger", "open", "LEDGER", "--from", "TERMS"),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_plan_on_standard_input_or_in_the_argument_is_answered_as_one_in_a_file(
    run: Run, survey: Path, certificate: Path, name: str
) -> None:
    plan = tomllib.loads(survey.read_text(encoding="utf-8"))
    written = {
        "PLAN": plan,
        "RISKY": {**plan, "risk": RISK},
        "TERMS": {**plan, "release": []},
        "TITLED": {**plan, "title": "B"},
    }
    answers = []
    for way in ("file", "inline", "stdin"):
        given, words = None, []
        for word in COMMANDS[name]:
            if word in written:
                content = json.dumps(written[word])
                file = survey.with_name("given.json")
                file.write_text(content, encoding="utf-8")
                given = content if way == "stdin" else None
                words.append({"file": str(file), "inline": content, "stdin": "-"}[way])
            else:
                paths = {"CERTIFICATE": certificate, "FILE": survey, "LEDGER": survey.with_name(f"{way}.ledger")}
                words.append(str(paths.get(word, word)))
        result = CliRunner().invoke(main, words, input=given)
        assert result.exit_code == 0, result.output
        answers.append([line for line in result.stdout.splitlines() if not line.startswith(("Certificate:", "Ledger:"))])
    shown = [" ".join(" ".join(lines).split()) for lines in answers]
    for label in ("the argument", "standard input"):
        shown = [text.replace(label, str(survey.with_name("given.json"))) for text in shown]
    assert shown[0] == shown[1] == shown[2]


def test_toml_is_read_from_standard_input_and_its_faults_have_lines(survey: Path) -> None:
    content = survey.read_text(encoding="utf-8")
    measured = CliRunner().invoke(main, ["measure", "-", "--as", "zcdp"], input=content)
    assert measured.exit_code == 0
    faulty = CliRunner().invoke(main, ["measure", "-", "--as", "zcdp"], input=content.replace('"8"', '"-8"'))
    assert faulty.exit_code == 2
    assert "standard input" in faulty.stderr
    line = 1 + content.splitlines().index('mechanism = { kind = "gaussian", sigma = "8" }')
    assert str(line) in faulty.stderr


def test_nothing_is_written_beside_a_plan_that_lies_nowhere(survey: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(survey.parent)
    content = survey.read_text(encoding="utf-8")
    result = CliRunner().invoke(main, ["certify", "-"], input=content)
    assert result.exit_code == 0
    assert result.stdout.splitlines()[-1] == "Certificate: not written; --output says where"
    told = CliRunner().invoke(main, ["report", "-"], input=content)
    assert told.exit_code == 2
    assert "say where to write with --output" in told.stderr
    assert [path.name for path in survey.parent.iterdir()] == ["plan.toml"]
    assert CliRunner().invoke(main, ["certify", "-", "--output", "c.json"], input=content).exit_code == 0
    assert CliRunner().invoke(main, ["verify", "c.json", "-"], input=content).exit_code == 0


def test_text_that_is_no_plan_is_refused_with_where_it_came_from(run: Run) -> None:
    for words, given, place in (
        (("certify", "{not json"), None, "the argument"),
        (("certify", "-"), "{", "standard input"),
        (("certify", "-"), b"\xff\xfet\x00", "standard input"),
        (("compare", "-", "-"), "{}", "compare"),
    ):
        result = CliRunner().invoke(main, list(words), input=given)
        assert (result.exit_code, result.stdout) == (2, "")
        assert place in result.stderr
