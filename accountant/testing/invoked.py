"""Invoked: a command as the program calls it, in an empty folder and in a process that is ended if it never ends."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import click
from attrs import frozen
from click.testing import CliRunner

from accountant.errors import AccountantError, LimitExceeded
from accountant.limits import Limits
from accountant.testing.counterexamples import broken

BAD_INPUT = click.UsageError.exit_code
_REFUSALS = (SystemExit, click.Abort, click.ClickException, AccountantError)


@frozen
class Ran:
    """What a call of a command came to: its status, what it printed, and which files it left."""

    status: int
    output: str
    stdout: str
    stderr: str
    fault: str | None
    """An error of Python's own, which nobody was meant to see."""
    left: tuple[str, ...]

    @property
    def end(self) -> str:
        """The last of what was printed."""
        return self.output.strip()[-500:]


def ran(command: click.Command, words: Sequence[str], files: Mapping[str, str] | None = None, *, limits: Limits) -> Ran:
    """Call a command in a folder with these files only.

    Guarantee: it comes to an end. One that does not by itself is a counterexample.
    """
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (files or {}).items():
            Path(folder, name).write_text(text)
        if not hasattr(os, "fork"):
            return _called(command, words, folder)
        try:
            return limits.run(_called, command, words, folder)
        except LimitExceeded as error:
            broken(
                f"'accountant {command.name}' must come to an end",
                tried=" ".join(("accountant", command.name or "", *words)),
                ended_since=error,
                remedy="refuse what is not understood instead of asking again, and let an example be short; "
                "what goes on until it is stopped shows no example with --json",
            )


def _called(command: click.Command, words: Sequence[str], folder: str) -> Ran:
    """Errors reach whoever shows them, and a number that is returned is a status."""
    with contextlib.chdir(folder):
        found = CliRunner().invoke(command, words, prog_name=f"accountant {command.name}", standalone_mode=False)
    error, status = found.exception, found.exit_code
    if isinstance(error, click.ClickException | AccountantError):
        status = BAD_INPUT
    elif error is None:
        status = found.return_value if isinstance(found.return_value, int) else 0
    fault = None if error is None or isinstance(error, _REFUSALS) else f"{type(error).__name__}: {error}"
    left = tuple(sorted(file.name for file in Path(folder).iterdir()))
    return Ran(status, found.output, found.stdout, found.stderr, fault, left)
