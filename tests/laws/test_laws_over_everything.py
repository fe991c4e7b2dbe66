"""Every law over everything that every installed plugin registers."""

from __future__ import annotations

import pytest

from accountant.registry.registry import default_registry
from accountant.testing import Trial, search, strategies, trials
from accountant.testing.laws import LOSS_LAWS, require_plan_survives

TRIALS = trials()


def beside(trial: Trial) -> list[pytest.MarkDecorator]:
    """Laws of sentences are tried in one process: they meet the same worlds, whose accounts are computed once.

    A session of Spark takes long to start: the suite tries its laws on the cluster that tests of the plugin start.
    """
    if trial.subject == "engine spark":
        return [pytest.mark.xdist_group("spark"), pytest.mark.sweep]
    return [pytest.mark.xdist_group("worlds")] if trial.law.endswith("are never false") else []


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
