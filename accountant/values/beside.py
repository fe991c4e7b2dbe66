"""Beside: files that a plan names. They are read only from the folder that the plan lies in, and never without a bound."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from accountant.errors import Fault, PlanError

MOST_BYTES = 256 * 2**20


def file_beside(folder: Path | None, name: str, place: str) -> tuple[Path, bytes]:
    """The path and the content of a file that lies in a folder or below it.

    Guarantee: what is read is a regular file whose place, with all links followed, is inside the folder; it is opened
    once and at most `MOST_BYTES` are read, whatever it says its size is. Nothing is said about files elsewhere, not even
    whether they are there. Data that came without a folder has no files.
    """
    if folder is None:
        raise PlanError((Fault(f"'{name}' cannot be read: {_NO_FOLDER}", place),))
    path = folder / name
    try:
        home, target = folder.resolve(), path.resolve()
        if not target.is_relative_to(home):
            raise PlanError((Fault(f"'{name}' is not in the plan's folder; {_BESIDE}", place),))
        return path, _content(target, path.name, place)
    except FileNotFoundError as error:
        message = f"there is no file '{path.name}' in {path.parent.resolve()}; a path is taken from where the plan lies"
        raise PlanError((Fault(message, place),)) from error
    except (OSError, ValueError, RuntimeError) as error:  # a path with a NUL in it, links that lead in a circle
        reason = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise PlanError((Fault(f"'{path.name}' cannot be read: {reason}", place),)) from error


_NO_FOLDER = (
    "a plan that is not a file has no folder with tables; write it to a file beside its tables, or give the releases"
)
_BESIDE = "tables are read from beside the plan only: move the file there, or the plan to it"


def _content(target: Path, name: str, place: str) -> bytes:
    # Without waiting: a pipe that nobody writes to would never open. The last step follows no link put there meanwhile.
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    with os.fdopen(os.open(target, flags), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise PlanError((Fault(f"'{name}' is no regular file; tables are not read from devices or pipes", place),))
        content = file.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise PlanError((Fault(f"'{name}' is larger than {MOST_BYTES:,} bytes", place),))
    return content
