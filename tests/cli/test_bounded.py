"""Commands end within their limits, and silence is no success."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from accountant import Registry
from accountant.cli import main
from accountant.cli.commands import own_commands
from accountant.registry import registry as registry_module
from accountant.registry.digest import digest_of_distribution
from tests.registry.installing import PLUGIN, installed

pytestmark = pytest.mark.slow

Run = Callable[..., Result]
SLOW = """
[specification]
neighbours = "add-remove"
[[budget]]
divergence = "zcdp"
rho = "1"
[[release]]
name = "wages"
query = { kind = "count" }
mechanism = { kind = "hostile" }
"""
BEHAVIOUR = {
    "leaves while it is loaded": ("import os; os._exit(0)", ""),
    "asks to leave while it is loaded": ("raise SystemExit(0)", ""),
    "leaves when it is asked": ("", "import os; os._exit(0)"),
    "asks to leave when it is asked": ("", "raise SystemExit(0)"),
    "says verified and leaves": ("", "import os; os.write(1, b'verified'); print('verified'); os._exit(0)"),
    "never returns": ("", "import time; time.sleep(600)"),
    "never loads": ("import time; time.sleep(600)", ""),
}


def program(folder: Path, *words: object) -> subprocess.CompletedProcess[str]:
    """The program in a process of its own, where distributions of a folder are installed."""
    settings = {**os.environ, "PYTHONPATH": str(folder)}
    command = [sys.executable, "-m", "accountant.cli", *map(str, words)]
    return subprocess.run(command, env=settings, capture_output=True, text=True, timeout=100, check=False)


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a plan, the plugin that it needs, and the certificate of both before anybody has changed the plugin."""
    folder = tmp_path_factory.mktemp("honest")
    (folder / "plan.toml").write_text(SLOW)
    installed(folder, "hostile", {"hostile.py": PLUGIN.format(name="hostile")}, record=False)
    assert program(folder, "certify", folder / "plan.toml").returncode in (0, 1)
    return folder


@pytest.mark.parametrize("behaviour", BEHAVIOUR)
def test_no_plugin_can_make_verify_succeed_by_leaving_or_by_never_answering(
    tmp_path: Path, honest: Path, monkeypatch: pytest.MonkeyPatch, behaviour: str
) -> None:
    loading, asked = BEHAVIOUR[behaviour]
    shutil.copytree(honest, tmp_path, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
    body, certificate = PLUGIN.format(name="hostile"), tmp_path / "plan.certificate.json"
    stated = json.loads(certificate.read_text())
    body = f"{loading}\n{body.replace('return NO_LOSS', asked or 'return NO_LOSS')}"
    (tmp_path / "hostile.py").write_text(body)
    with monkeypatch.context() as path:
        path.syspath_prepend(tmp_path)
        now = digest_of_distribution("hostile", ["hostile"], thorough=True)
    for plugin in stated["plugins"]:
        plugin["digest"] = now if plugin["name"] == "hostile" else plugin["digest"]
    certificate.write_text(json.dumps(stated, sort_keys=True, separators=(",", ":"), ensure_ascii=False) + "\n")
    done = program(tmp_path, "verify", certificate, tmp_path / "plan.toml", "--within", "8s")
    assert done.returncode in (1, 2, 3)
    assert "verified" not in done.stdout
    assert "Traceback" not in done.stderr


def test_a_plugin_that_a_certificate_does_not_rest_on_is_never_imported_by_verify(
    tmp_path: Path, survey: Path, certificate: Path
) -> None:
    mark = tmp_path / "mark"
    installed(tmp_path, "hostile", {"hostile.py": f"open({str(mark)!r}, 'w')\n{PLUGIN.format(name='hostile')}"})
    done = program(tmp_path, "verify", certificate, survey)
    assert done.returncode == 0
    assert done.stdout.startswith("verified")
    assert "the certificate does not rest on plugin 'hostile' of hostile 1.0, so it is not loaded" in done.stderr
    assert not mark.exists()
    assert program(tmp_path, "plugins").returncode == 0
    assert mark.exists()


def test_a_plugin_with_other_files_than_the_certificate_names_is_never_imported_by_verify(
    tmp_path: Path, honest: Path
) -> None:
    shutil.copytree(honest, tmp_path, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
    mark, body = tmp_path / "mark", PLUGIN.format(name="hostile")
    certificate = tmp_path / "plan.certificate.json"
    assert program(tmp_path, "verify", certificate, tmp_path / "plan.toml").returncode == 0
    (tmp_path / "hostile.py").write_text(f"open({str(mark)!r}, 'w')\n{body}")
    done = program(tmp_path, "verify", certificate, tmp_path / "plan.toml")
    assert done.returncode == 1
    assert "does not have the files that the certificate names" in done.stderr
    assert not mark.exists()


def test_a_command_that_takes_too_long_says_which_release(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    (tmp_path / "plan.toml").write_text(SLOW)
    body = PLUGIN.format(name="hostile").replace("return NO_LOSS", "import time; time.sleep(600)")
    installed(tmp_path, "hostile", {"hostile.py": body})
    monkeypatch.syspath_prepend(tmp_path)
    registry = Registry.load()
    monkeypatch.setattr(registry_module, "default_registry", lambda: registry)
    for command in (["measure", "--as", "zcdp"], ["certify"]):
        done = run(command[0], tmp_path / "plan.toml", *command[1:], "--within", "4s", "--memory", "2GB")
        assert done.exit_code == 2
        assert done.stderr.startswith("error: not finished within 4 s, at the release 'wages'")
        assert done.stdout == ""
    sys.modules.pop("hostile")


def test_a_command_within_its_limits_answers_as_without_them(run: Run, survey: Path) -> None:
    words = ("measure", survey, "--as", "zcdp")
    bounded, free = run(*words, "--within", "90s", "--memory=4GB"), run(*words)
    assert (bounded.exit_code, bounded.stdout, bounded.stderr) == (free.exit_code, free.stdout, free.stderr)
    wrong = ("measure", survey, "--as", "nothing")
    assert run(*wrong, "--within=90s").stderr == run(*wrong).stderr


@pytest.mark.parametrize("json_too", [False, True])
def test_limits_that_are_none_are_refused(run: Run, survey: Path, json_too: bool) -> None:
    done = run("certify", survey, "--within", "soon", *(["--json"] if json_too else []))
    assert done.exit_code == 2
    assert "expected a time such as '30s', '5min' or '2h', got 'soon'" in done.stderr
    assert not json_too or json.loads(done.stderr)


def test_every_command_that_computes_can_be_bounded() -> None:
    context = main.make_context("accountant", ["plugins"])
    for name in main.list_commands(context):
        command = main.get_command(context, name)
        assert command is not None
        if name in ("keys", "sign", "ledger"):
            continue  # groups, and what computes nothing
        assert {"within", "memory"} <= {parameter.name for parameter in command.get_params(context)}, name
    assert "verify" in own_commands()
