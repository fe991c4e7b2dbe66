"""Digests of installed plugins."""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path
from types import ModuleType


def digest(*modules: ModuleType) -> str:
    """A digest of the files installed behind the modules of a plugin: name and content of each, in order.

    All of the package that a module belongs to counts, since the module may only point to the code that works.
    """
    found = hashlib.sha256()
    for module in modules:
        path = _top(module)
        for name, file in _files(Path(path)) if path is not None else ():
            found.update(name.encode() + b"\0" + file.read_bytes() + b"\0")
    return "sha256:" + found.hexdigest()


def _top(module: ModuleType) -> str | None:
    """The file of the outermost package that a module belongs to, or its own."""
    parts = module.__name__.split(".")
    ancestors = (sys.modules.get(".".join(parts[:end])) for end in range(1, len(parts)))
    return next((file for file in (getattr(item, "__file__", None) for item in (*ancestors, module)) if file), None)


def _files(path: Path) -> list[tuple[str, Path]]:
    """The file of a module, or all files of a package that an installation brings, by name."""
    if path.name != "__init__.py":
        return [(path.name, path)]
    found = ((file.relative_to(path.parent), file) for file in path.parent.rglob("*") if file.is_file())
    kept = ((name, file) for name, file in found if "__pycache__" not in name.parts and not name.name.startswith("."))
    return sorted((name.as_posix(), file) for name, file in kept)
