"""The survey of the documentation, and the program run in this process."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from accountant.cli import main

EXAMPLE = Path(__file__).parents[2] / "examples" / "survey.toml"


@pytest.fixture
def survey(tmp_path: Path) -> Path:
    """A copy of the example plan in a directory of its own."""
    return Path(shutil.copy(EXAMPLE, tmp_path / "plan.toml"))


@pytest.fixture(scope="session")
def certificate_text(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The certificate of the example plan, made once."""
    target = tmp_path_factory.mktemp("certified") / "certificate.json"
    assert CliRunner().invoke(main, ["certify", str(EXAMPLE), "--output", str(target)]).exit_code == 0
    return target.read_text(encoding="utf-8")


@pytest.fixture
def certificate(survey: Path, certificate_text: str) -> Path:
    """A certificate beside the plan, free to be spoiled."""
    path = survey.with_name("plan.certificate.json")
    path.write_text(certificate_text, encoding="utf-8")
    return path


@pytest.fixture
def run() -> Callable[..., Result]:
    """The program, called with arguments."""

    def call(*arguments: object) -> Result:
        return CliRunner().invoke(main, [str(argument) for argument in arguments])

    return call
