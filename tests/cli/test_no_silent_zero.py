"""What costs nothing, is not known or may be misspelt is said first, and so is the reason of every exit status."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

Run = Callable[..., Result]

TYPO = """
title = "typo"
[specification]
neighbours = "replace-one"
attributes = ["age", "sex", "diabetes"]
[[budget]]
divergence = "pure"
epsilon = "1"
[[release]]
name = "diabetes"
query = { kind = "count", attributes = ["diabtes"] }
mechanism = { kind = "laplace", scale = "1" }
[[release]]
name = "age"
query = { kind = "histogram", attributes = ["age"] }
mechanism = { kind = "laplace", scale = "4" }
"""
UNPROTECTED = TYPO.replace("diabtes", "region")
RISK = """
title = "x"
[specification]
neighbours = "replace-one"
invariants = ["number of respondents"]
[risk]
kind = "difference"
at_most = "0.3"
adversary = "strong"
neighbours = "replace-one"
failure = "0.01"
[[budget]]
divergence = "zcdp"
rho = "1"
[[release]]
name = "a"
query = { kind = "histogram", attributes = ["age"] }
mechanism = { kind = "gaussian", sigma = "8" }
"""


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str], Path]:
    def write_plan(content: str) -> Path:
        path = tmp_path / "plan.toml"
        path.write_text(content, encoding="utf-8")
        return path

    return write_plan


def test_a_misspelt_attribute_is_refused_before_it_costs_nothing(run: Run, write: Callable[[str], Path]) -> None:
    path = write(TYPO)
    result = run("certify", path)
    assert result.exit_code == 2
    assert "did you mean 'diabetes'?" in result.stderr
    assert not path.with_suffix(".certificate.json").exists()
    corrected = run("certify", write(TYPO.replace("diabtes", "diabetes")))
    assert (corrected.exit_code, corrected.stderr) == (1, "")


def test_a_release_that_costs_nothing_says_why_before_the_table(run: Run, write: Callable[[str], Path]) -> None:
    result = run("certify", write(UNPROTECTED))
    assert result.exit_code == 0
    shown = " ".join(result.stdout.split())
    reason = "'diabetes' costs nothing: it reads only 'region', which the promise does not protect"
    assert 0 < shown.index(reason) < shown.index("What the releases cost")
    warning = "the promise does not protect what releases tell of 'region' (in 'diabetes')"
    assert 0 < shown.index(warning) < shown.index("What the releases cost")


def test_a_plan_that_spends_nothing_is_not_said_to_keep_its_budget(run: Run, write: Callable[[str], Path]) -> None:
    nothing = UNPROTECTED.replace('attributes = ["age"]', 'attributes = ["region"]')
    shown = " ".join(run("certify", write(nothing)).stdout.split())
    assert "WARNING: no release costs anything" in shown
    assert "each of 'diabetes' and 'age' costs nothing" in shown
    assert shown.startswith("NOTHING IS SPENT: typo nothing is spent budget pure epsilon: at most 0 of 1 ")
    assert "kept" not in shown.lower()


@pytest.mark.parametrize(
    "command",
    [
        ("measure", "--as", "pure"),
        ("explain", "--as", "pure"),
        ("calibrate",),
        ("report", "--audience", "summary", "--format", "text"),
        ("scenario", "--as", "pure", "--about", "age"),
    ],
)
def test_every_command_that_reads_a_plan_warns_on_standard_error(
    run: Run, write: Callable[[str], Path], command: tuple[str, ...]
) -> None:
    name, *options = command
    result = run(name, write(UNPROTECTED), *options)
    assert result.exit_code == 0
    (line,) = result.stderr.splitlines()
    assert line.startswith("warning: the promise does not protect what releases tell of 'region' (in 'diabetes')")


@pytest.mark.parametrize(
    ("command", "places"),
    [
        (("certify",), ["specification.attributes", "release[0]"]),
        (("measure", "--as", "pure"), ["specification.attributes"]),
    ],
)
def test_warnings_are_json_where_answers_are(
    run: Run, write: Callable[[str], Path], command: tuple[str, ...], places: list[str]
) -> None:
    name, *options = command
    result = run(name, write(UNPROTECTED), *options, "--json")
    assert json.loads(result.stdout)
    warnings = json.loads(result.stderr)["warning"]
    assert [warning["place"] for warning in warnings] == places
    if name == "certify":
        assert warnings[1]["message"] == "costs nothing: it reads only 'region', which the promise does not protect"
        assert warnings[1]["name"] == "diabetes"


def test_numbers_that_are_zero_are_not_said_to_tell_nothing(run: Run, write: Callable[[str], Path]) -> None:
    little = TYPO.partition("[[release]]")[0].replace('"pure"\nepsilon = "1"', '"approx"\nepsilon = "1"\ndelta = "1/2"')
    release = '[[release]]\nname = "a"\nquery = { kind = "count", attributes = ["age"] }\n'
    shown = run("certify", write(little + release + 'mechanism = { kind = "laplace", scale = "100" }\n')).stdout
    assert "'a' reads 0 in every budget, by the parameters of its mechanism" in shown
    assert "nothing is spent" not in shown
    assert "  kept  budget approx epsilon at delta 0.5: at most 0 of 1\n" in shown


def test_declared_attributes_end_the_warning_but_not_the_reason(run: Run, write: Callable[[str], Path]) -> None:
    declared = 'domain = { attributes = ["age", "sex", "diabetes", "region"] }\n[[budget]]'
    path = write(UNPROTECTED.replace("[[budget]]", declared))
    assert run("measure", path, "--as", "pure").stderr == ""
    assert "costs nothing: it reads only 'region'" in run("certify", path).stdout


def begins(result: Result, words: str) -> bool:
    """Whether the first thing that is printed is this, wherever lines end."""
    return " ".join(result.stdout.split()).startswith(words)


def test_the_first_lines_say_why_the_exit_status_is_not_zero(run: Run, write: Callable[[str], Path]) -> None:
    exceeded = run("certify", write(TYPO.replace("diabtes", "diabetes")))
    assert exceeded.exit_code == 1
    why = "exit status 1: the budget pure epsilon is exceeded: it is at least 1.5, above 1"
    assert begins(exceeded, f"NOT KEPT: typo {why} EXCEEDED budget pure epsilon: at least 1.5, above 1")
    unknown = run("certify", write(RISK))
    assert unknown.exit_code == 1
    assert begins(unknown, "UNKNOWN: x exit status 1: the risk 'difference' is unknown: ")
    assert "'number of respondents', published exactly" in " ".join(unknown.stdout.split()).partition(" kept ")[0]


def test_a_budget_between_no_two_datasets_is_named_in_the_first_lines(run: Run, write: Callable[[str], Path]) -> None:
    result = run("certify", write(TYPO.replace('attributes = ["age", "sex", "diabetes"]', "attributes = []")))
    assert result.exit_code == 1
    shown = " ".join(result.stdout.split())
    assert "each of 'diabetes' and 'age' costs nothing: the specification lets no attribute differ" in shown
    why = "the budget pure epsilon is vacuous: no two datasets are compared, so that nothing is promised"
    assert begins(result, f"VACUOUS: typo exit status 1: {why}")


def test_an_invariant_known_by_name_only_is_in_the_verdict(run: Run, write: Callable[[str], Path]) -> None:
    shown = " ".join(run("certify", write(RISK)).stdout.split())
    assert "Not known: how 'number of respondents' may change with one person" in shown
    told = 'invariants = [{ name = "number of respondents", counts_by = [] }]'
    assert "Not known" not in run("certify", write(RISK.replace('invariants = ["number of respondents"]', told))).stdout


def test_verifying_prints_every_verdict_with_its_reason(run: Run, write: Callable[[str], Path]) -> None:
    path = write(RISK)
    run("certify", path)
    certificate = path.with_suffix(".certificate.json")
    result = run("verify", certificate, path)
    assert result.exit_code == 0
    shown = " ".join(result.stdout.split())
    assert begins(result, "verified: the certificate follows from the plan, digit by digit; it says UNKNOWN")
    assert "kept budget zcdp rho: at most 0.015625 of 1 UNKNOWN risk 'difference'" in shown
    assert "the risk 'difference' is unknown: Against the strong adversary" in shown
    assert "not everything is kept" in shown
    data = json.loads(run("verify", certificate, path, "--json").stdout)
    assert data["verdicts"] == ["implied", "unknown"]
    assert [item["verdict"] for item in data["decisions"]] == data["verdicts"]
    assert [item["why"] is None for item in data["decisions"]] == [True, False]


def test_verifying_speaks_of_budgets_relative_to_public_information(run: Run, write: Callable[[str], Path]) -> None:
    path = write(
        """
        [specification]
        neighbours = "replace-one"
        [[release]]
        name = "a"
        query = { kind = "count", attributes = ["age"] }
        mechanism = { kind = "laplace", scale = "1" }
        [[public]]
        kind = "independent"
        name = "register"
        [[public.budget]]
        divergence = "pure"
        epsilon = "1/2"
        """
    )
    result = run("certify", path)
    assert result.exit_code == 1
    why = "the budget pure epsilon relative to 'register' is unknown: it is known to be at most 1, and whether at most 0.5"
    assert begins(result, f"UNKNOWN: Untitled plan exit status 1: {why}")
    assert why in " ".join(run("verify", path.with_suffix(".certificate.json"), path).stdout.split())


def test_a_ledger_says_that_what_a_request_reads_is_not_protected(run: Run, write: Callable[[str], Path]) -> None:
    terms = write(TYPO.partition("[[release]]")[0])
    ledger = terms.with_name("survey.ledger")
    assert run("ledger", "open", ledger, "--from", terms).exit_code == 0
    asked = {
        "name": "diabetes",
        "query": {"kind": "count", "attributes": ["diabtes"]},
        "mechanism": {"kind": "laplace", "scale": "1"},
    }
    result = run("ledger", "reserve", ledger, json.dumps(asked), "--commit")
    assert result.exit_code == 0
    assert result.stderr.startswith("warning: ")
    assert "did you mean 'diabetes'?" in result.stderr
    again = run("ledger", "status", ledger)
    assert (again.exit_code, again.stderr) == (0, "")
    assert run("ledger", "verify", ledger).exit_code == 0
