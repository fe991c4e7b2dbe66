"""A digest covers all code that stands behind a plugin; behind the built-in one stands the whole core."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from accountant import default_registry
from accountant.registry.digest import digest


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An installed package whose plugin is a module in it."""
    place = tmp_path / "digested"
    place.mkdir()
    (place / "__init__.py").write_text("")
    (place / "plugin.py").write_text("")
    (place / "engine.py").write_text("EPSILON = 1\n")
    monkeypatch.syspath_prepend(tmp_path)
    yield place
    for name in [name for name in sys.modules if name.partition(".")[0] == "digested"]:
        del sys.modules[name]


@pytest.mark.parametrize("changed", ["__init__.py", "plugin.py", "engine.py", "new.py"])
def test_a_changed_file_anywhere_in_the_package_changes_the_digest(package: Path, changed: str) -> None:
    module = import_module("digested.plugin")
    before = digest(module)
    assert digest(module) == before
    (package / changed).write_text("EPSILON = 2\n")
    assert digest(module) != before


def test_the_built_in_plugin_stands_for_the_whole_core() -> None:
    core, builtin = import_module("accountant"), import_module("accountant_builtin")
    found = default_registry().plugins["builtin"].digest
    assert found == digest(builtin, core)
    assert found != digest(builtin)
