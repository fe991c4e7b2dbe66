"""Every law over everything that every installed plugin registers."""

from __future__ import annotations

import pytest

from accountant.registry.registry import default_registry
from accountant.testing import Trial, search, strategies, trials
from accountant.testing.laws import COMPANY_LAWS, LOSS_LAWS, PLAN_LAWS, require_plan_survives

TRIALS = trials()


def claims_at_length() -> set[Trial]:
    """What several releases of a claim cost, read in every definition, for all but the first claim of each definition."""
    several = {*PLAN_LAWS, *COMPANY_LAWS} - {"written and read is equal"}
    together = [trial for trial in TRIALS if trial.law in several and trial.subject.startswith("definition")]
    first = {(trial.law, trial.subject): trial for trial in reversed(together)}
    return {trial for trial in together if trial is not first[trial.law, trial.subject]}


def quickly() -> set[Trial]:
    """Laws of single losses, and of each other law its first trial in every plugin."""
    first = {(trial.law, trial.plugin): trial for trial in reversed(TRIALS)}
    return {*first.values(), *(trial for trial in TRIALS if trial.law in LOSS_LAWS)}


AT_LENGTH, QUICKLY = claims_at_length(), quickly()


def beside(trial: Trial) -> list[pytest.MarkDecorator]:
    """Laws of sentences are tried in one process: they meet the same worlds, whose accounts are computed once.

    A session of Spark takes long to start: its laws are tried on the cluster that tests of the plugin start.
    """
    if trial in AT_LENGTH:
        return [pytest.mark.sweep]
    if trial.subject == "engine spark":
        return [pytest.mark.xdist_group("spark"), pytest.mark.sweep]
    together = [pytest.mark.xdist_group("worlds")] if trial.law.endswith("are never false") else []
    return together if trial in QUICKLY else [*together, pytest.mark.slow]


@pytest.mark.parametrize("trial", [pytest.param(trial, marks=beside(trial), id=str(trial)) for trial in TRIALS])
def test_law_holds(trial: Trial) -> None:
    trial()


@pytest.mark.parametrize("name", LOSS_LAWS)
def test_law_holds_on_random_losses(name: str) -> None:
    search(LOSS_LAWS[name], loss=strategies.losses(), examples=5)


def test_random_plans_survive_being_written_and_read() -> None:
    search(lambda plan: require_plan_survives(plan, default_registry()), plan=strategies.plans(), examples=50)


def test_every_plugin_is_tried() -> None:
    assert {trial.plugin for trial in TRIALS} == set(default_registry().plugins)


def test_trials_have_distinct_names() -> None:
    names = [str(trial) for trial in TRIALS]
    assert len(names) == len(set(names))
