"""Commands that write a folder know before any work whether they can."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from accountant.cli import folders
from accountant.report import Axis, Curves, Series, Table

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


def test_marks_of_logarithmic_axes_do_not_run_into_each_other(tmp_path: Path) -> None:
    for places, marks in (((0.5, 2, 8), ["0.5", "1", "2", "5"]), ((0.01, 1, 100), ["0.01", "0.1", "1", "10", "100"])):
        series = Series("all", tuple((place, 1.5, 1.5) for place in places))
        axis = Axis("noise", "logarithmic", places[0], places[-1])
        figure = Curves("Errors", "", axis, Axis("error", "number", 1.3, 1.7), (series,), Table("", (), ()))
        folders._draw(figure, tmp_path / "errors")
        drawn = (tmp_path / "errors.svg").read_text(encoding="utf-8").split('id="matplotlib.axis_2"')[0]
        assert re.findall(r"<!-- ([0-9.]+) -->", drawn) == marks
        assert "times" not in drawn
