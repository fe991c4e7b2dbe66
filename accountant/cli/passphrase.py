"""Passphrases: asked for on the terminal, or taken from a file or the environment; never an argument, never shown."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import click

from accountant.cli.options import PASSPHRASE
from accountant.errors import PlanError, SigningError

_STANDARD_INPUT = "-"


def passphrase(file: str | None, *, new: bool = False) -> str | None:
    """The passphrase: of the file, of the environment, or as typed; None where there is nobody to ask.

    A `new` one is asked for twice. The end of the line that a file ends with is no part of it.
    """
    if file is not None:
        return _written(file)
    known = os.environ.get(PASSPHRASE)
    if known is not None:
        return known
    if not sys.stdin.isatty():
        return None
    typed: Any = click.prompt("Passphrase", hide_input=True, confirmation_prompt=new, err=True)
    return str(typed)


def _written(file: str) -> str:
    from accountant.values.source import decoded, file_text

    try:
        content = decoded(sys.stdin.buffer, "standard input") if file == _STANDARD_INPUT else file_text(Path(file))
    except PlanError as error:
        raise SigningError(f"the passphrase {error}") from error
    return content.removesuffix("\n").removesuffix("\r")
