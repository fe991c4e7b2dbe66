"""Bytecode: what Python compiled and keeps beside a source runs in its place, so it must say the same."""

from __future__ import annotations

import importlib.util
import marshal
import os
from functools import cache
from importlib.machinery import SOURCE_SUFFIXES
from importlib.util import MAGIC_NUMBER, cache_from_source

from accountant.errors import PluginError

_HEADER = 16
_ANY = "any"
_BY_HASH, _CHECKED = 0b01, 0b10


def check_bytecode(source: str, content: bytes, *, thorough: bool) -> None:
    """Refuse bytecode that Python would run in the place of a source and that is not what the source compiles to.

    Python compares the age and size of the source, or a hash of it, with what the bytecode says, unless that says not to.
    Such bytecode is always compared here; where it is to be `thorough`, all that Python would run.
    """
    if not source.endswith(tuple(SOURCE_SUFFIXES)):
        return
    try:
        kept = _kept(source)
        with open(kept, "rb", buffering=0) as file:
            compiled = file.read() if thorough else file.read(_HEADER)
    except (OSError, NotImplementedError):
        return
    if compiled[:4] != MAGIC_NUMBER or len(compiled) < _HEADER:
        return  # another Python's: never run by this one
    flags = int.from_bytes(compiled[4:8], "little")
    unchecked = flags & _BY_HASH and not flags & _CHECKED
    if (not unchecked and not thorough) or (not unchecked and _stale(source, content, flags, compiled[8:16])):
        return
    if not thorough:
        with open(kept, "rb", buffering=0) as file:
            compiled = file.read()
    if not _same(source, content, compiled[_HEADER:]):
        raise PluginError(
            f"the bytecode '{kept}' is not what its source says, and would run in its place; remove it, and install again"
        )


def _kept(source: str) -> str:
    """Where Python keeps the bytecode of a source."""
    folder, own = os.path.split(source)
    place, before, after = _beside(folder)
    return f"{place}{before}{own.rpartition('.')[0]}{after}"


@cache
def _beside(folder: str) -> tuple[str, str, str]:
    """Where Python keeps the bytecode of sources in a folder, and what it puts around their names: asked once for all."""
    place, name = os.path.split(cache_from_source(os.path.join(folder, f"{_ANY}.py")))
    before, _, after = name.partition(_ANY)
    return os.path.join(place, ""), before, after


def _stale(source: str, content: bytes, flags: int, stated: bytes) -> bool:
    """Whether Python would compile the source anew."""
    if flags & _BY_HASH:
        return importlib.util.source_hash(content) != stated
    about = os.stat(source)
    ages = (int(about.st_mtime) & 0xFFFFFFFF, about.st_size & 0xFFFFFFFF)
    return b"".join(number.to_bytes(4, "little") for number in ages) != stated


def _same(source: str, content: bytes, compiled: bytes) -> bool:
    try:
        return bool(marshal.loads(compiled) == compile(content, source, "exec", dont_inherit=True))
    except (ValueError, EOFError, TypeError, SyntaxError):
        return False
