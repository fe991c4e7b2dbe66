"""Doors: packages whose public names stand in the stub beside them and load their module on first use."""

from __future__ import annotations

import importlib
from _ast import ImportFrom, Module, PyCF_ONLY_AST
from collections.abc import Callable
from os.path import splitext

TYPE_CHECKING = False
if TYPE_CHECKING:
    # Type checkers take the name for true. Nobody else needs the module, which is slow to load, as `ast` and `pathlib` are.
    from typing import Any


def door(package: str, file: str) -> tuple[Callable[[str], object], Callable[[], list[str]], list[str]]:
    """A module's `__getattr__`, `__dir__` and `__all__`, from the stub beside it.

    The stub is the only list of the names: type checkers read it, and so does this. Importing a door costs next to nothing.
    """
    with open(splitext(file)[0] + ".pyi", encoding="utf-8") as source:
        stub = compile(source.read(), source.name, "exec", PyCF_ONLY_AST)
    assert isinstance(stub, Module)
    homes = {
        alias.asname: (node.module, alias.name)
        for node in stub.body
        if isinstance(node, ImportFrom)
        for alias in node.names
        if alias.asname is not None
    }

    def get(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module '{package}' has no attribute '{name}'")
        module, original = homes[name]
        return behind(str(module), original)

    return get, lambda: sorted(homes), sorted(homes)


def behind(module: str, name: str) -> Any:
    """What a module behind a door calls so; it is imported now."""
    return getattr(importlib.import_module(module), name)
