"""Discovery: which plugins are installed."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from types import ModuleType

from attrs import frozen

from accountant.errors import PluginError
from accountant.registry.entry_points import entry_points
from accountant.values.hygiene import harmless, unprintable

GROUP = "accountant"
"""The group of entry points that name plugins."""
BUILTIN = "builtin"
"""The plugin that is always admitted."""


@frozen
class Candidate:
    """A plugin that may be admitted: one that a distribution names, or a module that is not installed."""

    name: str
    distribution: str
    version: str
    value: str
    """The module, as it is named."""
    _made: ModuleType | None = None

    def __str__(self) -> str:
        return f"plugin '{self.name}' of {self.distribution} {self.version}"

    @property
    def module(self) -> str | None:
        """The module of an installed plugin, by its full name."""
        return None if self._made is not None else self.value.partition(":")[0]

    def load(self) -> ModuleType:
        """The plugin's module; an error that names the plugin where it cannot be loaded.

        Whatever it raises is caught, and that it asks to leave the program too: nobody shall take its silence for an
        answer.
        """
        try:
            module = import_module(self.value) if self._made is None else self._made
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            raise PluginError(f"{self} could not be loaded: {type(error).__name__}: {error}") from error
        if getattr(getattr(module, "__spec__", None), "_initializing", False):
            # What it registers is not there yet, and nobody would look again.
            raise PluginError(
                f"{self} asks what is registered while it is being imported; import what it needs from where that is "
                "defined, or ask inside a function"
            )
        return module

    def check_names(self) -> None:
        """Refuse an installed plugin whose names nobody would see as they are, and one that is no module: who wrote an
        object in one, and in which files, cannot be told."""
        for problem in filter(None, map(unprintable, (self.name, self.distribution, self.version, self.value))):
            raise PluginError(f"{harmless(str(self))} is called by a name that {problem}")
        if self._made is None and ":" in self.value:
            raise PluginError(f"{self} names '{self.value}'; an entry point must name a module, and no object in it")


def installed() -> Iterable[Candidate]:
    """The plugins of all installed distributions, each once; the built-in one and those that come with it first."""
    found = {
        (point.name, point.value, point.distribution): Candidate(point.name, point.distribution, point.version, point.value)
        for point in entry_points(GROUP)
    }
    own = next((item.distribution for item in found.values() if item.name == BUILTIN), None)
    order = sorted(found.values(), key=lambda item: (item.distribution != own, item.distribution, item.name))
    return sorted(order, key=lambda item: item.name != BUILTIN)


def loose(module: ModuleType) -> Candidate:
    """A module that is not installed."""
    return Candidate(module.__name__, module.__name__, "not installed", module.__name__, module)


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
