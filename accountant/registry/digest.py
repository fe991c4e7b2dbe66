"""Digests of installed plugins."""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterator
from types import ModuleType


def digest(*modules: ModuleType) -> str:
    """A digest of the files installed behind the modules of a plugin: name and content of each, in order.

    All of the package that a module belongs to counts, since the module may only point to the code that works.
    """
    found = hashlib.sha256()
    for module in modules:
        path = _top(module)
        for name, file in _files(path) if path is not None else ():
            with open(file, "rb", buffering=0) as stream:
                found.update(name.encode() + b"\0" + stream.read() + b"\0")
    return "sha256:" + found.hexdigest()


def _top(module: ModuleType) -> str | None:
    """The file of the outermost package that a module belongs to, or its own."""
    parts = module.__name__.split(".")
    ancestors = (sys.modules.get(".".join(parts[:end])) for end in range(1, len(parts)))
    return next((file for file in (getattr(item, "__file__", None) for item in (*ancestors, module)) if file), None)


def _files(path: str) -> list[tuple[str, str]]:
    """The file of a module, or all files of a package that an installation brings, by name."""
    folder, own = os.path.split(path)
    if own != "__init__.py":
        return [(own, path)]
    return sorted(_below(folder, ""))


def _below(folder: str, inner: str) -> Iterator[tuple[str, str]]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                if entry.name != "__pycache__":
                    yield from _below(entry.path, f"{inner}{entry.name}/")
            elif not entry.name.startswith(".") and entry.is_file():
                yield inner + entry.name, entry.path
