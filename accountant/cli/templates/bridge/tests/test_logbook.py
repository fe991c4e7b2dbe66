"""Everything that the distribution registers is put to the laws, and its file becomes its plan, which keeps its promise."""

from __future__ import annotations

from pathlib import Path

import pytest

from accountant import certify, load_plan, read_history
from accountant.testing import Trial, trials

HOME = Path(__file__).parents[1]
PLAN = HOME / "plan.toml"


@pytest.mark.parametrize("trial", trials("logbook"), ids=str)
def test_the_law_holds(trial: Trial) -> None:
    trial()


def test_the_plan_keeps_what_it_promises() -> None:
    assert certify(load_plan(PLAN)).kept


def test_the_file_becomes_the_plan() -> None:
    found = read_history("logbook", HOME / "logbook.json", neighbours="add-remove")
    assert found.plan.releases == load_plan(PLAN).releases
