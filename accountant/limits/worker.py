"""Worker: a copy of this process that does one piece of work, is watched, and is ended where it takes too much."""

from __future__ import annotations

import contextlib
import mmap
import os
import select
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable
from typing import NoReturn

from accountant.errors import InvalidValue, LimitExceeded
from accountant.limits.memory import bound_memory, memory_of
from accountant.progress import noted

_LOOK = 0.05
_LONGEST_NOTE = 512
_ANSWER, _NO_MEMORY = b"A", b"M"
_LENGTH = 8


def answer_of(work: Callable[[], bytes], within: float | None, memory: int | None) -> bytes:
    """What a piece of work hands over, from a process of its own.

    Guarantee: an answer is one that was handed over in full. A worker that leaves early, with whatever status, that is
    ended, or that takes longer or more memory than it may raises LimitExceeded, which says what it was working on; it is
    gone then, and has been waited for.
    """
    if not hasattr(os, "fork"):
        raise InvalidValue("time and memory cannot be bounded on this system; leave --within and --memory out")
    reading, writing = os.pipe()
    board = mmap.mmap(-1, _LONGEST_NOTE)
    sys.stdout.flush()
    sys.stderr.flush()
    worker = _fork()
    if worker == 0:
        os.close(reading)
        _work(work, writing, board, within, memory)
    os.close(writing)
    try:
        return _watched(worker, reading, board, within, memory)
    finally:
        os.close(reading)
        _end(worker)


def _fork() -> int:
    with warnings.catch_warnings():
        # Python warns where there are other threads: the copy has none of them, and takes none of their locks.
        warnings.simplefilter("ignore", DeprecationWarning)
        return os.fork()


def _work(work: Callable[[], bytes], writing: int, board: mmap.mmap, within: float | None, memory: int | None) -> NoReturn:
    """Do the work and hand over what it found. Nothing else of the program runs in this copy, whatever happens."""
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever waits is interrupted, and ends this
        threading.Thread(target=_leave_with, args=(os.getppid(),), daemon=True).start()
        bound_memory(within, memory)
        with noted(lambda words: _note(board, words)):
            try:
                found = _ANSWER + work()
            except MemoryError:
                found = _NO_MEMORY
        _send(writing, found)
        sys.stderr.flush()
    finally:
        os._exit(0)


def _leave_with(parent: int) -> None:
    """End this copy when nobody waits for it any more."""
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(1)


def _send(writing: int, found: bytes) -> None:
    data = memoryview(len(found).to_bytes(_LENGTH, "little") + found)
    while data:
        data = data[os.write(writing, data) :]


def _note(board: mmap.mmap, words: str) -> None:
    written = words.encode("utf-8", "replace")[: _LONGEST_NOTE - 1]
    board[: len(written) + 1] = written + b"\0"


def _watched(worker: int, reading: int, board: mmap.mmap, within: float | None, memory: int | None) -> bytes:
    ends = None if within is None else time.monotonic() + within
    at_first = memory_of(worker) if memory is not None else 0
    found = bytearray()
    while True:
        left = _LOOK if ends is None else min(_LOOK, max(0.0, ends - time.monotonic()))
        ready, _, _ = select.select([reading], [], [], left)
        if ready:
            part = os.read(reading, 2**16)
            found += part
            if not part or (len(found) >= _LENGTH and len(found) >= _LENGTH + int.from_bytes(found[:_LENGTH], "little")):
                return _whole(bytes(found), board, memory)
        if ends is not None and time.monotonic() >= ends:
            raise LimitExceeded(f"not finished within {_time(within)}{_place(board)}; allow more time, or ask for less")
        if memory is not None and memory_of(worker) - at_first > memory:
            raise LimitExceeded(_too_much(memory, board))


def _whole(found: bytes, board: mmap.mmap, memory: int | None) -> bytes:
    """What was handed over, if it is complete."""
    if len(found) < _LENGTH + 1 or len(found) != _LENGTH + int.from_bytes(found[:_LENGTH], "little"):
        raise LimitExceeded(
            f"the worker ended without an answer{_place(board)}: a plugin left the program, or the system ended it"
        )
    kind, answer = found[_LENGTH : _LENGTH + 1], found[_LENGTH + 1 :]
    if kind != _ANSWER:
        raise LimitExceeded(_too_much(memory, board))
    return answer


def _end(worker: int) -> None:
    """End the worker, if it has not ended, and wait for it."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(worker, signal.SIGKILL)
    os.waitpid(worker, 0)


def _place(board: mmap.mmap) -> str:
    words = board[:].partition(b"\0")[0].decode("utf-8", "ignore")
    return f", at {words}" if words else ""


def _too_much(memory: int | None, board: mmap.mmap) -> str:
    more = "than there is" if memory is None else f"than {_size(memory)}"
    return f"more memory is needed {more}{_place(board)}; allow more memory, or ask for less"


def _time(seconds: float | None) -> str:
    return f"{seconds or 0:g} s"


def _size(number: int) -> str:
    return f"{number / 10**9:g} GB" if number >= 10**9 else f"{number / 10**6:g} MB"
