"""Patches: whether a plugin changed, while it was loaded, what the core or another plugin does."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator, Mapping
from functools import cached_property
from types import FunctionType
from typing import Any

State = Mapping[tuple[str, str], tuple[Any, ...]]
"""What every name in modules and classes stood for, by the module or class and the name."""

_TOOLS: tuple[str, ...] = (
    "builtins",
    "math",
    "fractions",
    "decimal",
    "hashlib",
    "json",
    "operator",
    "functools",
    "itertools",
)
_TOOLS += ("numpy", "numpy.fft", "numpy.linalg", "scipy.special", "scipy.fft", "scipy.optimize", "pluggy", "attr")
"""Modules of others that numbers are made with."""


def state_of(packages: Collection[str]) -> State:
    """What the names in some packages, in what numbers are made with, and in their classes stand for now."""
    found: dict[tuple[str, str], tuple[Any, ...]] = {}
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] in packages or name in _TOOLS:
            for key, value in list(getattr(module, "__dict__", {}).items()):
                found[name, key] = _mark(value)
                if isinstance(value, type) and value.__module__ == name:
                    for inner, part in list(vars(value).items()):
                        found[f"{name}.{value.__qualname__}", inner] = _mark(part)
    return found


def patched(before: State, packages: Collection[str], own: Collection[str]) -> list[str]:
    """What stands for something else than before, or was put in by the packages that were loaded since.

    Modules that were loaded meanwhile have no state from before: there, nothing may be the `own` of the newcomers.
    """
    after = state_of(packages)
    known = {place for place, _ in before}
    classes = {place for place in known if place not in sys.modules}
    changed = [f"{place}.{name}" for (place, name), mark in before.items() if not _alike(mark, after.get((place, name)))]
    for (place, name), mark in after.items():
        if (place, name) in before:
            continue
        put_in = place in classes or place not in known
        if put_in and any(map(_of(own), mark)):
            changed.append(f"{place}.{name}")
    return sorted(changed)


def _of(packages: Collection[str]) -> Any:
    """Whether a value is the code of some packages."""

    def belongs(value: object) -> bool:
        if isinstance(value, FunctionType):
            home = value.__globals__.get("__name__")
        else:
            home = value.__module__ if isinstance(value, type) else type(value).__module__
        return isinstance(home, str) and home.partition(".")[0] in packages

    return belongs


def _mark(value: object) -> tuple[Any, ...]:
    """What tells a value from another that took its place, or from itself with other code in it."""
    return tuple(_parts(value))


def _parts(value: object) -> Iterator[Any]:
    yield value
    if isinstance(value, FunctionType):
        yield from (value.__code__, value.__defaults__, value.__kwdefaults__)
    elif isinstance(value, (staticmethod, classmethod)):
        yield from _parts(value.__func__)
    elif isinstance(value, property):
        for part in (value.fget, value.fset):
            yield from _parts(part)
    elif isinstance(value, cached_property):
        yield from _parts(value.func)


def _alike(mark: tuple[Any, ...], other: tuple[Any, ...] | None) -> bool:
    return other is not None and len(mark) == len(other) and all(a is b for a, b in zip(mark, other, strict=True))
