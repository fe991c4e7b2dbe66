"""The layers hold, nothing goes in circles, plugins see doors only, and the checks of that break when it is violated."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.house import doors

ROOT = Path(__file__).parents[2]
LINT = (
    "import sys; sys.path.insert(0, sys.argv[1]); "
    "from importlinter.cli import lint_imports; sys.exit(lint_imports(no_cache=True))"
)
LAYERS = ["-c", LINT]
DOORS = [doors.__file__]


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the sources that may be spoiled."""
    for name in ("accountant", "plugins"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def checked(check: list[str], root: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *check, str(root)], cwd=root, capture_output=True, text=True, timeout=120, check=False
    )


@pytest.mark.parametrize("check", [LAYERS, DOORS], ids=["layers", "doors"])
def test_the_rules_of_the_house_hold(check: list[str]) -> None:
    result = checked(check, ROOT)
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize(
    ("check", "file", "line", "message"),
    [
        (LAYERS, "loss/families/gaussian.py", "from accountant.plan.plan import Plan", "A plan flows one way BROKEN"),
        (LAYERS, "loss/readings/base.py", "from accountant.loss.derived import sampled", "simpler ones BROKEN"),
        (LAYERS, "attic.py", "# a module in no layer", "A plan flows one way BROKEN"),
        (LAYERS, "loss/attic.py", "# a module in no layer", "simpler ones BROKEN"),
        (
            LAYERS,
            "numbers/interval.py",
            "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from accountant.loss.readings import base",
            "A plan flows one way BROKEN",
        ),
        (DOORS, "numbers/interval.py", "import accountant_pure", "the core imports no plugin"),
        (
            DOORS,
            "../plugins/accountant_noise/gaussian.py",
            "from accountant.registry.registry import Registry",
            "plugins see doors only",
        ),
        (
            DOORS,
            "../plugins/accountant_noise/gaussian.py",
            "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from accountant.numbers.exact import exact",
            "plugins see doors only",
        ),
        (DOORS, "../plugins/accountant_noise/gaussian.py", "import accountant_pure", "plugins do not see each other"),
        (
            DOORS,
            "numbers/__init__.pyi",
            "from accountant.numbers.interval import Interval as interval",
            "a name hides the module behind its door: accountant.numbers.interval",
        ),
    ],
)
def test_a_violation_is_caught(copy: Path, check: list[str], file: str, line: str, message: str) -> None:
    target = copy / "accountant" / file
    known = target.read_text() if target.exists() else ""
    target.write_text(f"{known}\n\n{line}\n")
    result = checked(check, copy)
    assert result.returncode != 0
    assert message in result.stdout
