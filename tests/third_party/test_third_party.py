"""Strangers' distributions: begun from templates, built, installed beside the wheel in a fresh environment, listed,
certified and put to the laws."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import venv
from collections.abc import Callable
from math import log
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from accountant.cli import main
from accountant.cli.scaffold import kinds, template_name

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
TEMPLATES = ROOT / "accountant" / "cli" / "templates"

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("third_party")]

Run = Callable[..., "subprocess.CompletedProcess[str]"]
_CALLS = "from accountant.cli import main\nfor call in {0!r}:\n    assert not main(call, standalone_mode=False)"
"""Calls of the program one after the other in one process, each of which must succeed."""


@pytest.fixture(scope="session")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where there is a distribution from every template, and one of them under the name of the template too."""
    folder = tmp_path_factory.mktemp("begun")
    for name, kind in [(template_name("mechanism"), "mechanism"), *((f"my-{kind}", kind) for kind in kinds())]:
        made = CliRunner().invoke(main, ["plugins", "new", name, f"--{kind}", "--into", str(folder)])
        assert made.exit_code == 0, made.output
    return folder


@pytest.fixture(scope="session")
def run(tmp_path_factory: pytest.TempPathFactory, begun: Path) -> Run:
    """Runs a program of a fresh environment that holds the product, two strangers and one begun from every template."""
    home = tmp_path_factory.mktemp("third_party")
    venv.create(home / "environment", with_pip=False)  # nothing there asks for pip: that of these tests serves it
    programs = home / "environment" / ("Scripts" if sys.platform == "win32" else "bin")
    settings = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "PYTEST"))}
    settings |= {"PIP_DISABLE_PIP_VERSION_CHECK": "1"}

    def call(program: str | Path, *arguments: object, exit_code: int = 0) -> subprocess.CompletedProcess[str]:
        words = [str(programs / program), *map(str, arguments)]
        done = subprocess.run(words, cwd=home, env=settings, capture_output=True, text=True, check=False)
        assert done.returncode == exit_code, f"{words}\n{done.stdout}\n{done.stderr}"
        return done

    strangers = [HERE / "accountant-forgetful", *sorted(begun.iterdir())]
    pip = (Path(sys.executable), "-m", "pip", "--python", programs / "python")
    # What builds them is installed once, and not anew for each.
    call(*pip, "install", "--quiet", "--no-compile", "hatchling")
    building = ("--no-build-isolation", "--wheel-dir", home / "wheels")
    call(*pip, "wheel", "--quiet", "--no-deps", *building, ROOT, *strangers)
    product, *others = sorted((home / "wheels").glob("*.whl"), key=lambda wheel: not wheel.name.startswith("privacy_"))
    # Few of the modules are ever loaded: these compile themselves.
    call(*pip, "install", "--quiet", "--no-compile", f"{product}[testing]", *others)
    shutil.copy(begun / "accountant-carousel" / "plan.toml", home / "plan.toml")
    return call


@pytest.fixture(scope="session")
def listed(run: Run) -> dict[str, dict[str, Any]]:
    """What the command says of every plugin, before any is put to the laws."""
    return {plugin["name"]: plugin for plugin in json.loads(run("accountant", "plugins", "--json").stdout)["plugins"]}


def test_the_stranger_is_listed_with_its_version_and_what_it_registers(listed: dict[str, dict[str, Any]]) -> None:
    stranger = listed["carousel"]
    assert (stranger["distribution"], stranger["version"]) == ("accountant-carousel", "1.0")
    assert stranger["registers"] == {"mechanisms": ["carousel"], "theorems": ["carousel-loss"]}
    assert stranger["digest"].startswith("sha256:")


def test_a_plan_with_the_stranger_is_certified_and_verified(run: Run) -> None:
    run("accountant", "certify", "plan.toml", "--output", "certificate.json")
    verified = run("accountant", "verify", "certificate.json", "plan.toml")
    assert "carousel" in run("accountant", "explain", "plan.toml", "--as", "pure").stdout
    value = json.loads(run("accountant", "measure", "plan.toml", "--as", "pure", "--json").stdout)["value"]
    assert float(value["lower"]) <= 2 * log(1.5) <= float(value["upper"])
    assert float(value["upper"]) - float(value["lower"]) < 1e-9
    assert verified.stdout


def test_a_certificate_needs_the_stranger(run: Run) -> None:
    run("accountant", "certify", "plan.toml", "--output", "needed.json")
    refused = run("accountant", "verify", "needed.json", "plan.toml", "--disable", "carousel", exit_code=1)
    assert "the plugin 'carousel' is not installed or not allowed here" in refused.stdout + refused.stderr


def test_a_parameter_the_stranger_does_not_accept_is_refused_with_its_place(run: Run, tmp_path: Path) -> None:
    plan = tmp_path / "plan.toml"
    stated = (TEMPLATES / "mechanism" / "plan.toml").read_text(encoding="utf-8")
    plan.write_text(stated.replace('grip = "1.5"', 'grip = "1"'), encoding="utf-8")
    refused = run("accountant", "certify", plan, exit_code=2)
    assert refused.stderr.startswith(f"error: must be above 1, got 1 @ {plan}, line ")
    assert refused.stderr.endswith("'.mechanism.grip\n")


@pytest.fixture(scope="session")
def laws(run: Run) -> str:
    """What an author reads who tries the laws over the stranger and puts on record that it keeps them."""
    return run("pytest", "-v", "--accountant-plugin", "carousel", "--accountant-badge").stdout


def test_the_stranger_keeps_every_law(laws: str) -> None:
    assert "law[count equals repetition][carousel: carousel two wheels]" in laws
    assert "law[exact pairs never beat the claim][carousel: carousel half a turn]" in laws
    assert "failed" not in laws


@pytest.mark.usefixtures("laws")
def test_a_stranger_that_keeps_every_law_says_so_in_certificates(run: Run) -> None:
    listed = json.loads(run("accountant", "plugins", "--json").stdout)["plugins"]
    said = {plugin["name"]: plugin["laws"] for plugin in listed}
    assert " laws, tried " in said["carousel"]
    assert said["forgetful"] is None
    assert "as its author states" in run("accountant", "plugins").stdout
    certificate = json.loads(run("accountant", "certify", "plan.toml", "--output", "badge.json", "--json").stdout)
    stated = {plugin["name"]: plugin.get("laws") for plugin in certificate["plugins"]}
    assert stated["carousel"] == said["carousel"]
    run("accountant", "verify", "badge.json", "plan.toml")


def test_the_forgetful_stranger_is_caught_with_a_small_counterexample(run: Run) -> None:
    output = run("pytest", "--accountant-plugin", "forgetful", exit_code=1).stdout
    counterexample = """\
The law 'outputs of several coordinates and releases never beat the claim' does not hold for forgetful: mechanism \
forgetful-coin:
  the outputs of the mechanism tell more than it claims
    mechanism: forgetful-coin (kept = 0.75)
    shift: the query moves by (1, -1)
    answers: (0, 1) and (1, 0)
    outputs: the pair (P, Q) = [(9/16, 1/16), (3/16, 3/16), (3/16, 3/16), (1/16, 9/16)]
    direction: P to Q
    at epsilon: 1.1
    delta of the outputs: at least 0.374739 to 0.37474
    delta that is claimed: 0
"""
    assert counterexample in output
    assert " 1 failed" in output, "one fault is one failure"


def test_without_the_option_no_law_is_collected(run: Run) -> None:
    assert "no tests ran" in run("pytest", exit_code=5).stdout


@pytest.fixture(scope="session")
def tried(run: Run, begun: Path) -> str:
    """What pytest says of everything that is begun from templates, tried in one process and certified in another."""
    folders = [begun / f"accountant-my-{kind}" for kind in kinds()]
    run("python", "-c", _CALLS.format([["certify", str(folder / "plan.toml")] for folder in folders]))
    # The laws over the mechanism are tried above, under the name of the template.
    return run(
        "pytest", "-v", "--rootdir", begun, "-p", "no:cacheprovider", "-k", "plan or not my_mechanism", *folders
    ).stdout


@pytest.mark.parametrize("kind", kinds())
def test_what_is_begun_from_a_template_passes_its_own_tests_and_the_laws(
    listed: dict[str, dict[str, Any]], tried: str, kind: str
) -> None:
    own = [line for line in tried.splitlines() if f"accountant-my-{kind}/tests/" in line]
    assert any("the_plan" in line for line in own)
    assert kind == "mechanism" or any("law[" in line for line in own)
    assert all(" PASSED " in line for line in own)
    assert f"my-{kind}" in [name for names in listed[f"my-{kind}"]["registers"].values() for name in names]


@pytest.fixture(scope="session")
def shipped(run: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where a distribution was begun from every template by the program in the wheel, in one process."""
    folder = tmp_path_factory.mktemp("shipped")
    into = [["plugins", "new", "shipped", f"--{kind}", "--into", str(folder / kind)] for kind in kinds()]
    for kind in kinds():
        (folder / kind).mkdir()
    run("python", "-c", _CALLS.format(into))
    return folder


@pytest.mark.parametrize("kind", kinds())
def test_templates_are_in_the_wheel(begun: Path, shipped: Path, kind: str) -> None:
    folder = shipped / kind
    names = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    made = {path.relative_to(begun).as_posix() for path in (begun / f"accountant-my-{kind}").rglob("*") if path.is_file()}
    renamed = {name.replace(f"my-{kind}", "shipped").replace(f"my_{kind.replace('-', '_')}", "shipped") for name in made}
    assert names <= renamed
    assert {"pyproject.toml", "README.md", "plan.toml"} <= {Path(name).name for name in names}
