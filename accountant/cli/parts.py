"""Parts: long work in independent pieces, done by several processes and kept one by one, so that it can be gone on with.

A piece is plain data, and so is what is found for it. What was found stands in a file whose name is a digest of what was
asked, and which is there in full or not at all: work that was ended goes on where it stopped, whoever asks for how many
processes, and a file of other work is never mistaken for one of this.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from accountant.cli.output import visible, write_whole
from accountant.errors import AccountantError, InvalidValue
from accountant.progress import reached

if TYPE_CHECKING:
    from concurrent.futures import Executor

Plain = dict[str, Any]
Work = Callable[[Plain], Plain]
"""What does a piece: a function of a module, which other processes find by its name."""

_ALONE = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def done_in_parts(work: Work, parts: Sequence[Plain], folder: Path, processes: int | None = None) -> list[Plain]:
    """What `work` finds for every part, in their order; what is found in `folder` already is not done again.

    Guarantee: the same whatever the number of processes and however often it was ended, where `work` depends on its part
    alone. Every process does its sums in one thread, since threads would add up in other orders.
    """
    files = [folder / f"{_digest(work, part)}.json" for part in parts]
    found = {place: told for place, path in enumerate(files) if (told := _read(path)) is not None}
    left = [place for place in range(len(parts)) if place not in found]
    _made(folder)
    if left:
        with _workers(min(processes or _cores(), len(left))) as pool:
            for place, told in _finished(pool, work, parts, left):
                write_whole(files[place], json.dumps({"whole": True, "found": told}))
                found[place] = told
                reached(len(found) / len(parts))
    return [found[place] for place in range(len(parts))]


def kept_beside(folder: Path) -> Path:
    """Where the parts of what a folder is to hold are kept until it is written."""
    if folder.exists():
        raise InvalidValue(f"'{visible(str(folder))}' is there already; name a folder that is not")
    return folder.with_name(f"{folder.name}.parts")


def kept_seed(folder: Path) -> int:
    """A seed of the system's randomness; that of work which was ended, where there is some to go on with."""
    import secrets

    path = folder / "seed"
    try:
        return int(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        _made(folder)
        write_whole(path, str(secrets.randbits(63)))
        return int(path.read_text(encoding="utf-8"))


def forgotten(folder: Path) -> None:
    """Remove parts that are not needed any more."""
    shutil.rmtree(folder, ignore_errors=True)


def _made(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise AccountantError(f"cannot write {visible(str(folder))}: {error.strerror or error}") from error


def _digest(work: Work, part: Plain) -> str:
    """What names a part: what is done, by which version, and with what."""
    import hashlib
    from importlib.metadata import version

    whole = {"work": f"{work.__module__}.{work.__qualname__}", "version": version("privacy-accountant"), "part": part}
    return hashlib.sha256(json.dumps(whole, sort_keys=True, allow_nan=False).encode()).hexdigest()[:32]


def _read(path: Path) -> Plain | None:
    """What was found for a part; None where there is no file, or none that is whole."""
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    found = told.get("found") if isinstance(told, Mapping) and told.get("whole") is True else None
    return found if isinstance(found, dict) else None


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def _workers(processes: int) -> Iterator[Executor]:
    """Fresh processes, each of which counts by itself. What was asked of them and not begun is dropped at the end."""
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    before = {name: os.environ.get(name) for name in _ALONE}
    os.environ.update(dict.fromkeys(_ALONE, "1"))
    pool = ProcessPoolExecutor(processes, multiprocessing.get_context("spawn"))
    try:
        yield pool
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _finished(pool: Executor, work: Work, parts: Sequence[Plain], left: Sequence[int]) -> Iterator[tuple[int, Plain]]:
    """Parts as they are done, by their places."""
    from concurrent.futures import as_completed
    from concurrent.futures.process import BrokenProcessPool

    waiting = {pool.submit(work, parts[place]): place for place in left}
    try:
        for future in as_completed(waiting):
            yield waiting[future], future.result()
    except BrokenProcessPool as error:
        raise AccountantError("a process that did a part of the work was ended; ask again to go on from there") from error
