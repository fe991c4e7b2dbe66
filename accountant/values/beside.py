"""Beside: files that a plan names. They are read only from the folder that the plan lies in, and never without a bound."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from accountant.errors import Fault, PlanError

MOST_BYTES = 256 * 2**20


def file_beside(folder: Path | None, name: str, place: str) -> tuple[Path, bytes]:
    """The path and the content of a file that lies in a folder or below it, of at most `MOST_BYTES`."""
    with opened_beside(folder, name, place) as (path, file):
        content = file.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise PlanError((Fault(f"'{path.name}' is larger than {MOST_BYTES:,} bytes", place),))
    return path, content


@contextmanager
def opened_beside(folder: Path | None, name: str, place: str) -> Iterator[tuple[Path, IO[bytes]]]:
    """The path of a file that lies in a folder or below it, and the file, open for reading.

    Guarantee: what is read is a regular file whose place, with all links followed, is inside the folder; it is opened
    once. Nothing is said about files elsewhere, not even whether they are there. Data that came without a folder has no
    files.
    """
    if folder is None:
        raise PlanError((Fault(f"'{name}' cannot be read: {_NO_FOLDER}", place),))
    path = folder / name
    try:
        file = _inside(folder, path, name, place)
    except FileNotFoundError as error:
        message = f"there is no file '{path.name}' in {path.parent.resolve()}; a path is taken from where the plan lies"
        raise PlanError((Fault(message, place),)) from error
    except (OSError, ValueError, RuntimeError) as error:  # a path with a NUL in it, links that lead in a circle
        raise _unreadable(path, error, place) from error
    with file:
        try:
            yield path, file
        except OSError as error:
            raise _unreadable(path, error, place) from error


def _unreadable(path: Path, error: Exception, place: str) -> PlanError:
    reason = error.strerror if isinstance(error, OSError) and error.strerror else error
    return PlanError((Fault(f"'{path.name}' cannot be read: {reason}", place),))


def _inside(folder: Path, path: Path, name: str, place: str) -> IO[bytes]:
    target = path.resolve()
    if not target.is_relative_to(folder.resolve()):
        raise PlanError((Fault(f"'{name}' is not in the plan's folder; {_BESIDE}", place),))
    return _opened(target, path.name, place)


_NO_FOLDER = (
    "a plan that is not a file has no folder with tables; write it to a file beside its tables, or give the releases"
)
_BESIDE = "tables are read from beside the plan only: move the file there, or the plan to it"


def _opened(target: Path, name: str, place: str) -> IO[bytes]:
    # Without waiting: a pipe that nobody writes to would never open. The last step follows no link put there meanwhile.
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    file = os.fdopen(os.open(target, flags), "rb")
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise PlanError((Fault(f"'{name}' is no regular file; tables are not read from devices or pipes", place),))
    return file
