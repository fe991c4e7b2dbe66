"""What definitions mean and what reports say, held against every pair of datasets of many random worlds."""

from __future__ import annotations

import pytest

from accountant import default_registry
from accountant.plugin import DIVERGENCES, REPORTS
from accountant.testing import laws
from accountant.testing.examples import search
from accountant.testing.worlds import worlds

REGISTRY = default_registry()


@pytest.mark.sweep
@pytest.mark.parametrize("name", sorted(REGISTRY[DIVERGENCES]))
def test_no_meaning_is_false_over_many_worlds(name: str) -> None:
    search(laws.meaning_is_never_false, REGISTRY[DIVERGENCES][name], world=worlds(REGISTRY), examples=500)


@pytest.mark.sweep
@pytest.mark.parametrize("name", sorted(REGISTRY[REPORTS]))
def test_no_report_is_false_over_many_worlds(name: str) -> None:
    search(laws.report_is_never_false, REGISTRY[REPORTS][name], world=worlds(REGISTRY), examples=150)
