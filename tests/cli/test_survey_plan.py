"""The plan of the documentation, word for word: certified, verified, measured and explained."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

import accountant

Run = Callable[..., Result]

VERBATIM = """\
title = "County health survey, first wave"

[specification]
unit = "person"
neighbours = "replace-one"            # or "add-remove"
invariants = [{ name = "number of respondents", counts_by = [] }]

[[budget]]
divergence = "approx"
epsilon = "4"
delta = "1e-6"

[[release]]
name = "age by sex"
query = { kind = "histogram", attributes = ["age", "sex"] }
mechanism = { kind = "gaussian", sigma = "8" }
times = 3

[[release]]
name = "smokers"
query = { kind = "count", attributes = ["smoking"] }
mechanism = { kind = "laplace", scale = "2" }

[[release]]
name = "vendor dashboard"
mechanism = { kind = "claim", divergence = "zcdp", rho = "0.05" }
"""


def change(certificate: Path, edit: Callable[[Any], None]) -> None:
    data = json.loads(certificate.read_text(encoding="utf-8"))
    edit(data)
    certificate.write_text(json.dumps(data), encoding="utf-8")


def test_the_example_is_the_documented_plan(survey: Path) -> None:
    assert survey.read_text(encoding="utf-8").rstrip() == VERBATIM.rstrip()


def test_certifying_prints_every_release_the_total_and_the_verdict(run: Run, survey: Path) -> None:
    result = run("certify", survey)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.startswith(
        "KEPT: County health survey, first wave\n  kept  budget approx epsilon at delta 1e-6: at most 2.51374 of 4\n"
    )
    for expected in ("age by sex", "smokers", "vendor dashboard", "all together"):
        assert expected in result.stdout


def test_the_certificate_is_canonical_and_carries_what_was_promised(survey: Path, certificate: Path) -> None:
    content = certificate.read_text(encoding="utf-8")
    data = json.loads(content)
    assert content == json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False) + "\n"
    assert data["plan_digest"] == accountant.load_plan(survey).digest
    assert data["specification"]["invariants"] == [{"name": "number of respondents", "counts_by": []}]
    assert [budget["verdict"] for budget in data["budgets"]] == ["implied"]
    assert {plugin["name"] for plugin in data["plugins"]} >= {"builtin", "approx", "noise", "zcdp"}
    assert all(step["theorem"]["key"] for step in data["budgets"][0]["guarantee"]["derivation"])


def test_json_prints_the_certificate_that_is_written(run: Run, survey: Path) -> None:
    result = run("certify", survey, "--json", "--output", survey.with_name("other.json"))
    assert result.stdout == survey.with_name("other.json").read_text(encoding="utf-8")
    assert not survey.with_name("plan.certificate.json").exists()


def test_a_certificate_verifies_against_its_plan(run: Run, survey: Path, certificate: Path) -> None:
    result = run("verify", certificate, survey)
    assert result.exit_code == 0
    assert result.stdout.startswith("verified")
    assert "  kept  budget approx epsilon at delta 1e-6: at most 2.51374 of 4\n" in result.stdout


def test_comments_and_the_spelling_of_numbers_do_not_matter(run: Run, survey: Path, certificate: Path) -> None:
    survey.write_text(VERBATIM.replace('"8"', "8.0").replace("# or", "# not"), encoding="utf-8")
    assert run("verify", certificate, survey).exit_code == 0


def test_a_changed_digit_is_refused_with_its_place(run: Run, survey: Path, certificate: Path) -> None:
    def lower_a_digit(data: Any) -> None:
        value = data["budgets"][0]["guarantee"]["value"]
        value["upper"] = value["upper"][:-1] + str((int(value["upper"][-1]) - 1) % 10)

    change(certificate, lower_a_digit)
    result = run("verify", certificate, survey)
    assert result.exit_code == 1
    assert result.stdout.startswith("refused: 1 difference\n")
    assert "@ certificate.budgets[0].guarantee.value.upper" in result.stdout


def test_a_changed_plan_is_refused(run: Run, survey: Path, certificate: Path) -> None:
    survey.write_text(VERBATIM.replace("times = 3", "times = 4"), encoding="utf-8")
    result = run("verify", certificate, survey, "--json")
    data = json.loads(result.stdout)
    assert (result.exit_code, data["verified"]) == (1, False)
    assert {"certificate.plan_digest", "certificate.releases[0].times"} <= {item["place"] for item in data["differences"]}


def test_a_removed_plugin_entry_is_refused(run: Run, survey: Path, certificate: Path) -> None:
    change(certificate, lambda data: data["plugins"].pop())
    result = run("verify", certificate, survey)
    assert result.exit_code == 1
    assert "@ certificate.plugins\n" in result.stdout


def test_a_missing_plugin_is_named_before_anything_else(run: Run, survey: Path, certificate: Path) -> None:
    result = run("verify", certificate, survey, "--disable", "noise")
    assert result.exit_code == 1
    assert "the plugin 'noise' is not installed or not allowed here @ certificate.plugins[" in result.stdout


def test_another_version_of_a_plugin_is_refused(run: Run, survey: Path, certificate: Path) -> None:
    change(certificate, lambda data: data["plugins"][0].update(digest="sha256:00"))
    result = run("verify", certificate, survey)
    assert result.exit_code == 1
    assert "not sha256:00 @ certificate.plugins[0].digest" in result.stdout


@pytest.mark.parametrize("content", ["", "{", "[]", '{"format": "other"}', '{"a": 1, "a": 1}', "[" * 100_000, "1" * 10_000])
def test_an_unreadable_certificate_is_bad_input(run: Run, survey: Path, content: str) -> None:
    certificate = survey.with_name("certificate.json")
    certificate.write_text(content, encoding="utf-8")
    result = run("verify", certificate, survey)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("error: ")


def test_a_certificate_with_other_contents_is_refused_in_every_place(run: Run, survey: Path) -> None:
    certificate = survey.with_name("certificate.json")
    certificate.write_text('{"format": "accountant-certificate/2", "budgets": 5, "extra": NaN}', encoding="utf-8")
    result = run("verify", certificate, survey)
    assert result.exit_code == 1
    for place in ("budgets", "extra", "plugins", "releases"):
        assert f"@ certificate.{place}\n" in result.stdout


def test_measuring_gives_the_documented_json(run: Run, survey: Path) -> None:
    data = json.loads(run("measure", survey, "--as", "approx", "--delta", "1e-6", "--json").stdout)
    assert list(data) == ["divergence", "at", "value", "between", "meaning", "conditions", "derivation", "remark"]
    assert "says no more" in data["remark"]
    assert (data["divergence"], data["at"]) == ("approx", {"delta": "1e-6"})
    assert list(data["value"]) == ["name", "lower", "upper"]
    assert data["value"]["name"] == "epsilon"
    lower, upper = (Fraction(data["value"][end]) for end in ("lower", "upper"))
    assert 2 < lower <= upper < Fraction("2.6")
    found = accountant.account(accountant.load_plan(survey)).measure("approx", delta="1e-6").value
    assert Fraction(found.upper) <= upper < Fraction(found.upper) + Fraction(1, 10**8)
    assert Fraction(found.lower) - Fraction(1, 10**8) < lower <= Fraction(found.lower)


def test_measuring_in_words_rounds_outward_and_says_how_it_reads(run: Run, survey: Path) -> None:
    result = run("measure", survey, "--as", "approx", "--epsilon", "4")
    assert result.exit_code == 0
    assert result.stdout.startswith("delta = ")
    assert "no event is more than e^epsilon times as likely" in " ".join(result.stdout.split())


def test_an_infinite_value_is_the_word_inf(run: Run, survey: Path) -> None:
    data = json.loads(run("measure", survey, "--as", "pure", "--json").stdout)
    assert data["value"] == {"name": "epsilon", "lower": "inf", "upper": "inf"}


def test_explaining_shows_steps_theorems_and_what_is_only_claimed(run: Run, survey: Path) -> None:
    result = run("explain", survey, "--as", "approx", "--delta", "1e-6")
    assert result.exit_code == 0
    for expected in (
        "'age by sex' has the loss of gaussian(sigma = 8), 3 times",
        "by gaussian-privacy-loss (balle2018gaussian, Lemma 3), published",
        "CLAIMED by claimed-parameter",
        "claimed, not proved",
    ):
        assert expected in result.stdout
    assert "\x1b" not in result.stdout


def test_the_explanation_in_json_is_the_derivation(run: Run, survey: Path) -> None:
    told = json.loads(run("explain", survey, "--as", "zcdp", "--json").stdout)
    assert list(told) == ["divergence", "at", "value", "between", "derivation"]
    steps = told["derivation"]
    assert [step["step"] for step in steps] == list(range(1, len(steps) + 1))
    assert all(use < step["step"] for step in steps for use in step["uses"])


@pytest.mark.parametrize(
    ("edit", "verdict"),
    [
        (('epsilon = "4"', 'epsilon = "1"'), "EXCEEDED"),
        (('unit = "person"', 'unit = "person"\nattributes = []'), "VACUOUS"),
    ],
)
def test_a_budget_that_is_not_kept_exits_with_one_and_is_certified_as_such(
    run: Run, survey: Path, edit: tuple[str, str], verdict: str
) -> None:
    survey.write_text(VERBATIM.replace(*edit), encoding="utf-8")
    result = run("certify", survey)
    assert result.exit_code == 1
    assert verdict in result.stdout
    certificate = survey.with_name("plan.certificate.json")
    assert run("verify", certificate, survey).exit_code == 0


def test_an_allow_list_restricts_what_takes_part(run: Run, survey: Path) -> None:
    allowed = [word for name in ("noise", "approx", "zcdp") for word in ("--allow", name)]
    assert run("certify", survey, *allowed).exit_code == 0
    refused = run("certify", survey, *allowed[2:], "--output", survey.with_name("none.json"))
    assert refused.exit_code == 2
    assert "unknown mechanism 'gaussian'" in refused.stderr
    assert not survey.with_name("none.json").exists()


def test_plugins_are_listed_with_what_they_register(run: Run) -> None:
    listed = {plugin["name"]: plugin for plugin in json.loads(run("plugins", "--json").stdout)["plugins"]}
    noise = listed["noise"]
    assert (noise["distribution"], len(noise["digest"])) == ("privacy-accountant", len("sha256:") + 64)
    assert set(noise["registers"]["mechanisms"]) >= {"gaussian", "laplace"}
    shown = run("plugins").stdout
    assert "noise (privacy-accountant" in shown
    assert noise["digest"] in shown
    left = json.loads(run("plugins", "--json", "--disable", "noise").stdout)["plugins"]
    assert "noise" not in {plugin["name"] for plugin in left}


def test_a_claim_beside_a_statistic_known_by_name_only_is_not_called_kept(run: Run, tmp_path: Path) -> None:
    """Nobody has said what the number of respondents fixes, so how far a claim reaches is not known."""
    plan = tmp_path / "named.toml"
    named = VERBATIM.replace('{ name = "number of respondents", counts_by = [] }', '"number of respondents"')
    plan.write_text(named, encoding="utf-8")
    result = run("certify", plan)
    assert result.exit_code == 1
    shown = " ".join(result.stdout.split())
    assert shown.startswith(
        "UNKNOWN: County health survey, first wave exit status 1: the budget approx epsilon at delta 1e-6"
    )
    assert "is unknown: what is claimed of 'vendor dashboard' holds between neighbours" in shown
