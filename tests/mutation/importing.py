"""Tests that were never measured: those whose file imports what is mutated, by its own name or through a door, are asked.

Nothing is run for it. A file that imports a module is there to test it, so that its tests come first.
"""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from tests.mutation.places import KEPT, ROOT, TESTS, module_name, sources
from tests.mutation.reach import Reach

_BY_NAME, _BY_DOOR = 0.02, 0.5
"""Seconds that a test counts for as long as nobody knows better."""


def with_importing(reach: Reach, files: Iterable[str]) -> Reach:
    """What is known, and for each of some files the tests of whoever imports it, as far as they were not measured."""
    measured = {test.split("::")[0] for test in reach.seconds}
    asked: dict[str, dict[str, float]] = {}
    for file in files:
        module = module_name(file)
        for test, names in _imports().items():
            if test not in measured and module in names:
                asked.setdefault(test, {})[file] = _BY_NAME if names[module] else _BY_DOOR
    for test in _collected(sorted(asked)):
        for file, seconds in asked[test.split("::")[0]].items():
            reach.seconds[test] = min(seconds, reach.seconds.get(test, seconds))
            reach.importing.setdefault(file, []).append(test)
    return reach


@cache
def _imports() -> dict[str, dict[str, bool]]:
    """For each file of tests the modules that it imports from, and whether by their own names."""
    found = {}
    for path in sorted(path for folder in TESTS for path in (ROOT / folder).rglob("test_*.py")):
        names: dict[str, bool] = {}
        for module, name in _imported(path):
            names[module] = True
            names[f"{module}.{name}"] = True
            if behind := _doors().get((module, name)):
                names.setdefault(behind, False)
        found[str(path.relative_to(ROOT))] = names
    return found


@cache
def _doors() -> dict[tuple[str, str], str]:
    """Which module a name comes from that a package hands on."""
    packages = {path.parent for path in sources() if path.name == "__init__.py"}
    found = {}
    for package in packages:
        inside = module_name(str((package / "__init__.py").relative_to(ROOT)))
        for path in (package / "__init__.pyi", package / "__init__.py"):
            if path.exists():
                found |= {(inside, name): module for module, name in _imported(path)}
    return found


def _imported(path: Path) -> Iterator[tuple[str, str]]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield from ((node.module, alias.name) for alias in node.names)


def _collected(files: list[str]) -> list[str]:
    """The names of all tests in some files."""
    if not files:
        return []
    code = """
import json, sys, pytest
class Kept:
    def pytest_collection_finish(self, session):
        open(sys.argv[1], "w").write(json.dumps([item.nodeid for item in session.items]))
pytest.main(["--collect-only", "-qq", "-p", "no:cacheprovider", "-m", "not sweep", *sys.argv[2:]], plugins=[Kept()])
"""
    KEPT.mkdir(exist_ok=True)
    answer = KEPT / "collected.json"
    subprocess.run([sys.executable, "-c", code, str(answer), *files], cwd=ROOT, capture_output=True, check=False)
    names: list[str] = json.loads(answer.read_text())
    answer.unlink()
    return names
