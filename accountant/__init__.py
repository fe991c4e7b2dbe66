"""accountant: says what a set of data releases promises, proves it with two-sided numbers, and explains it in words.

Every mechanism is a privacy loss; every definition is a lens on it.
"""

from __future__ import annotations

from accountant._lazy import door

_get, __dir__, __all__ = door(__name__, __file__)


def __getattr__(name: str) -> object:
    if name in __all__:
        return _get(name)
    from accountant._moved import moved

    return moved(name)
