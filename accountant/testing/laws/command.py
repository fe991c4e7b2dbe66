"""Laws of commands: they say how they are used, and refuse in one line, with a status that says so."""

from __future__ import annotations

import contextlib
import re
import tempfile
from pathlib import Path

import click
from click.testing import CliRunner

from accountant.errors import AccountantError
from accountant.testing.counterexamples import broken

_NOTHING = "no-such-value"
_REFUSING = re.compile(r"\b(?:error|cannot|could not|can't|invalid|refused?|no such|not found|failed)\b", re.IGNORECASE)


def command_says_how_it_is_used(command: click.Command) -> None:
    """A command explains itself and every option, with an example, and refuses what it does not know in one line."""
    name = command.name or ""
    shown = CliRunner().invoke(command, ["--help"], prog_name=f"accountant {name}")
    if shown.exit_code != 0:
        broken(f"'accountant {name} --help' must work", printed=shown.output.strip()[-500:])
    silent = [
        parameter.name
        for parameter in command.params
        if isinstance(parameter, click.Option) and not parameter.hidden and not (parameter.help or "").strip()
    ]
    if silent:
        broken(f"'accountant {name}' must explain its options", unexplained=", ".join(filter(None, silent)))
    if not re.search(rf"accountant {re.escape(name)}\b", (command.help or "") + (command.epilog or "")):
        broken(
            f"'accountant {name} --help' must show an example",
            remedy=f"write a line that starts with 'accountant {name}' into the help text",
        )
    _require_known_options(command, name)
    refused = CliRunner().invoke(command, ["--no-such-option"], prog_name=f"accountant {name}")
    if refused.exit_code != 2 or "Traceback" in refused.output:
        broken(
            f"'accountant {name}' must refuse an unknown option with exit code 2",
            exit_code=refused.exit_code,
            printed=refused.output.strip()[-500:],
        )
    _require_refusal(command, name)


def _require_known_options(command: click.Command, name: str) -> None:
    """An example shows options that there are."""
    known = {word for parameter in command.params for word in (*parameter.opts, *parameter.secondary_opts)} | {"--help"}
    for line in re.findall(
        rf"accountant {re.escape(name)}\b([^|;&`)\n]*)", (command.help or "") + "\n" + (command.epilog or "")
    ):
        for word in re.findall(r"(?<!\S)--[a-z][\w-]*", line):
            if word not in known and not isinstance(command, click.Group):
                broken(
                    f"'accountant {name} --help' must show an example that works",
                    example=f"accountant {name}{line}",
                    unknown=word,
                    options=", ".join(sorted(known)),
                )


def _require_refusal(command: click.Command, name: str) -> None:
    """What nobody can have meant is refused in words: an error of Python's own is none."""
    needed = [parameter for parameter in command.params if parameter.required]
    if isinstance(command, click.Group) or not needed:
        return
    words: list[str] = []
    for parameter in needed:
        words += [*parameter.opts[:1], _NOTHING] if isinstance(parameter, click.Option) else [_NOTHING]
    with tempfile.TemporaryDirectory() as empty, contextlib.chdir(empty):
        tried = CliRunner().invoke(command, words, prog_name=f"accountant {name}")
        left = sorted(file.name for file in Path(empty).iterdir())
    if tried.exception is not None and not isinstance(tried.exception, SystemExit | AccountantError | click.ClickException):
        broken(
            f"'accountant {name}' must refuse what it cannot use in words",
            tried=f"accountant {name} {' '.join(words)}",
            error=f"{type(tried.exception).__name__}: {tried.exception}",
            remedy="give the parameter a type, or raise click.BadParameter",
        )
    asked = f"accountant {name} {' '.join(words)}"
    if tried.exit_code and left:
        broken(f"'accountant {name}' must write nothing where it refuses", tried=asked, written=", ".join(left))
    if not tried.exit_code:
        _require_success(name, asked, tried.output, read=_reads(needed) and not left)


def _reads(needed: list[click.Parameter]) -> bool:
    """Whether some parameter is the name of a file."""
    return any(isinstance(parameter.type, click.Path | click.File) for parameter in needed)


def _require_success(name: str, asked: str, printed: str, *, read: bool) -> None:
    """The status 0 says that all went well: then no error is told, and no file that should be read is missing."""
    said = _REFUSING.search(printed.replace(_NOTHING, ""))
    if said or read:
        broken(
            f"'accountant {name}' must say by its exit status that it could not do what was asked",
            tried=asked,
            printed=printed.strip()[-500:] or "nothing",
            exit_code=0,
            because=f"it says '{said[0]}'" if said else "there is no such file",
            remedy="raise click.ClickException or an error of 'accountant' instead of printing it",
        )
