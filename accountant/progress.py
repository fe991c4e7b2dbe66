"""Progress: how far a long computation is and what it is about, told to whoever watches. Otherwise it costs nothing.

What watches is told shares between 0 and 1 that never fall. Work inside a step or a stage speaks of its own part only.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar, copy_context
from typing import NamedTuple, TypeVar

T = TypeVar("T")

_OFTEN = 0.1
"""Seconds between two questions about how far others are."""


class _Part(NamedTuple):
    """Who watches, and which part of the whole the work at hand is."""

    show: Callable[[float], None]
    start: float
    end: float
    left: list[float]
    """How much of the part is left, as far as pieces of it were told of whose number nobody knows."""

    def within(self, low: float, high: float) -> _Part:
        width = self.end - self.start
        return _Part(self.show, self.start + low * width, self.start + high * width, [1.0])


_PART: ContextVar[_Part | None] = ContextVar("part", default=None)


@contextmanager
def watched(show: Callable[[float], None]) -> Iterator[None]:
    """Tell `show` how far the work inside is."""
    most = 0.0

    def raised(share: float) -> None:
        nonlocal most
        if share > most:
            most = share
            show(share)

    token = _PART.set(_Part(raised, 0.0, 1.0, [1.0]))
    try:
        yield
    finally:
        _PART.reset(token)


_NOTED: ContextVar[Callable[[str], None] | None] = ContextVar("noted", default=None)


@contextmanager
def noted(show: Callable[[str], None]) -> Iterator[None]:
    """Tell `show` what the work inside is about, whenever it turns to something else."""
    token = _NOTED.set(show)
    try:
        yield
    finally:
        _NOTED.reset(token)


def working_on(words: str) -> None:
    """Say what the work at hand is about: of work that is ended, this is what is told."""
    show = _NOTED.get()
    if show is not None:
        show(words)


def reached(share: float) -> None:
    """Say that a share of the work at hand is done."""
    part = _PART.get()
    if part is not None:
        part.show(part.within(0.0, min(1.0, max(0.0, share))).end)


def nearer(share: float = 1 / 64) -> None:
    """Say that a share of what is left of the work at hand is done, where nobody knows how many pieces it takes."""
    part = _PART.get()
    if part is not None:
        part.left[0] *= 1.0 - share
        reached(1.0 - part.left[0])


@contextmanager
def following(share: Callable[[], float]) -> Iterator[None]:
    """Ask now and then which share of the work inside is done, where that is known elsewhere, such as by an engine.

    `share` is called in a thread of its own, and only where somebody watches. An error that it raises ends the asking, and
    nothing else.
    """
    if _PART.get() is None:
        yield
        return
    done = threading.Event()

    def ask() -> None:
        with suppress(Exception):
            while not done.wait(_OFTEN):
                reached(share())

    asking = threading.Thread(target=copy_context().run, args=(ask,), daemon=True)
    asking.start()
    try:
        yield
    finally:
        done.set()
        asking.join(_OFTEN)


@contextmanager
def stage(low: float, high: float) -> Iterator[None]:
    """The work inside is what lies between two shares of the work at hand."""
    part = _PART.get()
    if part is None:
        yield
        return
    _PART.set(part.within(low, high))
    try:
        yield
    finally:
        _PART.set(part)
        reached(high)


def steps(items: Collection[T]) -> Iterator[T]:
    """The items one by one, as equal shares of the work at hand."""
    part, number = _PART.get(), 0
    if part is None:
        yield from items
        return
    try:
        for number, item in enumerate(items, start=1):
            _PART.set(part.within((number - 1) / len(items), number / len(items)))
            yield item
            part.show(part.within(0.0, number / len(items)).end)
    finally:
        _PART.set(part)
