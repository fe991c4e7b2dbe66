"""Laws of commands: they say how they are used, refuse with a status that says so, and print JSON where they offer it."""

from __future__ import annotations

import contextlib
import json
import re
import shlex
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import click
from click.testing import CliRunner, Result

from accountant.errors import AccountantError
from accountant.testing.counterexamples import broken

_NOTHING = "no-such-value"
_BAD_INPUT = click.UsageError.exit_code
_ENDS = re.compile(r", | -- |[\s'\"](?:accountant|pytest|pip|python) ")
"""Where an example ends within a line."""
_ERROR = re.compile(r"^\s*error:(?!\s*(?:[-+.\d]|none\b)).*", re.IGNORECASE | re.MULTILINE)
"""An error as command lines tell it; one that is a number is an answer."""
_REFUSING = re.compile(
    r"\b(?:cannot|can't|could not|unable to|failed to) (?:be )?(?:read|open|load|pars|us|understood|understand|convert)\w*"
    r"|\bno such file\b|\bdoes not exist\b|\bis (?:not (?:an? )?|no )(?:valid|number|file|plan)\b",
    re.IGNORECASE,
)
_REFUSALS = (SystemExit, click.Abort, click.ClickException, AccountantError)
_COMPLAINING = re.compile(
    r"(?<!\b0 )(?<!\bno )\b(?:error|cannot|could not|can't|invalid|refused?|no such|not found|failed)\b", re.IGNORECASE
)
"""What is said aside, where nothing is answered."""


def command_says_how_it_is_used(command: click.Command) -> None:
    """A command explains itself and every option, with an example, and refuses what it does not know in one line."""
    name = command.name or ""
    shown = _run(command, ["--help"])
    if _status(shown) != 0:
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
    # What is handed to another program has options and values of that program.
    if not any(parameter.type is click.UNPROCESSED for parameter in command.params):
        _require_known_options(command, name)
        _require_unknown_refused(command, name)
        _require_refusal(command, name)
    _require_json(command, name)


def _run(command: click.Command, words: Sequence[str]) -> Result:
    """What a command does as the program calls it: errors reach whoever shows them, and a number it returns is a status."""
    return CliRunner().invoke(command, words, prog_name=f"accountant {command.name}", standalone_mode=False)


def _status(ran: Result) -> int:
    """The status with which the program ends."""
    if isinstance(ran.exception, click.ClickException | AccountantError):
        return _BAD_INPUT
    if ran.exception is not None:
        return ran.exit_code
    return ran.return_value if isinstance(ran.return_value, int) else 0


def _examples(command: click.Command, name: str) -> Iterator[str]:
    """What follows the name of the command where its help shows it."""
    shown = (command.help or "") + "\n" + (command.epilog or "")
    for line in re.findall(rf"accountant {re.escape(name)}(?![\w-])([^|;&`)\n]*)", shown):
        yield _ENDS.split(line)[0]


def _require_known_options(command: click.Command, name: str) -> None:
    """An example shows options that there are."""
    known = {word for parameter in command.params for word in (*parameter.opts, *parameter.secondary_opts)} | {"--help"}
    for example in _examples(command, name):
        for word in re.findall(r"(?<!\S)--[a-z][\w-]*", example):
            if word not in known and not isinstance(command, click.Group):
                broken(
                    f"'accountant {name} --help' must show an example that works",
                    example=f"accountant {name}{example}",
                    unknown=word,
                    options=", ".join(sorted(known)),
                )


def _require_unknown_refused(command: click.Command, name: str) -> None:
    refused = _run(command, ["--no-such-option"])
    if _status(refused) != _BAD_INPUT or "Traceback" in refused.output:
        broken(
            f"'accountant {name}' must refuse an unknown option with exit code 2",
            exit_code=_status(refused),
            printed=refused.output.strip()[-500:],
        )


def _require_refusal(command: click.Command, name: str) -> None:
    """What nobody can have meant is refused in words: an error of Python's own is none."""
    needed = [parameter for parameter in command.params if parameter.required]
    if isinstance(command, click.Group) or not needed:
        return
    words: list[str] = []
    for parameter in needed:
        words += [*parameter.opts[:1], _NOTHING] if isinstance(parameter, click.Option) else [_NOTHING]
    with _in_an_empty_folder() as folder:
        tried = _run(command, words)
        left = sorted(file.name for file in folder.iterdir())
    asked = f"accountant {name} {' '.join(words)}"
    if tried.exception is not None and not isinstance(tried.exception, _REFUSALS):
        broken(
            f"'accountant {name}' must refuse what it cannot use in words",
            tried=asked,
            error=f"{type(tried.exception).__name__}: {tried.exception}",
            remedy="give the parameter a type, or raise click.BadParameter",
        )
    if _status(tried) and left:
        broken(f"'accountant {name}' must write nothing where it refuses", tried=asked, written=", ".join(left))
    if not _status(tried):
        _require_success(name, asked, tried)
        if not left and any(isinstance(parameter.type, click.Path | click.File) for parameter in needed):
            _require_a_look(command, name, words, tried)


@contextlib.contextmanager
def _in_an_empty_folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as empty, contextlib.chdir(empty):
        yield Path(empty)


def _require_success(name: str, asked: str, tried: Result) -> None:
    """The status 0 says that all went well: then no error is told, and what was asked about is not called of no use."""
    said = [found[0] for found in _ERROR.finditer(tried.output)]
    said += [line for line in tried.output.splitlines() if _NOTHING in line and _REFUSING.search(line)]
    if not tried.stdout.strip():
        said += [line for line in tried.stderr.splitlines() if _COMPLAINING.search(line.replace(_NOTHING, ""))]
    if said:
        broken(
            f"'accountant {name}' must say by its exit status that it could not do what was asked",
            tried=asked,
            printed=tried.output.strip()[-500:],
            exit_code=0,
            because=f"it says '{said[0].strip()}'",
            remedy="raise click.ClickException or an error of 'accountant' instead of printing it",
            convention="an error begins with 'error:'; where any text may be asked about, type=click.UNPROCESSED says so",
        )


def _require_a_look(command: click.Command, name: str, words: Sequence[str], missing: Result) -> None:
    """A file may be missing, but not whatever it says: then nobody looked at it."""
    with _in_an_empty_folder() as folder:
        (folder / _NOTHING).write_text("planted\nno number\n")
        there = _run(command, words)
    if not _status(there) and there.output == missing.output:
        broken(
            f"'accountant {name}' must look at the file that it is given",
            tried=f"accountant {name} {' '.join(words)}, with no such file and with one that says nothing of use",
            printed_both_times=there.output.strip()[-500:] or "nothing",
            exit_code=0,
            remedy="refuse a file that is missing, with click.Path(exists=True); a name that is no file is a click.STRING",
        )


def _require_json(command: click.Command, name: str) -> None:
    """Where an example works with --json, what it prints is JSON: one value, or one on every line."""
    if not any("--json" in option.opts and option.is_flag for option in command.params if isinstance(option, click.Option)):
        return
    for example in _examples(command, name):
        try:
            words = shlex.split(example)
        except ValueError:
            continue
        with _in_an_empty_folder():
            tried = _run(command, [word for word in words if word != "--json"] + ["--json"])
        if not _status(tried) and "--help" not in words and not _is_json(tried.stdout):
            broken(
                f"'accountant {name} --json' must print JSON",
                tried=f"accountant {name}{example.replace(' --json', '')} --json",
                printed=tried.stdout.strip()[-500:] or "nothing",
            )


def _is_json(text: str) -> bool:
    """Whether a text is one JSON value, or one on every line."""
    for parts in ([text], text.splitlines()):
        with contextlib.suppress(ValueError):
            if [json.loads(part) for part in parts if part.strip()]:
                return True
    return False
