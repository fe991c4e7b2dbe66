"""Planted errors: what may go wrong in an item of each family, in modules of one theme each, found by looking.

A module names its family as `FAMILY`. Every public function of it takes an honest item and gives one with the error that
its name says, or None where the item has no place for it. `operators` lists them all.
"""

from __future__ import annotations

import inspect
import pkgutil
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any

from accountant.plugin.families import FAMILIES
from accountant.testing.planting import Operator
from accountant.values.family import Family

_EVERYWHERE = "everywhere"


def operators(family: Family[Any] | None = None) -> tuple[Operator, ...]:
    """Every error that can be planted, in items of one family or of all."""
    return tuple(operator for operator in _all() if family is None or operator.family is family)


@cache
def _all() -> tuple[Operator, ...]:
    found = [import_module(f"{__name__}.{module.name}") for module in pkgutil.iter_modules(__path__)]
    return tuple(operator for family in FAMILIES for operator in _of(family, found))


def _of(family: Family[Any], found: list[ModuleType]) -> Iterator[Operator]:
    own = [module for module in found if getattr(module, "FAMILY", None) is family]
    everywhere = [module for module in found if module.__name__.endswith(_EVERYWHERE)]
    for module in (*own, *everywhere):
        for name, function in inspect.getmembers(module, inspect.isfunction):
            if not name.startswith("_") and function.__module__ == module.__name__:
                about = inspect.cleandoc(function.__doc__ or "")
                offered = getattr(function, "offered", None)
                yield Operator(name.replace("_", " "), family, about, function, offered)
