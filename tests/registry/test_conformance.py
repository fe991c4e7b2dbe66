"""A badge speaks of the files that are installed, and of no others."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from attrs import asdict, evolve

from accountant import Registry
from accountant.registry.conformance import Badge, badge_place


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    (tmp_path / "badged.py").write_text("# A plugin that registers nothing.\n")
    monkeypatch.syspath_prepend(tmp_path)
    yield importlib.import_module("badged")
    del sys.modules["badged"]


def badge_of(module: ModuleType) -> Badge:
    """An honest badge of a module."""
    known = Registry.load(extra=[module]).plugins["badged"]
    return Badge("badged", known.version, known.digest, "1.0", 2, {"a law": 3, "another": 4})


def test_a_badge_is_read_beside_the_plugin(plugin: ModuleType) -> None:
    assert Registry.load(extra=[plugin]).badge("badged") is None
    place = badge_place(plugin.__file__)
    assert place is not None
    badge_of(plugin).write(place)
    found = Registry.load(extra=[plugin]).badge("badged")
    assert found == badge_of(plugin)
    assert str(found) == "2 laws, tried 7 times at depth 2 by accountant 1.0"


def test_a_badge_of_other_files_says_nothing(plugin: ModuleType) -> None:
    place = badge_place(plugin.__file__)
    assert place is not None
    badge_of(plugin).write(place)
    Path(str(plugin.__file__)).write_text("# Changed.\n")
    assert Registry.load(extra=[plugin]).badge("badged") is None


@pytest.mark.parametrize(
    "words",
    ["", "[]", "{}", "null", '{"plugin": 1}', "[" * 100_000, "\ud800", json.dumps({"laws": {"a law": -1}})],
)
def test_a_badge_that_cannot_be_read_says_nothing(plugin: ModuleType, words: str) -> None:
    place = badge_place(plugin.__file__)
    assert place is not None
    place.write_bytes(words.encode("utf-8", "surrogatepass"))
    assert Registry.load(extra=[plugin]).badge("badged") is None


@pytest.mark.parametrize(
    "wrong", [{"depth": 0}, {"depth": "1"}, {"laws": {"a law": 0}}, {"laws": [1]}, {"version": 1}, {"more": 1}]
)
def test_a_badge_with_other_contents_says_nothing(plugin: ModuleType, wrong: dict[str, object]) -> None:
    place = badge_place(plugin.__file__)
    assert place is not None
    place.write_text(json.dumps({**asdict(badge_of(plugin)), **wrong}))
    assert Registry.load(extra=[plugin]).badge("badged") is None


def test_the_badge_of_a_package_stands_beside_its_folder() -> None:
    assert badge_place("/plugins/noise/__init__.py") == Path("/plugins/noise.conformance.json")
    assert badge_place("/plugins/noise.py") == Path("/plugins/noise.conformance.json")
    assert badge_place(None) is None


def test_a_badge_is_a_value() -> None:
    badge = Badge("badged", "1", "sha256:0", "1.0", 1, {"a law": 1})
    assert evolve(badge, depth=2) != badge
