"""Nothing is computed twice: what was composed for a certificate serves the table and the report about it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve
from click.testing import Result

import accountant
from accountant.loss import PrivacyLoss
from accountant.loss.engine.composition import ComposedLoss
from accountant.release.once import once
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


@pytest.mark.slow
@pytest.mark.parametrize("audience", ["summary", "public", "technical"])
def test_a_report_composes_once(run: Run, survey: Path, composed: list[object], audience: str) -> None:
    assert run("report", survey, "--audience", audience).exit_code == 0
    assert len(composed) == 1


def test_a_report_about_a_certificate_composes_once(run: Run, certificate: Path, composed: list[object]) -> None:
    assert run("report", certificate, "--audience", "summary").exit_code == 0
    assert len(composed) == 1


def test_a_scenario_is_accounted_for_once(survey: Path) -> None:
    scenario = accountant.Scenario("smoking", ["smoking"])
    whole = accountant.account(accountant.load_plan(survey))
    assert whole.within(scenario) is whole.within(scenario)
    assert whole.within(scenario).entries == accountant.account(whole.plan.within(scenario)).entries


def test_a_second_account_would_be_noticed(survey: Path, composed: list[object]) -> None:
    plan = accountant.load_plan(survey)
    certificate = accountant.certify(plan)
    certificate.account.measure("approx", delta="1e-6")
    assert len(composed) == 1
    accountant.account(plan).measure("approx", delta="1e-6")
    assert len(composed) == 2


def test_certifying_validates_each_release_once(run: Run, survey: Path, checked: Counter[str]) -> None:
    assert run("certify", survey).exit_code == 0
    assert dict(checked) == {"replace-one": 1}


def test_a_plan_made_by_hand_is_validated_by_its_account(survey: Path, checked: Counter[str]) -> None:
    plan = accountant.load_plan(survey)
    releases = tuple(evolve(release, mechanism=deepcopy(release.mechanism)) for release in plan.releases)
    checked.clear()
    accountant.account(evolve(plan, releases=releases))
    assert dict(checked) == {"replace-one": 1}


def test_a_release_that_was_refused_is_asked_again() -> None:
    asked: list[str] = []

    class Part:
        def check(self, relation: str) -> None:
            asked.append(relation)
            raise accountant.ShiftError("not between these")

    part = Part()
    for _ in range(2):
        with pytest.raises(accountant.ShiftError):
            once(part.check, "add-remove")
    assert asked == ["add-remove"] * 2
