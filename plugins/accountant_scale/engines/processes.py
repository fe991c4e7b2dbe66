"""Processes: a function over many items on all cores of this machine, and an interruption that ends all of them."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from multiprocessing.synchronize import Event
from typing import Generic, TypeVar

from attrs import frozen

T = TypeVar("T")
S = TypeVar("S")

_FEW = 256
"""Fewer items than this are not worth starting a process for."""
_MOST_IN_CHUNK = 64

_stop: Event | None = None
"""In a process that was started here: whether everything is over."""


def spread(function: Callable[[S], T], items: Sequence[S], processes: int) -> Iterator[T]:
    """What a function gives for every item, in their order. Whoever stops asking waits for one item of each process."""
    if len(items) < _FEW or processes == 1:
        yield from map(function, items)
        return
    context = get_context("spawn")
    stop = context.Event()
    chunk = max(1, min(_MOST_IN_CHUNK, len(items) // (4 * processes)))
    with ProcessPoolExecutor(processes, mp_context=context, initializer=_begun, initargs=(stop,)) as pool:
        try:
            yield from pool.map(_Until(function), items, chunksize=chunk)
        except BaseException:
            stop.set()
            pool.shutdown(cancel_futures=True)
            raise


@frozen
class _Until(Generic[S, T]):
    """A function until everything is over."""

    function: Callable[[S], T]

    def __call__(self, item: S) -> T:
        if _stop is not None and _stop.is_set():
            raise InterruptedError
        return self.function(item)


def _begun(stop: Event) -> None:
    """A worker is ended by the process that started it: an interruption is told once."""
    global _stop
    _stop = stop
    signal.signal(signal.SIGINT, signal.SIG_IGN)
