"""Bounded: a command that may take so much time and memory, done by a worker that is ended where it takes more."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TextIO, TypeVar

import click

from accountant.cli.failure import ExitStatus, Settings, guarded

Command = TypeVar("Command", bound=Callable[..., Any])

ALWAYS: Mapping[str, Mapping[str, str]] = {"verify": {"within": "10min", "memory": "8GB"}}
"""Commands that speak about what others wrote, and their limits where none are given. There, silence would be taken for
consent: they are always done by a worker whose answer is demanded."""

_WITHIN = "End it with an error if it takes longer, such as 30s, 5min or 2h."
_MEMORY = "End it with an error if it takes more memory, such as 500MB or 2GB."


def limit_parameters() -> list[click.Option]:
    """The options that say how much time and memory a command may take. They are read before anything is parsed."""
    return [
        click.Option(["--within"], metavar="TIME", help=_WITHIN, expose_value=False),
        click.Option(["--memory"], metavar="SIZE", help=_MEMORY, expose_value=False),
    ]


def limit_options(function: Command) -> Command:
    """How much time and memory a command may take."""
    within = click.option("--within", metavar="TIME", help=_WITHIN, expose_value=False)
    memory = click.option("--memory", metavar="SIZE", help=_MEMORY, expose_value=False)
    return within(memory(function))


def values_of(args: Sequence[str], option: str) -> tuple[str, ...]:
    """The values that an option is given on a command line that is not parsed yet."""
    after = [args[index + 1] for index, word in enumerate(args[:-1]) if word == option]
    return (*after, *(word.partition("=")[2] for word in args if word.startswith(f"{option}=")))


def status_of(run: Callable[[], Any], settings: Settings, args: Sequence[str]) -> int:
    """The exit status of the program: of this process, or of a worker where time and memory are bounded.

    Even what is asked of plugins in order to parse the options is then done there.
    """
    usual = ALWAYS.get(next((word for word in args if not word.startswith("-")), ""), {})
    given = {name: values_of(args, f"--{name}")[-1:] for name in ("within", "memory")}
    stated = {**usual, **{name: value[0] for name, value in given.items() if value}}
    if not stated or (not hasattr(os, "fork") and stated == usual):
        return guarded(run, settings)
    return guarded(lambda: _bounded(run, settings, stated), settings)


def _bounded(run: Callable[[], Any], settings: Settings, stated: dict[str, str]) -> int:
    """The exit status that a worker hands over; what it printed is printed when it is done, and not before.

    The worker hands over plain bytes, and this process loads no plugin: what happens there stays there.
    """
    from accountant.errors import Fault, InvalidValue, PlanError
    from accountant.limits import Limits
    from accountant.limits.worker import answer_of

    try:
        limits = Limits(**stated)
    except InvalidValue as error:
        raise PlanError((Fault(str(error), "--within, --memory"),)) from error
    found = answer_of(lambda: _done(run, settings), limits.within, limits.memory)
    status, printed, told = found[0], *_parted(found[1:])
    for stream, text in ((sys.stderr, told), (sys.stdout, printed)):
        stream.flush()
        stream.buffer.write(text)
        stream.buffer.flush()
    return int(status)


def _done(action: Callable[[], Any], settings: Settings) -> bytes:
    """An action in the worker: its exit status, what it printed, and what it told where standard error is no file."""
    printed, told = _Held(sys.stdout), None
    if _descriptor(sys.stdout) is not None and _descriptor(sys.stderr) is not None:
        # Nothing reaches the output but by being handed over, not even from code that does not know of it.
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    sys.stdout = printed
    if _descriptor(sys.stderr) is None:
        sys.stderr = told = _Held(sys.stderr)
    status = guarded(action, settings)
    texts = [b"" if stream is None else _content(stream) for stream in (printed, told)]
    # 141 and the like are left to whoever prints.
    return (
        bytes([status if 0 <= status < 256 else ExitStatus.DEFECT]) + len(texts[0]).to_bytes(8, "little") + b"".join(texts)
    )


def _parted(found: bytes) -> tuple[bytes, bytes]:
    size = int.from_bytes(found[:8], "little")
    return found[8 : 8 + size], found[8 + size :]


class _Held(io.TextIOWrapper):
    """A stream that keeps what is written, and says of itself what another one does."""

    def __init__(self, like: TextIO) -> None:
        super().__init__(io.BytesIO(), encoding=like.encoding, errors="replace", write_through=True)
        self._like = like

    def isatty(self) -> bool:
        return self._like.isatty()


def _content(stream: _Held) -> bytes:
    stream.flush()
    buffer = stream.buffer
    assert isinstance(buffer, io.BytesIO)
    return buffer.getvalue()


def _descriptor(stream: TextIO) -> int | None:
    try:
        return stream.fileno()
    except (OSError, ValueError, AttributeError):
        return None
