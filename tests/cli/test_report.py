"""`accountant report`: where it writes, what it reads, and how it refuses."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

Run = Callable[..., Result]
PLAN = """
title = "Smokers"
[specification]
neighbours = "add-remove"
[[budget]]
divergence = "zcdp"
rho = "0.5"
[[release]]
name = "smokers"
query = { kind = "count" }
mechanism = { kind = "gaussian", sigma = "2" }
"""


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    path = tmp_path / "smokers.toml"
    path.write_text(PLAN, "utf-8")
    return path


def test_a_page_for_the_public_is_written_beside_the_plan(run: Run, plan: Path) -> None:
    result = run("report", plan)
    assert (result.exit_code, result.stderr) == (0, "")
    target = plan.with_name("smokers.public.html")
    assert result.stdout == f"Report: {target}\n"
    content = target.read_text("utf-8")
    assert content.startswith("<!doctype html>")
    assert "whether Jessie is in the data at all" in content


@pytest.mark.parametrize(
    ("form", "suffix", "start"), [("markdown", "md", "# Smokers"), ("json", "json", "{"), ("text", "txt", "Smokers")]
)
def test_other_audiences_and_formats_have_names_of_their_own(
    run: Run, plan: Path, form: str, suffix: str, start: str
) -> None:
    result = run("report", plan, "--audience", "summary", "--format", form, "--json")
    target = plan.with_name(f"smokers.summary.{suffix}")
    assert json.loads(result.stdout) == {"report": str(target), "audience": "summary", "format": form}
    assert target.read_text("utf-8").startswith(start)


def test_a_dash_prints_the_report(run: Run, plan: Path) -> None:
    result = run("report", plan, "-a", "policy", "-f", "markdown", "-o", "-")
    assert result.exit_code == 0
    assert result.stdout.startswith("# Smokers\n")
    assert "## Power against significance" in result.stdout
    assert sorted(path.name for path in plan.parent.iterdir()) == ["smokers.toml"]


def test_a_certificate_gives_the_same_report(run: Run, plan: Path) -> None:
    assert run("certify", plan).exit_code == 0
    certificate = plan.with_name("smokers.certificate.json")
    from_plan, from_certificate = (run("report", path, "-f", "markdown", "-o", "-") for path in (plan, certificate))
    assert from_certificate.exit_code == 0
    assert from_certificate.stdout == from_plan.stdout
    assert run("report", certificate).stdout == f"Report: {plan.with_name('smokers.public.html')}\n"


def test_a_certificate_that_says_too_little_is_refused(run: Run, plan: Path) -> None:
    run("certify", plan)
    certificate = plan.with_name("smokers.certificate.json")
    data = json.loads(certificate.read_text("utf-8"))
    data["budgets"][0]["guarantee"]["value"]["upper"] = "0.01"
    certificate.write_text(json.dumps(data), "utf-8")
    result = run("report", certificate)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "does not follow from its plan as recomputed here; 'accountant verify' lists every difference" in result.stderr
    assert not plan.with_name("smokers.public.html").exists()


def test_every_fault_is_named_at_once(run: Run, plan: Path) -> None:
    plan.write_text(PLAN.replace("sigma", "sigmma"), "utf-8")
    result = run("report", plan, "--audience", "publik", "--format", "htlm")
    assert (result.exit_code, result.stdout) == (2, "")
    places = [line.rsplit(" @ ", 1)[-1] for line in result.stderr.splitlines()]
    assert places[:2] == ["--audience", "--format"]
    assert "did you mean 'public'?" in result.stderr
    assert "did you mean 'html'?" in result.stderr
    assert any(place.endswith(", release 'smokers'.mechanism") for place in places)


def test_what_the_report_is_about_is_not_overwritten(run: Run, plan: Path) -> None:
    result = run("report", plan, "--output", plan)
    assert result.exit_code == 2
    assert "it is what the report is about" in result.stderr
    assert plan.read_text("utf-8") == PLAN


def test_a_certificate_of_another_version_is_one_clear_error(run: Run, plan: Path) -> None:
    target = plan.with_name("smokers.certificate.json")
    assert run("certify", plan, "--output", target).exit_code == 0
    stated = json.loads(target.read_text("utf-8"))
    target.write_text(json.dumps({**stated, "format": "accountant-certificate/99"}), "utf-8")
    result = run("report", target)
    assert result.exit_code == 2
    (line,) = result.stderr.splitlines()
    assert "a certificate of the format 'accountant-certificate/99'" in line
    assert "certify its plan again" in line


def test_dots_in_the_name_of_a_plan_are_kept(run: Run, plan: Path) -> None:
    second = plan.rename(plan.with_name("smokers.2026.toml"))
    certificate = plan.with_name("smokers.2026.certificate.json")
    assert run("certify", second, "--output", certificate).exit_code == 0
    expected = f"Report: {plan.with_name('smokers.2026.summary.md')}\n"
    for source in (second, certificate):
        assert run("report", source, "-a", "summary", "-f", "markdown").stdout == expected


def test_reports_for_other_readers_are_linked_where_they_lie(run: Run, plan: Path) -> None:
    run("report", plan)
    first = plan.with_name("smokers.public.html").read_text("utf-8")
    assert "Beside this page" not in first
    run("report", plan, "-a", "policy")
    page = plan.with_name("smokers.policy.html").read_text("utf-8")
    assert 'Beside this page: public: <a href="smokers.public.html">smokers.public.html</a>.' in page
    run("report", plan)
    again = plan.with_name("smokers.public.html").read_text("utf-8")
    assert 'policy: <a href="smokers.policy.html">smokers.policy.html</a>' in again
    assert "smokers.public.html" not in again


def test_a_language_has_files_of_its_own_and_others_are_refused(run: Run, plan: Path) -> None:
    result = run("report", plan, "--language", "es", "-f", "markdown")
    assert result.stdout == f"Report: {plan.with_name('smokers.public.es.md')}\n"
    assert "Compruébelo" in plan.with_name("smokers.public.es.md").read_text("utf-8")
    refused = run("report", plan, "--language", "fr")
    assert refused.exit_code == 2
    assert "the report 'public' is not written in 'fr'" in refused.stderr
    assert "--language" in refused.stderr
    summary = run("report", plan, "--audience", "summary", "--language", "es", "-f", "text", "-o", "-")
    assert summary.exit_code == 0
    assert "todas juntas" in summary.stdout


def test_a_page_names_the_files_that_check_it(run: Run, plan: Path) -> None:
    said = run("report", plan, "-f", "markdown", "-o", "-").stdout
    assert "[smokers.toml](<smokers.toml>)" in said
    assert "    accountant verify smokers.certificate.json smokers.toml\n" in said
    assert run("certify", plan).exit_code == 0
    plan.rename(plan.with_name("elsewhere.toml"))
    alone = run("report", plan.with_name("smokers.certificate.json"), "-f", "markdown", "-o", "-").stdout
    assert "    accountant verify smokers.certificate.json PLAN\n" in alone
