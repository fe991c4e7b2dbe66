"""Which classes of values users and authors meet: computed from the stubs of the doors and from what is annotated there."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator
from functools import cache
from types import ModuleType
from typing import Any

import attrs

import accountant
import accountant.plugin

_WORD = re.compile(r"\b[A-Z]\w*")
_A_CLASS = re.compile(r"\btype\[[\w.]+\]|\bCallable\[\[.*?\]")
"""What is said to be a class, or is handed to a function, is no value that anybody is given."""


@cache
def known_classes() -> dict[str, list[type[Any]]]:
    """Every class of the core, by its name."""
    found: dict[str, list[type[Any]]] = {}
    for info in pkgutil.walk_packages(accountant.__path__, "accountant."):
        if info.name.startswith(("accountant.testing", "accountant.cli", "accountant.ledger.migrations")):
            continue
        for name, item in vars(importlib.import_module(info.name)).items():
            if inspect.isclass(item) and item.__module__ == info.name:
                found.setdefault(name, []).append(item)
    return found


def annotated(cls: type[Any]) -> Iterator[str]:
    """What the public fields, properties and methods of a class are said to be or to give back."""
    if attrs.has(cls):
        for member in attrs.fields(cls):
            if not member.name.startswith("_"):
                yield str(member.type)
    for base in cls.__mro__:
        # Properties that are computed once leave their annotation behind.
        yield from (str(said) for name, said in vars(base).get("__annotations__", {}).items() if not name.startswith("_"))
        for name, item in vars(base).items():
            if name.startswith("_"):
                continue
            function = getattr(item, "fget", None) or getattr(item, "func", None) or getattr(item, "__func__", item)
            if inspect.isfunction(function):
                yield str(function.__annotations__.get("return", ""))


def exported(door: ModuleType) -> Iterator[type[Any]]:
    """The classes that a door has, and those that its functions give back."""
    for name in door.__all__:
        item = getattr(door, name)
        if inspect.isclass(item):
            yield item
        elif inspect.isfunction(item):
            for word in _WORD.findall(str(item.__annotations__.get("return", ""))):
                yield from known_classes().get(word, ())
        else:
            yield type(item)


@cache
def public_values() -> frozenset[type[Any]]:
    """Every class of which users and authors meet values: exported, or given back by what is, however deep."""
    found: set[type[Any]] = set()
    pending = [*exported(accountant), *exported(accountant.plugin)]
    while pending:
        cls = pending.pop()
        if cls in found or issubclass(cls, (BaseException, type)) or not cls.__module__.startswith("accountant"):
            continue
        found.add(cls)
        for said in annotated(cls):
            for word in _WORD.findall(_A_CLASS.sub("", said)):
                pending.extend(known_classes().get(word, ()))
    return frozenset(found)
