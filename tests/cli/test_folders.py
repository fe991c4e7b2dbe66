"""Commands that write a folder know before any work whether they can."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from accountant.cli import folders

Run = Callable[..., Result]


def test_a_missing_package_is_told_before_anything_is_read(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folders, "_PACKAGES", ("jinja2", "no_such_package"))
    result = run("attack", "no such plan", "no such people", "--output", str(tmp_path / "attack"))
    assert result.exit_code == 2
    assert "needs 'no_such_package', which is not installed" in result.stderr
    assert "no such plan" not in result.stderr
    assert not (tmp_path / "attack").exists()


def test_a_folder_that_is_there_is_told_before_anything_is_read(run: Run, tmp_path: Path) -> None:
    for command in (("attack", "p", "d"), ("infer", "p", "o"), ("figures", "p"), ("study", "counties", "d")):
        result = run(*command, "--output", str(tmp_path))
        assert result.exit_code == 2
        assert "is there already" in result.stderr
