"""Theorems are registered by being cited: plugins return only those that stand in derivations alone."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType

import pytest

from accountant.plugin import THEOREMS, Theorem, hookimpl
from accountant.plugin.families import FAMILIES
from accountant.registry.admission import Source
from accountant.registry.discovery import loose
from tests.house import doors

BUNDLED = doors.plugins(Path(__file__).parents[2])


def cited(source: Source) -> set[Theorem]:
    """What the items of a plugin cite."""
    items = ((family, item) for family in FAMILIES for item in source.offers(family).values())
    return {getattr(item, attribute) for family, item in items for attribute in family.cites}


def told_twice(module: ModuleType) -> set[Theorem]:
    """What a plugin returns though an item of its own cites it."""
    source = Source.admit(loose(module))
    return set(source.offers(THEOREMS).values()) & cited(source)


@pytest.mark.parametrize("plugin", BUNDLED)
def test_a_plugin_returns_no_theorem_that_its_items_cite(plugin: str) -> None:
    names = sorted(theorem.name for theorem in told_twice(importlib.import_module(plugin)))
    assert not names, f"take {', '.join(names)} out of accountant_theorems of {plugin}: an item that is registered cites it"


def test_a_theorem_told_twice_is_found() -> None:
    laplace = importlib.import_module("accountant_noise").Laplace
    module = ModuleType("repeating")
    module.accountant_mechanisms = hookimpl(lambda: (laplace,), specname="accountant_mechanisms")  # type: ignore[attr-defined]
    module.accountant_theorems = hookimpl(lambda: (laplace.theorem,), specname="accountant_theorems")  # type: ignore[attr-defined]
    assert told_twice(module) == {laplace.theorem}
