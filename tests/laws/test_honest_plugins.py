"""Correct plugins of all families, written by the tutorial, raise no false alarm."""

from __future__ import annotations

import pytest

from accountant.plugin.families import FAMILIES
from accountant.testing import Depth, trials
from tests.laws import honest

SEEDS = 100


def _passes(name: str, depth: Depth) -> None:
    for trial in trials(f"{honest.__name__}.{name}", registry=honest.registry(), depth=depth):
        trial()


@pytest.mark.parametrize("name", honest.modules())
def test_no_law_complains_of_a_correct_plugin(name: str) -> None:
    _passes(name, Depth())


def test_there_are_twenty_of_all_families() -> None:
    plugins = [honest.registry().plugins[f"{honest.__name__}.{name}"] for name in honest.modules()]
    assert len(plugins) >= 20
    for family in FAMILIES:
        assert any(plugin.registers.get(family.name) for plugin in plugins), f"no correct plugin has a {family.word}"


@pytest.mark.sweep
@pytest.mark.parametrize("level", [1, 5])
@pytest.mark.parametrize("seed", range(1, SEEDS + 1))
@pytest.mark.parametrize("name", honest.modules())
def test_no_law_complains_of_a_correct_plugin_whatever_it_looks_at(name: str, level: int, seed: int) -> None:
    _passes(name, Depth(level, seed))
