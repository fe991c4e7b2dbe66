"""Digests of installed distributions: of all files that came with one, as they are on disk."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import sys
from collections.abc import Iterable, Iterator
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType

from accountant.errors import PluginError
from accountant.registry.bytecode import check_bytecode
from accountant.registry.conformance import SUFFIX
from accountant.registry.recorded import check_recorded, recorded_files

NO_FILES = "none: it has no files"
"""What stands for the digest of a module that was made and not installed."""


def digest_of_distribution(distribution: str, modules: Iterable[str], *, thorough: bool) -> str:
    """A digest of a distribution: name and content of each file that its installer recorded, and of each in the packages
    that modules of it belong to.

    Nothing is imported. Refused are files that are not what was recorded, and bytecode that is not what its source says:
    `thorough` compares all that Python would run, otherwise what Python would not compare itself.
    """
    recorded = recorded_files(distribution)
    files = {name: path for name, (path, _) in recorded.items()}
    for module in modules:
        files.update(_files(*_place(distribution, module)))
    found = hashlib.sha256()
    for name, path in sorted(files.items()):
        try:
            content = _content(path)
        except OSError as error:
            message = f"the file '{name}' of the distribution {distribution} cannot be read; install it again"
            raise PluginError(message) from error
        if name in recorded:
            check_recorded(distribution, name, content, recorded[name][1])
        check_bytecode(path, content, thorough=thorough)
        found.update(name.encode("utf-8", "surrogateescape") + b"\0" + hashlib.sha256(content).digest())
    return "sha256:" + found.hexdigest()


def digest_of_module(module: ModuleType) -> str:
    """A digest of the package that a module belongs to which is not installed; of one without files, that it has none."""
    place = _top(module)
    if place is None:
        return NO_FILES
    found = hashlib.sha256()
    for name, path in sorted(_files(place)):
        found.update(name.encode("utf-8", "surrogateescape") + b"\0" + hashlib.sha256(_content(path)).digest())
    return "sha256:" + found.hexdigest()


def _place(distribution: str, module: str) -> tuple[str, str]:
    """The file of the outermost package of a module, found without importing it, and the folders without code around it."""
    around, locations = "", None
    for part in module.split("."):
        spec = _found(part) if locations is None else PathFinder.find_spec(part, locations)
        if spec is not None and spec.has_location and spec.origin is not None:
            return spec.origin, around
        if spec is None or spec.submodule_search_locations is None:
            break
        around, locations = f"{around}{part}/", list(spec.submodule_search_locations)
    raise PluginError(f"the distribution {distribution} has no file that is its module '{module}'; install it again")


def _found(package: str) -> ModuleSpec | None:
    try:
        return importlib.util.find_spec(package)
    except ValueError:  # a module was put in its place by hand
        return None


def _top(module: ModuleType) -> str | None:
    """The file of the outermost package that a module belongs to, or its own."""
    parts = getattr(module, "__name__", "").split(".")
    ancestors = (sys.modules.get(".".join(parts[:end])) for end in range(1, len(parts)))
    files = (getattr(item, "__file__", None) for item in (*ancestors, module))
    return next((file for file in files if isinstance(file, str) and os.path.isfile(file)), None)


def _content(path: str) -> bytes:
    with open(path, "rb", buffering=0) as stream:
        return stream.read()


def _files(path: str, around: str = "") -> Iterator[tuple[str, str]]:
    """The file of a module, or all files of a package that an installation brings, by the names an installer gives them."""
    folder, own = os.path.split(path)
    if own != "__init__.py":
        yield around + own, path
    else:
        yield from _below(folder, f"{around}{os.path.basename(folder)}/", frozenset())


def _below(folder: str, inner: str, above: frozenset[str]) -> Iterator[tuple[str, str]]:
    here = os.path.realpath(folder)
    if here in above:
        return
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir():
                yield from _below(entry.path, f"{inner}{entry.name}/", above | {here})
            # What Python compiled is compared with its source; anything else in its folder could be imported.
            elif not _left_out(entry.name, inner) and entry.is_file():
                yield inner + entry.name, entry.path


def _left_out(name: str, inner: str) -> bool:
    return name.startswith(".") or name.endswith(SUFFIX) or (inner.endswith("__pycache__/") and name.endswith(".pyc"))
