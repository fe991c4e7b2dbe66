"""What commands print and write: lines, JSON, trees, files, and a sign of life when it takes long."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import stat
import sys
import textwrap
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from accountant.errors import AccountantError
from accountant.progress import watched

if TYPE_CHECKING:
    from rich.console import Console

_PATIENCE, _REFRESH = 2.0, 0.1
_PLAIN_WIDTH = 10_000
_COLOUR = re.compile(r"(\x1b\[(?:[01]|3[0-7]|9[0-7])m)")
"""What `click.style` writes for the colours that are used here."""
_NARROWEST, _NOBODY_LOOKS = 60, 100


def coloured() -> bool | None:
    """False where the user forbids colours; None to leave it to the terminal."""
    return False if os.environ.get("NO_COLOR") else None


def visible(text: str, keep: str = "") -> str:
    """A text whose control characters cannot act on a terminal."""
    return "".join(c if c.isprintable() or c in keep else f"\\u{ord(c):04x}" for c in text)


def say(text: str, *, err: bool = False) -> None:
    """Print a line. Colours are all that can act on a terminal, whatever is in the text."""
    from accountant.values.hygiene import harmless

    parts = _COLOUR.split(text)
    click.echo(
        "".join(part if index % 2 else harmless(part) for index, part in enumerate(parts)), err=err, color=coloured()
    )


def width() -> int:
    """How wide to write: as the terminal is or COLUMNS says, at least 60; 100 where neither is known."""
    return max(_NARROWEST, shutil.get_terminal_size((_NOBODY_LOOKS, 24)).columns)


def wrapped(text: str, indent: int = 0, first: int | None = None) -> str:
    """A text in lines that fit, all but the first indented; words are never broken."""
    starts = " " * (indent if first is None else first)
    return textwrap.fill(
        text,
        width(),
        initial_indent=starts,
        subsequent_indent=" " * indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def say_under(label: str, text: str, *, wide: int) -> None:
    """Print a labelled text in lines that fit, below a first line that said what they are about."""
    first, *rest = wrapped(visible(text), indent=wide + 2).splitlines() or [""]
    say(f"  {label + ':':<{wide}}{first[wide + 2 :]}")
    for line in rest:
        say(line)


def warn(message: str) -> None:
    """Print an error on standard error."""
    say(click.style("error:", fg="red", bold=True) + " " + visible(message), err=True)


def say_json(data: object, *, indent: int | None = 2) -> None:
    """Print plain data as JSON in UTF-8, whatever the encoding of the terminal."""
    from accountant.values.hygiene import harmless

    click.echo(harmless(json.dumps(data, indent=indent, ensure_ascii=False, allow_nan=False)).encode())


def console() -> Console:
    """A console that wraps and colours on a terminal and prints plain whole lines elsewhere."""
    from rich.console import Console

    options: dict[str, Any] = {"markup": False, "highlight": False, "emoji": False, "soft_wrap": False}
    if sys.stdout.isatty():
        return Console(no_color=coloured() is False, **options)
    return Console(width=_PLAIN_WIDTH, color_system=None, force_terminal=False, **options)


@contextlib.contextmanager
def working(message: str) -> Iterator[None]:
    """Show what is going on and how far it is when it takes longer than two seconds, on a terminal only."""
    if not sys.stderr.isatty():
        yield
        return
    done, share = threading.Event(), [0.0]
    watcher = threading.Thread(target=_show, args=(message, share, done), daemon=True)
    watcher.start()
    try:
        with watched(lambda found: share.__setitem__(0, found)):
            yield
    finally:
        done.set()
        watcher.join()


def _show(message: str, share: list[float], done: threading.Event) -> None:
    """Draw how far the work is until it is done; a percentage where that is known."""
    if done.wait(_PATIENCE):
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TaskProgressColumn, TextColumn, TimeElapsedColumn

    console = Console(stderr=True, no_color=coloured() is False)
    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), BarColumn(), TaskProgressColumn())
    with Progress(*columns, TimeElapsedColumn(), console=console, transient=True) as bar:
        task = bar.add_task(message, total=None)
        while not done.wait(_REFRESH):
            if share[0]:
                bar.update(task, total=1.0, completed=share[0])


@contextlib.contextmanager
def alone(path: Path) -> Iterator[None]:
    """Keep other programs that ask for the same from changing a file, from reading what it holds until it is written.

    The folder is locked and not the file, which is replaced when it is written. Windows has no such lock: there, nothing is
    kept from anybody.
    """
    try:
        import fcntl
    except ImportError:
        yield
        return
    try:
        folder = os.open(path.resolve().parent, os.O_RDONLY)
    except OSError as error:
        raise AccountantError(f"cannot write {path}: {error.strerror or error}") from error
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)


def write_whole(path: Path, content: str) -> None:
    """Write a file so that at every moment it holds the old content or the new one in full."""
    try:
        target = path.resolve()
        if target.exists() and not stat.S_ISREG(target.stat().st_mode):
            target.write_text(content, encoding="utf-8")  # a directory fails here; a device or a pipe is written to
            return
        draft = target.with_name(f".{target.name}.{os.getpid()}.draft")
        try:
            with draft.open("x", encoding="utf-8", newline="\n") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            draft.replace(target)
        finally:
            draft.unlink(missing_ok=True)
    except OSError as error:
        raise AccountantError(f"cannot write {path}: {error.strerror or error}") from error
