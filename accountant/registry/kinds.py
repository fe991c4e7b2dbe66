"""Kinds: the classes of mechanisms, queries and the like that plugins registered, by the names that they have in Python.

The users' door has them as attributes. A stub beside that door, written from here, tells type checkers what ships with it.
"""

from __future__ import annotations

from typing import Any

from accountant.errors import nearest
from accountant.registry.discovery import BUILTIN
from accountant.registry.registry import Registry, default_registry


def kinds(registry: Registry | None = None) -> dict[str, type[Any]]:
    """The class behind every name that means one kind only; those that ship together with the package come first."""
    return {name: classes[0] for name, classes in _by_name(registry or default_registry()).items() if len(classes) == 1}


def kind(name: str, registry: Registry | None = None) -> type[Any]:
    """The class of a kind by its name; AttributeError with what may be meant, or with all that are."""
    known = _by_name(registry or default_registry())
    if len(known.get(name, ())) == 1:
        return known[name][0]
    if name in known:
        homes = " or ".join(sorted(cls.__module__ for cls in known[name]))
        raise AttributeError(f"several plugins have a kind '{name}'; import the one that is meant, from {homes}")
    near = nearest(name, known)
    raise AttributeError(f"module 'accountant' has no attribute '{name}'" + (f"; did you mean '{near}'?" if near else ""))


def _by_name(registry: Registry) -> dict[str, list[type[Any]]]:
    """All kinds of a name: that of the package itself, else those of all others."""
    own, others = dict[str, list[type[Any]]](), dict[str, list[type[Any]]]()
    shipped = registry.plugins[BUILTIN].distribution
    for family in registry.families:
        for item, cls in registry[family].items() if family.classes else ():
            if cls.__name__[:1].isupper():
                ours = registry.owner(family, item).distribution == shipped
                (own if ours else others).setdefault(cls.__name__, []).append(cls)
    return others | own
