"""Nothing imports back, in the core or in a plugin: modules can be read one after the other, and so can rooms."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.house.knots import knots

ROOT = Path(__file__).parents[2]
FOR_TYPES = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    "
IN_A_FUNCTION = "def planted() -> None:\n    "


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the sources that may be spoiled."""
    for name in ("accountant", "plugins"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def checked(root: Path) -> subprocess.CompletedProcess[str]:
    program = [sys.executable, "-m", "tests.house.knots", str(root)]
    return subprocess.run(program, cwd=ROOT, env=os.environ, capture_output=True, text=True, timeout=120, check=False)


def test_nothing_imports_in_a_circle() -> None:
    result = checked(ROOT)
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize("how", ["", FOR_TYPES, IN_A_FUNCTION], ids=["imported", "for types only", "in a function"])
@pytest.mark.parametrize(
    ("file", "line", "message"),
    [
        (
            "plugins/accountant_pure/definition.py",
            "from accountant_pure.conversions import PureToApprox",
            "a circle of modules: accountant_pure.conversions, accountant_pure.definition",
        ),
        (
            "plugins/accountant_pure/definition.py",
            "import accountant_pure",
            "a circle of modules: accountant_pure, accountant_pure.conversions, accountant_pure.definition",
        ),
        (
            "plugins/accountant_posterior/semantics/odds.py",
            "from accountant_posterior.risk.theorems import SEARCH",
            "a circle of rooms: accountant_posterior.risk, accountant_posterior.semantics",
        ),
        (
            "accountant/numbers/exact.py",
            "from accountant.numbers.interval import Interval",
            "a circle of modules: accountant.numbers.exact, accountant.numbers.interval",
        ),
    ],
    ids=["modules", "the plugin itself", "rooms", "the core"],
)
def test_a_circle_is_caught(copy: Path, file: str, line: str, how: str, message: str) -> None:
    target = copy / file
    target.write_text(f"{target.read_text()}\n\n{how}{line}\n")
    result = checked(copy)
    assert result.returncode == 1
    assert result.stdout.splitlines()[0] == message


def test_knots_are_the_sets_of_nodes_that_reach_each_other() -> None:
    assert knots({"a": {"b"}, "b": {"c"}, "c": set()}) == []
    assert knots({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a", "e"}, "e": {"f"}, "f": {"e"}}) == [
        ["a", "b", "c"],
        ["e", "f"],
    ]
