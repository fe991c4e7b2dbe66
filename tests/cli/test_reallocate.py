"""`accountant reallocate`: budgets are shared out anew, and what is written keeps them."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

pytestmark = pytest.mark.slow

Run = Callable[..., Result]


def test_the_plan_that_is_written_keeps_every_budget(run: Run, survey: Path, tmp_path: Path) -> None:
    written = tmp_path / "shared.json"
    result = run("reallocate", str(survey), "--output", str(written))
    assert result.exit_code == 0
    assert result.stdout.startswith("Every budget is kept, with an error of at most ")
    assert "vendor dashboard   1        as it was" in result.stdout
    certified = run("certify", str(written), "--output", str(tmp_path / "shared.certificate.json"))
    assert certified.exit_code == 0
    assert certified.stdout.startswith("KEPT")


def test_weights_and_what_is_left_out_count(run: Run, survey: Path) -> None:
    def after(*options: str) -> dict[str, float]:
        data = json.loads(run("reallocate", str(survey), "--json", *options).stdout)
        return {item["name"]: float(item["after"]["upper"]) for item in data["releases"] if item["after"] is not None}

    plain, heavy, fewer = after(), after("--weight", "smokers=20"), after("--without", "vendor dashboard")
    assert heavy["smokers"] < plain["smokers"] < heavy["age by sex"]
    assert fewer["age by sex"] < plain["age by sex"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--weight", "smokers"), "expected a text such as 'age by sex=4'"),
        (("--weight", "smokers=1", "--weight", "smokers=2"), "'smokers' has two weights"),
        (("--weight", "smoker=1"), "did you mean 'smokers'?"),
        (("--without", "smoker"), "did you mean 'smokers'?"),
        (("--share", "95"), "strictly between 0 and 1"),
        (("--weight", "smokers=many"), "many"),
    ],
    ids=["no number", "two weights", "weight of nothing", "without nothing", "share", "no weight"],
)
def test_what_is_asked_wrongly_is_refused_and_nothing_is_written(
    run: Run, survey: Path, tmp_path: Path, options: tuple[str, ...], words: str
) -> None:
    result = run("reallocate", str(survey), "--output", str(tmp_path / "shared.json"), *options)
    assert result.exit_code == 2
    assert words in result.stderr
    assert not (tmp_path / "shared.json").exists()


@pytest.mark.parametrize("name", ["shared.toml", "PLAN"])
def test_a_plan_is_written_as_json_and_over_no_other(run: Run, survey: Path, tmp_path: Path, name: str) -> None:
    copy = tmp_path / "plan.json"
    copy.write_text(json.dumps(tomllib.loads(survey.read_text("utf-8"))), encoding="utf-8")
    before = copy.read_bytes()
    result = run("reallocate", str(copy), "--output", str(copy if name == "PLAN" else tmp_path / name))
    assert result.exit_code == 2
    assert copy.read_bytes() == before
    assert not (tmp_path / "shared.toml").exists()
