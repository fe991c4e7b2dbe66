"""`accountant study intervals`: repeatable however it is run, gone on with after it was killed, refused in one go."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from click.testing import CliRunner, Result

from accountant.cli import main
from accountant_posterior.studies.intervals import StudySetting
from accountant_posterior.studies.laws import read_law

pytestmark = pytest.mark.slow

GRID = """
title = "Small"
[grid]
count = [30, 60]
epsilon = ["1/2"]
law = "beta:2,2"
model = ["constrained", "unconstrained"]
datasets = 10
"""


def run(folder: Path, *options: object, grid: str = GRID) -> Result:
    path = folder / "grid.toml"
    path.write_text(grid, encoding="utf-8")
    return CliRunner().invoke(main, ["study", "intervals", str(path), *map(str, options)])


def rows(folder: Path) -> list[dict[str, str]]:
    with (folder / "study-intervals.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any]:
    """What the study of the grid wrote in one process, and its answer."""
    folder = tmp_path_factory.mktemp("whole")
    result = run(folder, "--output", folder / "one", "--seed", 5, "--jobs", 1, "--json")
    assert result.exit_code == 0, result.output
    return folder / "one", json.loads(result.stdout)


def test_the_answer_is_the_same_whatever_the_number_of_processes(tmp_path: Path, whole: tuple[Path, Any]) -> None:
    one, data = whole
    second = run(tmp_path, "--output", tmp_path / "two", "--seed", 5, "--jobs", 2, "--json")
    assert second.exit_code == 0, second.output
    assert rows(one) == rows(tmp_path / "two")
    assert json.loads(second.stdout)["settings"] == data["settings"]
    schema = json.loads(CliRunner().invoke(main, ["schema", "output"]).stdout)
    jsonschema.Draft202012Validator({"$ref": "#/$defs/study-intervals", "$defs": schema["$defs"]}).validate(data)
    assert len(data["settings"]) == 4
    names = {path.name for path in one.iterdir()}
    assert {"study.html", "study.json", "study-intervals.csv", "study-figure-1.svg", "study-figure-1.png"} <= names
    assert not one.with_name("one.parts").exists()
    assert all(float(row["integration_error"]) < 0.05 for row in rows(one))


def test_killed_work_goes_on_where_it_stopped_and_half_a_part_is_none(tmp_path: Path, whole: tuple[Path, Any]) -> None:
    (tmp_path / "grid.toml").write_text(GRID, encoding="utf-8")
    command = [sys.executable, "-m", "accountant.cli", "study", "intervals", str(tmp_path / "grid.toml")]
    command += ["--output", str(tmp_path / "killed"), "--seed", "5", "--jobs", "1"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    parts = tmp_path / "killed.parts"
    for _ in range(3000):
        if parts.exists() and len(list(parts.glob("*.json"))) >= 2:
            break
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    assert not (tmp_path / "killed").exists()
    kept = sorted(parts.glob("*.json"))
    assert 2 <= len(kept) <= 4
    # One is cut short, as no program of ours leaves it, and one is whole but of other work.
    kept[0].write_text(kept[0].read_text(encoding="utf-8")[:-9], encoding="utf-8")
    (parts / ("0" * 32 + ".json")).write_text('{"whole": true, "found": {"mean": {}}}', encoding="utf-8")
    again = run(tmp_path, "--output", tmp_path / "killed", "--seed", 5, "--jobs", 1)
    assert again.exit_code == 0, again.output
    assert rows(tmp_path / "killed") == rows(whole[0])


def test_parts_that_are_there_are_not_done_again(tmp_path: Path) -> None:
    """What stands in them is believed: a number that is planted there comes out."""
    from accountant.cli.parts import done_in_parts

    folder = tmp_path / "parts"
    (first,) = done_in_parts(_doubled, [{"number": 3}], folder, 1)
    assert first == {"twice": 6}
    (path,) = folder.glob("*.json")
    path.write_text(json.dumps({"whole": True, "found": {"twice": 7}}), encoding="utf-8")
    assert done_in_parts(_doubled, [{"number": 3}, {"number": 4}], folder, 1) == [{"twice": 7}, {"twice": 8}]


def _doubled(part: dict[str, Any]) -> dict[str, Any]:
    return {"twice": 2 * part["number"]}


def test_flat_intervals_without_constraints_cover_as_often_as_they_say(tmp_path: Path) -> None:
    """With little noise on the variance they cover nearly 95 %, and are as long as Laplace noise alone makes them."""
    grid = '[grid]\ncount = 200\nepsilon = "1/10"\nlaw = "normal:0.1,0.04"\nmodel = "unconstrained"\ndatasets = 500\n'
    result = run(tmp_path, "--output", tmp_path / "out", "--seed", 1, "--jobs", 1, grid=grid)
    assert result.exit_code == 0, result.output
    (row,) = rows(tmp_path / "out")
    assert 0.92 < float(row["mean_coverage"]) < 0.98
    assert float(row["mean_length"]) == pytest.approx(2 * np.log(20) / (0.1 * 200), rel=0.04)
    assert float(row["mean_mode_error"]) == pytest.approx(np.sqrt(2) / 20, rel=0.15)


def test_a_law_that_is_cut_has_the_moments_of_its_draws() -> None:
    generator = np.random.default_rng(3)
    for text in ("normal:0.1,0.4", "beta:2,5"):
        law = read_law(text, -1.0, 3.0)
        draws = law.draw(generator, (200_000,))
        assert draws.min() >= -1.0
        assert draws.max() <= 3.0
        assert law.mean == pytest.approx(draws.mean(), abs=0.01)
        assert law.variance == pytest.approx(draws.var(), rel=0.02)


def test_simulated_releases_have_the_moments_that_they_should() -> None:
    told = {"count": 50, "epsilon": "1", "law": "normal:40,10", "model": "constrained", "prior": "flat", "level": "0.9"}
    setting = StudySetting.of({**told, "lower": "0", "upper": "100", "datasets": 1})
    means, variances = setting.simulated(np.random.default_rng(2), 20_000)
    assert means.mean() == pytest.approx(0.4, abs=0.002)
    assert means.var() == pytest.approx(2 / 50**2 + 0.01 / 50, rel=0.1)
    assert variances.mean() == pytest.approx(0.01, abs=0.001)


def test_all_faults_of_a_grid_are_told_at_once_and_nothing_is_written(tmp_path: Path) -> None:
    bad = '[grid]\ncount = [30, 30, 2]\nepsilon = [-1, "x"]\nlaws = "normal:0.1,0.04"\nmodel = "free"\n[gird]\n'
    result = run(tmp_path, "--output", tmp_path / "out", grid=bad)
    assert result.exit_code == 2
    for part in ("'30' is given twice", "from 4 to", "above 0", "unknown key 'laws'", "unknown key 'gird'", "grid.law"):
        assert part in result.stderr
    assert "Traceback" not in result.output
    assert {path.name for path in tmp_path.iterdir()} == {"grid.toml"}


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ('law = "gamma:1,2"', "a law is normal"),
        ('law = "normal:4,1"', "outside the bounds"),
        ('law = "beta:2,2"\nprior = "flat:1"', "infinite mass"),
        ('law = "beta:2,2"\nlower = 1', "above the smallest"),
        ('law = "beta:2,2"\nprior = "conjugate:0.5,0.1"\nmodel = "unconstrained"', "flat in the mean"),
    ],
)
def test_a_setting_that_cannot_be_tried_is_refused_before_anything_is_drawn(tmp_path: Path, change: str, told: str) -> None:
    result = run(tmp_path, "--output", tmp_path / "out", grid=f'[grid]\ncount = 30\nepsilon = "1"\n{change}\n')
    assert result.exit_code == 2
    assert told in result.stderr
    assert {path.name for path in tmp_path.iterdir()} == {"grid.toml"}


def test_a_folder_that_is_there_is_not_touched(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    result = run(tmp_path, "--output", tmp_path / "out")
    assert result.exit_code == 2
    assert "is there already" in result.stderr
    assert not (tmp_path / "out.parts").exists()
