"""accountant: says what a set of data releases promises, proves it with two-sided numbers, and explains it in words.

Every mechanism is a privacy loss; every definition is a lens on it.
"""

from __future__ import annotations

from accountant._lazy import behind, door

_get, _names, __all__ = door(__name__, __file__)


def __getattr__(name: str) -> object:
    """A name of the door, one that moved, or the class of a kind that an installed plugin registered."""
    if name in __all__:
        return _get(name)
    from accountant._moved import known, moved

    if known(name):
        return moved(name)
    if not name[:1].isupper():
        # Rooms are looked for here before they are imported: only what is called like a class may be one.
        raise AttributeError(f"module 'accountant' has no attribute '{name}'")
    return behind("accountant.registry.kinds", "kind")(name)


def __dir__() -> list[str]:
    """The names of the door, and the kinds of all installed plugins where these can be loaded."""
    try:
        return sorted({*_names(), *behind("accountant.registry.kinds", "kinds")()})
    except behind("accountant.errors", "PluginError"):
        return _names()
