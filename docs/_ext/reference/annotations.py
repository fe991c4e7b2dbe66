"""What annotations of public names speak of: types by name, with the module that each comes from."""

from __future__ import annotations

import ast
import functools
import importlib
import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import accountant

CORE = Path(accountant.__file__).parent


@functools.cache
def doors() -> dict[str, Any]:
    """Every package with a stub, which lists what is public of it."""
    stubs = (stub.parent.relative_to(CORE.parent) for stub in sorted(CORE.rglob("__init__.pyi")))
    return {door: importlib.import_module(door) for door in (".".join(path.parts) for path in stubs)}


@functools.cache
def mentioned() -> frozenset[str]:
    """Every name in an annotation of something public, of what is given as well as of what is returned."""
    public = (getattr(module, name) for module in doors().values() for name in module.__all__)
    return frozenset(word for item in public for _, told in annotations(item) for word in words(told))


def annotations(item: object, given: bool = True) -> Iterator[tuple[str, Any]]:
    """The annotations of a function, or of what is public of a class, each with the module that it stands in.

    Without what is `given`, those of fields and of what is returned. A value that is made of private fields is given them.
    """
    if not inspect.isclass(item):
        yield from ((item.__module__, told) for told in _of(item, given))
        return
    for base in item.__mro__:
        for name, told in inspect.get_annotations(base).items():
            if given or not name.startswith("_"):
                yield base.__module__, told
        for name, member in vars(base).items():
            if given or not name.startswith("_"):
                yield from ((base.__module__, told) for told in _of(member, given))


def _of(member: Any, given: bool) -> Iterator[Any]:
    """The annotations of a function, whatever is wrapped around it; none of what is no function."""
    for wrapping in ("__func__", "fget", "func", "__wrapped__"):
        member = getattr(member, wrapping, member)
    told = inspect.get_annotations(member) if inspect.isfunction(member) else {}
    yield from (text for name, text in told.items() if given or name == "return")


def words(told: Any) -> Iterator[str]:
    """The names in an annotation."""
    text = told if isinstance(told, str) else inspect.formatannotation(told)
    for node in ast.walk(ast.parse(text, mode="eval")):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr


@functools.cache
def _imported(module: str) -> dict[str, tuple[str, str]]:
    """What a module imports, for types only too: each name with the module that it is from, and its name there."""
    source = inspect.getsource(importlib.import_module(module))
    found = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ImportFrom) and node.module)
    return {alias.asname or alias.name: (str(node.module), alias.name) for node in found for alias in node.names}


def meant(module: str, word: str) -> object:
    """What a name stands for in the annotations of a module; None for what is no name of a module."""
    home, name = _imported(module).get(word, (module, word))
    return getattr(importlib.import_module(home), name, None)
