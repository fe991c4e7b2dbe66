"""Correct plugins of all families, written by the tutorial, raise no false alarm."""

from __future__ import annotations

import pytest

from accountant.plugin.families import FAMILIES
from accountant.registry.admission import Plugin
from accountant.testing import Depth, trials
from tests.laws import honest

pytestmark = pytest.mark.slow

SEEDS = 100


def _plugin(name: str) -> Plugin:
    return honest.registry().plugins[f"{honest.__name__}.{name}"]


def _passes(name: str, depth: Depth) -> None:
    for trial in trials(f"{honest.__name__}.{name}", registry=honest.registry(), depth=depth):
        trial()


def _one_of_each_family() -> set[str]:
    """For each family the first plugin that has one of it; the suite tries these, and sweeps all of them."""
    return {next(name for name in honest.modules() if _plugin(name).registers.get(family.name)) for family in FAMILIES}


def _modules() -> list[object]:
    suite = _one_of_each_family()
    return [pytest.param(name, marks=() if name in suite else pytest.mark.sweep) for name in honest.modules()]


@pytest.mark.parametrize("name", _modules())
def test_no_law_complains_of_a_correct_plugin(name: str) -> None:
    _passes(name, Depth())


def test_a_mechanism_of_yes_and_no_is_run_on_no_other_answers() -> None:
    plugin = f"{honest.__name__}.yes_or_no"
    audits = [each for each in trials(plugin, registry=honest.registry()) if each.law == "an audit never refutes the claim"]
    for trial in audits:
        trial()
    assert len(audits) == 2


def test_there_are_twenty_of_all_families() -> None:
    plugins = [_plugin(name) for name in honest.modules()]
    assert len(plugins) >= 20
    for family in FAMILIES:
        assert any(plugin.registers.get(family.name) for plugin in plugins), f"no correct plugin has a {family.word}"


@pytest.mark.sweep
@pytest.mark.parametrize("level", [1, 5])
@pytest.mark.parametrize("name", honest.modules())
def test_no_law_complains_of_a_correct_plugin_whatever_it_looks_at(name: str, level: int) -> None:
    for seed in range(1, SEEDS + 1):
        try:
            _passes(name, Depth(level, seed))
        except AssertionError as error:
            error.add_note(f"at seed {seed}")
            raise
