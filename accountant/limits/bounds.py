"""Bounds: time and memory, as people write them."""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from attrs import field, frozen

from accountant.errors import InvalidValue, LimitExceeded
from accountant.limits.worker import answer_of

P = ParamSpec("P")
T = TypeVar("T")

_WRITTEN = re.compile(r"(?P<number>\d+(\.\d+)?)\s*(?P<unit>[a-z]*)", re.IGNORECASE)
_SECONDS = {"": 1.0, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0}
_BYTES = {"": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "kib": 2**10, "mib": 2**20, "gib": 2**30}
_LONGEST, _LARGEST = 30 * 86400.0, 2**60


def _seconds(given: str | float | None) -> float | None:
    """A time in seconds, as '30s', '5min' or '2h' says it."""
    return None if given is None else _read(given, _SECONDS, "time such as '30s', '5min' or '2h'", _LONGEST)


def _bytes(given: str | float | None) -> int | None:
    """A size in bytes, as '500MB' or '2GB' says it."""
    return None if given is None else int(_read(given, _BYTES, "size such as '500MB' or '2GB'", _LARGEST))


def _read(given: str | float, units: dict[str, Any], what: str, most: float) -> float:
    found = _WRITTEN.fullmatch(str(given).strip())
    factor = None if found is None else units.get(found["unit"].lower())
    value = 0.0 if found is None or factor is None else float(found["number"]) * factor
    if not 0 < value <= most:
        raise InvalidValue(f"expected a {what}, got {given!r}")
    return value


@frozen
class Limits:
    """How long a piece of work may take, and how much memory: `Limits(within="30s", memory="2GB").run(certify, plan)`.

    Guarantee: what takes longer or more is ended, and LimitExceeded says what was being worked on. It runs in a process of
    its own, a copy of this one, so that nothing it does stays behind, and it has an answer only if it hands one over: code
    that leaves the process has none. Not on Windows, where there are no copies of processes.
    """

    within: float | None = field(default=None, converter=_seconds)
    """In seconds, by the clock on the wall."""
    memory: int | None = field(default=None, converter=_bytes)
    """In bytes, beyond what this process has already."""

    def __bool__(self) -> bool:
        return self.within is not None or self.memory is not None

    def run(self, function: Callable[P, T], /, *arguments: P.args, **named: P.kwargs) -> T:
        """What a function returns or raises, which must be something that can be handed from process to process."""

        def work() -> bytes:
            try:
                return _returned(function(*arguments, **named))
            except MemoryError:
                raise
            except Exception as error:
                return _raised(error)

        returned, found = pickle.loads(answer_of(work, self.within, self.memory))
        if returned:
            result: T = found
            return result
        raise found


def _returned(found: object) -> bytes:
    try:
        return pickle.dumps((True, found))
    except MemoryError:
        raise
    except Exception as error:
        raise InvalidValue(
            f"what was found cannot be handed over from the worker ({error}); let it return text or plain data"
        ) from error


def _raised(error: Exception) -> bytes:
    """An error as it is handed over; in words, where it cannot be."""
    try:
        written = pickle.dumps((False, error))
        pickle.loads(written)
        return written
    except Exception:
        return pickle.dumps((False, LimitExceeded(f"the worker failed: {type(error).__name__}: {error}")))
