"""How the program behaves as a process: light help, whole files, quiet pipes, no colours where none are wanted."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import click
import pytest
from click.testing import Result

from accountant import Registry
from accountant.cli import program
from accountant.cli.commands import certify as certify_module, further_commands, own_commands
from accountant.cli.output import write_whole
from accountant.errors import AccountantError, PluginError
from accountant.plugin import hookimpl
from accountant.plugin.families import COMMANDS

Run = Callable[..., Result]
PROGRAM = str(Path(sys.executable).with_name("accountant"))


def start(*arguments: object, **keywords: object) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONIOENCODING": "utf-8"}
    options = {"capture_output": True, "text": True, "timeout": 60, "env": environment, **keywords}
    return subprocess.run([PROGRAM, *map(str, arguments)], **options)  # type: ignore[call-overload, no-any-return]


@pytest.mark.parametrize("command", [(), *((name,) for name in own_commands())], ids=" ".join)
def test_help_answers_with_examples_and_without_numerics(command: tuple[str, ...]) -> None:
    script = (
        "import sys\n"
        "from accountant.cli import main\n"
        "try: main(sys.argv[1:])\n"
        "finally: print('LOADED', *sorted({'numpy', 'scipy', 'rich'} & set(sys.modules)))\n"
    )
    result = subprocess.run([sys.executable, "-c", script, *command, "--help"], capture_output=True, text=True, timeout=60)
    assert (result.returncode, result.stderr) == (0, "")
    assert "Example" in result.stdout
    assert result.stdout.splitlines()[-1] == "LOADED"


def test_every_own_command_is_offered_and_none_else(run: Run) -> None:
    folder = Path(program.__file__).parent / "commands"
    assert all((folder / f"{name}.py").exists() or (folder / name / "__init__.py").exists() for name in own_commands())
    assert all(f"\n  {name} " in run("--help").stdout for name in own_commands())


def test_the_version_is_that_of_the_distribution(run: Run) -> None:
    assert run("--version").stdout.startswith("accountant 0.")


def plugin_with_command(name: str) -> ModuleType:
    @click.command(name)
    def command() -> None:
        """Say hello."""
        click.echo("hello")

    module = ModuleType("greeter")
    module.accountant_commands = hookimpl(lambda: (command,), specname="accountant_commands")  # type: ignore[attr-defined]
    module.accountant_commands.__name__ = "accountant_commands"
    return module


def test_commands_of_plugins_are_offered(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    registry = Registry.load(extra=[plugin_with_command("greet")])
    monkeypatch.setattr(program, "commands_registry", lambda: registry)
    assert "Say hello." in run("--help").stdout
    assert run("greet").stdout == "hello\n"


def test_plugins_that_are_asked_for_commands_only_are_held_to_the_hooks() -> None:
    registry = Registry.load(extra=[plugin_with_command("greet")], families=(COMMANDS,))
    assert "greet" in registry[COMMANDS]
    assert registry.owner(COMMANDS, "greet").digest == "none: it has no files"
    with pytest.raises(PluginError, match="'recommend', already defined by"):
        Registry.load(extra=[plugin_with_command("recommend")], families=(COMMANDS,))
    misspelt = plugin_with_command("greet")
    misspelt.accountant_comands = misspelt.accountant_commands  # type: ignore[attr-defined]
    with pytest.raises(PluginError, match="accountant_comands"):
        Registry.load(extra=[misspelt], families=(COMMANDS,))


@pytest.mark.parametrize("name", own_commands())
def test_a_plugin_cannot_take_the_name_of_an_own_command(name: str) -> None:
    with pytest.raises(PluginError, match=f"'greeter'.*'{name}'"):
        further_commands(Registry.load(extra=[plugin_with_command(name)]))


def test_a_broken_plugin_leaves_help_and_the_list_usable(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> Registry:
        raise PluginError("plugin 'x' could not be loaded")

    monkeypatch.setattr(program, "commands_registry", broken)
    result = run("--help")
    assert result.exit_code == 0
    assert "error: commands of plugins are left out: plugin 'x' could not be loaded" in result.stderr
    assert run("plugins", "--disable", "noise").exit_code == 0


def defect(*_: object, **__: object) -> None:
    raise RuntimeError("the sky fell")


@pytest.mark.parametrize("debug", [False, True])
def test_a_defect_is_a_short_message_and_a_traceback_on_request(
    run: Run, survey: Path, monkeypatch: pytest.MonkeyPatch, debug: bool
) -> None:
    monkeypatch.setattr("accountant.certificate.certify.certify", defect)
    result = run(*(["--debug"] if debug else []), "certify", survey)
    assert (result.exit_code, result.stdout) == (3, "")
    assert "RuntimeError: the sky fell" in result.stderr
    assert ("Traceback" in result.stderr) is debug
    assert not survey.with_name("plan.certificate.json").exists()


def test_interrupting_is_neither_a_verdict_nor_a_defect(run: Run, survey: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("accountant.plan.reader.load_plan", interrupt)
    result = run("certify", survey)
    assert (result.exit_code, result.stdout.strip()) == (130, "")


def test_writing_into_nowhere_is_one_clear_error(run: Run, survey: Path) -> None:
    for target in (survey.parent, survey.parent / "absent" / "c.json", survey):
        result = run("certify", survey, "--output", target)
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr.startswith(f"error: cannot write {target}: ")
        assert len(result.stderr.splitlines()) == 1
    assert [path.name for path in survey.parent.iterdir()] == ["plan.toml"]


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "certificate.json"
    write_whole(target, "old")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(AccountantError, match="No space left on device"):
        write_whole(target, "new")
    assert [path.name for path in tmp_path.iterdir()] == ["certificate.json"]
    assert target.read_text(encoding="utf-8") == "old"


def test_a_written_file_follows_links_and_the_usual_permissions(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("old", encoding="utf-8")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    write_whole(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text(encoding="utf-8") == "new"
    assert (tmp_path / "real").stat().st_mode & 0o444
    write_whole(Path(os.devnull), "nothing")
    assert not Path(os.devnull).is_file()


def test_a_closed_pipe_is_quiet(survey: Path) -> None:
    process = subprocess.Popen([PROGRAM, "schema", "plan"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    error = process.stderr.read()
    process.stderr.close()
    assert (process.wait(timeout=60), error) == (141, b"")


@pytest.mark.slow
def test_the_exit_status_reaches_the_shell(survey: Path) -> None:
    survey.write_text(survey.read_text(encoding="utf-8").replace('epsilon = "4"', 'epsilon = "1"'), encoding="utf-8")
    assert start("certify", survey).returncode == 1
    assert start("certify", survey.parent).returncode == 2


@pytest.mark.slow
def test_an_encoding_without_the_characters_is_no_obstacle(survey: Path) -> None:
    survey.write_text(survey.read_text(encoding="utf-8").replace("County", "Município 保健"), encoding="utf-8")
    environment = {**os.environ, "PYTHONIOENCODING": "latin-1"}
    shown = start("explain", survey, "--as", "zcdp", env=environment, encoding="latin-1")
    assert shown.returncode == 0
    assert "Município ??" in shown.stdout
    printed = subprocess.run([PROGRAM, "certify", survey, "--json"], capture_output=True, env=environment, timeout=60)
    assert json.loads(printed.stdout.decode("utf-8"))["title"].startswith("Município 保健")


def on_terminal(command: list[object], **setting: str) -> tuple[int, str]:
    """The exit status of a process on a terminal, and everything it shows there."""
    environment = {key: value for key, value in os.environ.items() if key not in {"NO_COLOR", "FORCE_COLOR"}}
    mine, theirs = pty.openpty()
    shown = b""
    try:
        process = subprocess.Popen(
            [str(word) for word in command], stdout=theirs, stderr=theirs, env={**environment, "TERM": "xterm", **setting}
        )
        os.close(theirs)
        # A terminal whose other side is gone reports an error instead of an end.
        with contextlib.suppress(OSError):
            while part := os.read(mine, 4096):
                shown += part
        return process.wait(timeout=60), shown.decode()
    finally:
        os.close(mine)


@pytest.mark.slow
@pytest.mark.parametrize(("setting", "expected"), [({}, True), ({"NO_COLOR": "1"}, False)])
def test_colours_appear_only_on_a_terminal_that_wants_them(survey: Path, setting: dict[str, str], expected: bool) -> None:
    status, shown = on_terminal([PROGRAM, "certify", survey.parent / "absent"], **setting)
    assert status == 2
    assert ("\x1b[" in shown) is expected
    assert "cannot be read" in shown
    status, shown = on_terminal([PROGRAM, "explain", survey, "--as", "zcdp"], **setting)
    assert status == 0
    assert ("\x1b[1;31mCLAIMED" in shown) is expected
    assert "CLAIMED" in shown


@pytest.mark.parametrize(("seconds", "expected"), [(0.0, False), (1.0, True)])
def test_a_sign_of_life_appears_on_a_terminal_when_it_takes_long(seconds: float, expected: bool) -> None:
    script = (
        "import time; from accountant.cli import output; output._PATIENCE = 0.2\n"
        f"with output.working('composing'): time.sleep({seconds})"
    )
    status, shown = on_terminal([sys.executable, "-c", script])
    assert status == 0
    assert ("composing" in shown) is expected
    quiet = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert (quiet.stdout, quiet.stderr) == ("", "")


def test_the_commands_are_modules_that_the_program_loads_by_name() -> None:
    assert isinstance(certify_module.command, click.Command)
