"""Nothing is computed twice: what was composed for a certificate serves the table and the report about it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

import accountant
from accountant.loss import PrivacyLoss
from accountant.loss.engine.composition import ComposedLoss
from accountant_noise.gaussian import Gaussian

Run = Callable[..., Result]


@pytest.fixture
def composed(survey: Path, monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Grows by one whenever the losses of all releases of the survey are composed."""
    everything = accountant.account(accountant.load_plan(survey)).loss.taken_apart()
    assert len(everything) == 3
    found: list[object] = []
    compose = ComposedLoss.of

    def counted(parts: Iterable[tuple[PrivacyLoss, int]]) -> ComposedLoss:
        whole = compose(parts)
        found.extend([whole] if whole.parts == everything else [])
        return whole

    monkeypatch.setattr(ComposedLoss, "of", counted)
    return found


@pytest.fixture
def checked(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often it was checked whether a mechanism serves some neighbours."""
    counts: Counter[str] = Counter()
    check = Gaussian.check

    def counted(mechanism: Gaussian, relation: Any) -> None:
        counts[relation.name] += 1
        check(mechanism, relation)

    monkeypatch.setattr(Gaussian, "check", counted)
    return counts


def test_certifying_composes_once(run: Run, survey: Path, composed: list[object]) -> None:
    assert run("certify", survey).exit_code == 0
    assert len(composed) == 1


@pytest.mark.parametrize("audience", ["summary", "public", "technical"])
def test_a_report_composes_once(run: Run, survey: Path, composed: list[object], audience: str) -> None:
    assert run("report", survey, "--audience", audience).exit_code == 0
    assert len(composed) == 1


def test_a_report_about_a_certificate_composes_once(run: Run, certificate: Path, composed: list[object]) -> None:
    assert run("report", certificate, "--audience", "summary").exit_code == 0
    assert len(composed) == 1


def test_a_second_account_would_be_noticed(survey: Path, composed: list[object]) -> None:
    plan = accountant.load_plan(survey)
    certificate = accountant.certify(plan)
    certificate.account.measure("approx", delta="1e-6")
    assert len(composed) == 1
    accountant.account(plan).measure("approx", delta="1e-6")
    assert len(composed) == 2


def test_certifying_accounts_for_a_release_no_more_often_than_accounting_does(
    run: Run, survey: Path, checked: Counter[str]
) -> None:
    accountant.account(accountant.load_plan(survey))
    needed = dict(checked)
    checked.clear()
    assert run("certify", survey).exit_code == 0
    assert dict(checked) == needed
