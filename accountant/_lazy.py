"""Public names that load their module on first use, so that importing the package costs next to nothing."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping


def lazy(package: str, names: Mapping[str, tuple[str, ...]]) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """A module `__getattr__` and `__dir__` that find each name in the submodule it is listed under."""
    home = {name: module for module, members in names.items() for name in members}

    def get(name: str) -> object:
        if name not in home:
            raise AttributeError(f"module '{package}' has no attribute '{name}'")
        return getattr(importlib.import_module(f"{package}.{home[name]}"), name)

    return get, lambda: sorted(home)
