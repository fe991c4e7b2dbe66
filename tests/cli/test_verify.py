"""`accountant verify` says how a certificate was verified, on whose word it rests, and why it is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from accountant import Certificate
from accountant.certificate.seal import SEAL, seal_of
from accountant.values.source import canonical
from tests.certificate.elsewhere import LAPLACE, copied, narrower

Run = Callable[..., Result]


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    file = tmp_path / "counts.json"
    file.write_text(json.dumps({**LAPLACE, "statements": {"access": "four people"}}), "utf-8")
    return file


@pytest.fixture
def certificate(run: Run, plan: Path) -> Path:
    assert run("certify", plan).exit_code == 0
    return plan.with_name("counts.certificate.json")


def write(file: Path, data: dict[str, Any]) -> None:
    file.write_text(canonical({**data, SEAL: seal_of(data)}) + "\n", "utf-8")


def test_what_is_recomputed_equal_is_said_to_be(run: Run, plan: Path, certificate: Path) -> None:
    result = run("verify", certificate, plan)
    assert result.exit_code == 0
    assert result.stdout.startswith("verified: the certificate follows from the plan, digit by digit\n")
    said = " ".join(result.stdout.split())
    assert "Proved here: the numbers" in said
    assert "access: four people" in said
    assert "NOBODY HAS SAID: unit, contributions, tuning, implementation, side channels, trust model, collection." in said


@pytest.mark.slow
def test_other_last_digits_are_verified_and_said_to_be_shown(run: Run, plan: Path, certificate: Path) -> None:
    data = copied(Certificate.load(certificate))
    narrower(data["budgets"][0]["guarantee"]["value"], "1e-9")
    write(certificate, data)
    result = run("verify", certificate, plan)
    assert result.exit_code == 0
    said = " ".join(result.stdout.split())
    assert "1 differs from what is recomputed here, which is at least as good, 1 of them at the precision 1e-7" in said
    answer = json.loads(run("verify", certificate, plan, "--json").stdout)
    place = "certificate.budgets[0].guarantee.value"
    assert answer["verified"] is True
    assert answer["recomputed"]["at_least_as_good"] == answer["recomputed"]["refined"] == [place]
    assert answer["recomputed"]["precision"] == "1e-7"
    assert {layer["layer"]: layer["standing"] for layer in answer["layers"]}["access"] == "stated"


def test_a_report_is_written_about_a_certificate_with_other_last_digits(run: Run, plan: Path, certificate: Path) -> None:
    data = copied(Certificate.load(certificate))
    narrower(data["budgets"][0]["guarantee"]["value"], "1e-9")
    write(certificate, data)
    assert run("report", certificate, "--audience", "summary", "--format", "text").exit_code == 0
    data["budgets"][0]["guarantee"]["value"]["upper"] = "3"
    write(certificate, data)
    result = run("report", certificate, "--audience", "summary", "--format", "text")
    assert (result.exit_code, "does not follow" in result.stderr) == (2, True)


def test_bytes_that_were_laid_out_anew_are_refused_with_a_remedy(run: Run, plan: Path, certificate: Path) -> None:
    content = certificate.read_text("utf-8")
    for text in (content.replace(":", ": ", 1), "\ufeff" + content, json.dumps(json.loads(content), indent=2)):
        certificate.write_text(text, "utf-8")
        result = run("verify", certificate, plan)
        assert result.exit_code == 1
        assert result.stdout.startswith("refused: 1 difference\n")
        assert "certify the plan again" in result.stdout


def test_certifying_says_what_nobody_has_said(run: Run, plan: Path) -> None:
    result = run("certify", plan)
    said = " ".join(result.stdout.split())
    assert result.stdout.startswith("KEPT")
    assert "NOBODY HAS SAID: unit, contributions" in said
    assert "access: four people" in said


def test_an_older_certificate_is_told_what_to_do(run: Run, plan: Path, certificate: Path) -> None:
    write(certificate, {**copied(Certificate.load(certificate)), "format": "accountant-certificate/1"})
    for command in (("verify", certificate, plan), ("diff", certificate, plan), ("report", certificate)):
        result = run(*command)
        assert result.exit_code == 2
        assert "verify it with the version that wrote it, or certify its plan again" in result.stderr
