"""Everything that the distribution registers is put to the laws, and its plan keeps its promise."""

from __future__ import annotations

from pathlib import Path

import pytest

from accountant import certify, load_plan
from accountant.testing import Trial, trials

PLAN = Path(__file__).parents[1] / "plan.toml"


@pytest.mark.parametrize("trial", trials("headstart"), ids=str)
def test_the_law_holds(trial: Trial) -> None:
    trial()


def test_the_plan_keeps_what_it_promises() -> None:
    assert certify(load_plan(PLAN)).kept
