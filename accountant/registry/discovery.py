"""Discovery: which plugins are installed."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Callable, Iterable
from types import ModuleType

from attrs import frozen

from accountant.errors import PluginError

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
            return self._load()
        except Exception as error:
            raise PluginError(f"{self} could not be loaded: {type(error).__name__}: {error}") from error


def installed() -> Iterable[Candidate]:
    """The plugins of all installed distributions, each once; the built-in one first, then in order of distribution."""
    points = {(p.name, p.value, p.dist.name if p.dist else ""): p for p in importlib.metadata.entry_points(group=GROUP)}
    for point in sorted(points.values(), key=lambda p: (p.name != BUILTIN, p.dist.name if p.dist else "", p.name)):
        distribution = point.dist
        yield Candidate(
            point.name,
            distribution.name if distribution else "unknown",
            distribution.version if distribution else "unknown",
            point.load,
        )


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
