"""The layers hold, and the check that holds them breaks when they are violated."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the sources that may be spoiled."""
    for name in ("accountant", "plugins"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def lint(root: Path) -> subprocess.CompletedProcess[str]:
    program = (
        "import sys; sys.path[:0] = [sys.argv[1], sys.argv[1] + '/plugins']; "
        "from importlinter.cli import lint_imports; sys.exit(lint_imports(no_cache=True))"
    )
    return subprocess.run(
        [sys.executable, "-c", program, str(root)], cwd=root, capture_output=True, text=True, timeout=120, check=False
    )


def test_the_layers_hold(copy: Path) -> None:
    result = lint(copy)
    assert result.returncode == 0, result.stdout


@pytest.mark.parametrize(
    ("file", "line", "contract"),
    [
        ("accountant/interval.py", "import accountant_pure", "The core imports no plugin"),
        (
            "plugins/accountant_noise/gaussian.py",
            "from accountant.registry import Registry",
            "Plugins see only the public face of the core",
        ),
        ("plugins/accountant_noise/gaussian.py", "import accountant_pure", "Plugins do not see each other"),
        ("accountant/loss/gaussian.py", "from accountant.plan import Plan", "A plan flows one way"),
    ],
)
def test_a_violation_is_caught(copy: Path, file: str, line: str, contract: str) -> None:
    target = copy / file
    target.write_text(target.read_text() + f"\n\n{line}  # noqa\n")
    result = lint(copy)
    assert result.returncode != 0
    assert f"{contract} BROKEN" in result.stdout
