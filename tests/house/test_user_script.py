"""Type checkers know what users write: kinds of plugins with their parameters, accounts, lenses and plans."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "tests" / "house" / "user_script.py"


def checked(*program: str, folder: Path) -> list[str]:
    """What a type checker says of the script outside the repository, and of the same with nothing marked as wrong."""
    text = SCRIPT.read_text("utf-8")
    kept, bare = folder / "kept.py", folder / "bare.py"
    kept.write_text(text, "utf-8")
    bare.write_text("\n".join(line.partition("  # type: ignore")[0] for line in text.splitlines()), "utf-8")
    command = [sys.executable, "-m", *program, str(kept), str(bare)]
    found = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=300)
    assert not found.stderr
    return [line for line in found.stdout.splitlines() if re.search(r"\.py:\d+.*(error|warning)", line)]


def refused(told: list[str]) -> list[int]:
    """The lines that are refused, all of the file in which nothing is marked."""
    assert all("bare.py" in line for line in told), told
    return sorted({int(number) for line in told for number in re.findall(r"\.py:(\d+):", line)})


def marked() -> list[int]:
    return [number for number, line in enumerate(SCRIPT.read_text("utf-8").splitlines(), 1) if "# type: ignore" in line]


def test_mypy_takes_what_is_right_and_refuses_what_is_wrong(tmp_path: Path) -> None:
    told = checked("mypy", "--strict", "--config-file=", f"--cache-dir={os.devnull}", folder=tmp_path)
    assert refused(told) == marked()
    assert any('Unexpected keyword argument "sgima" for "Gaussian"; did you mean "sigma"?' in line for line in told)


def test_basedpyright_takes_what_is_right_and_refuses_what_is_wrong(tmp_path: Path) -> None:
    pytest.importorskip("basedpyright")
    told = checked("basedpyright", "--pythonpath", sys.executable, folder=tmp_path)
    assert refused(told) == marked()
    assert any('No parameter named "sgima"' in line for line in told)
