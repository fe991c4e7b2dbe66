"""What is tried of each family of things that plugins register: one module a family, found by looking.

A module names its family as `FAMILY`, and `trials(kit, name, item)` yields what is tried of one item, the most telling law
first: what fails first is what an author reads.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from typing import Any

from accountant.testing.trial import Kit, Trial
from accountant.values.family import Family

Tried = Callable[[Kit, str, Any], Iterator[Trial]]


@cache
def tried() -> dict[Family[Any], Tried]:
    """What is tried of the items of each family that has laws."""
    modules = [import_module(f"{__name__}.{found.name}") for found in pkgutil.iter_modules(__path__)]
    return {module.FAMILY: module.trials for module in modules}
