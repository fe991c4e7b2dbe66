"""Discovery: which plugins are installed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from types import ModuleType

from attrs import frozen

from accountant.errors import PluginError
from accountant.registry.entry_points import entry_points

GROUP = "accountant"
"""The group of entry points that name plugins."""
BUILTIN = "builtin"
"""The plugin that is always admitted."""


@frozen
class Candidate:
    """A plugin that may be admitted."""

    name: str
    distribution: str
    version: str
    _load: Callable[[], ModuleType]

    def __str__(self) -> str:
        return f"plugin '{self.name}' of {self.distribution} {self.version}"

    def load(self) -> ModuleType:
        """The plugin's module; an error that names the plugin where it cannot be loaded."""
        try:
            module = self._load()
        except Exception as error:
            raise PluginError(f"{self} could not be loaded: {type(error).__name__}: {error}") from error
        if getattr(getattr(module, "__spec__", None), "_initializing", False):
            # What it registers is not there yet, and nobody would look again.
            raise PluginError(
                f"{self} asks what is registered while it is being imported; import what it needs from where that is "
                "defined, or ask inside a function"
            )
        return module


def installed() -> Iterable[Candidate]:
    """The plugins of all installed distributions, each once; the built-in one first, then in order of distribution."""
    found = {
        (point.name, point.value, point.distribution): Candidate(point.name, point.distribution, point.version, point.load)
        for point in entry_points(GROUP)
    }
    return sorted(found.values(), key=lambda item: (item.name != BUILTIN, item.distribution, item.name))


def loose(module: ModuleType) -> Candidate:
    """A module that is not installed."""
    return Candidate(module.__name__, module.__name__, "not installed", lambda: module)


def by_name(candidates: Iterable[Candidate]) -> dict[str, Candidate]:
    """The candidates by name; two of one name are refused."""
    names: dict[str, Candidate] = {}
    for candidate in candidates:
        other = names.setdefault(candidate.name, candidate)
        if other is not candidate:
            raise PluginError(
                f"two distributions claim the plugin name '{candidate.name}': {other.distribution} {other.version} and "
                f"{candidate.distribution} {candidate.version}; uninstall one of them"
            )
    return names
