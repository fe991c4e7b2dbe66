"""Registry: everything that plugins registered, by family and name."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import frozen

from accountant import fields
from accountant.display.brief import Rich
from accountant.errors import PluginError, UnknownName, suggest
from accountant.fields import shown
from accountant.registry.admission import Admitted, Plugin, Source
from accountant.registry.conformance import Badge, badge_beside
from accountant.registry.discovery import BUILTIN, Candidate, by_name, installed, loose
from accountant.values.family import Family

if TYPE_CHECKING:
    from accountant.display.card import Card

T = TypeVar("T")


@frozen
class Registry(Rich):
    """Everything that plugins registered, by family and name, each item attributed to its plugin."""

    plugins: Mapping[str, Plugin]
    _items: Mapping[Family[Any], Mapping[str, Any]]
    _owners: Mapping[tuple[Family[Any], str], str]
    _sources: Mapping[str, Source]

    @classmethod
    def load(
        cls,
        *,
        disabled: Iterable[str] = (),
        allowed: Iterable[str] | None = None,
        extra: Iterable[ModuleType] = (),
        families: Iterable[Family[Any]] | None = None,
    ) -> Registry:
        """The registry of all installed plugins.

        `disabled` leaves plugins out by name; `allowed` admits only the named ones; `extra` adds modules that are not
        installed, for tests; with `families` plugins are asked for these only. Guarantee: a plugin that contradicts
        another one or the hooks raises PluginError; one that contradicts another in a family that is not asked for does
        so where that is.
        """
        known = list(installed())
        candidates = [*known, *map(loose, extra)]
        names = by_name(candidates)
        without, only = fields.names(disabled) or frozenset(), fields.names(allowed)
        for name in sorted((without | (only or frozenset())) - set(names)):
            raise UnknownName(f"no plugin is called '{name}'{suggest(name, names)}")
        dropped = without | (set(names) - {*only, BUILTIN} if only is not None else set())
        return cls._of((item for item in candidates if item.name not in dropped), known, families)

    @classmethod
    def _of(
        cls, candidates: Iterable[Candidate], beside: Iterable[Candidate], families: Iterable[Family[Any]] | None = None
    ) -> Registry:
        found = Admitted.of(candidates, beside, families)
        return cls(found.plugins, found.items, found.owners, found.sources)

    def adding(self, *modules: ModuleType) -> Registry:
        """The registry with further modules that are not installed, for tests."""
        return self._of([*(source.candidate for source in self._sources.values()), *map(loose, modules)], installed())

    @property
    def families(self) -> Iterable[Family[Any]]:
        """The families that plugins were asked for."""
        return self._items

    def __getitem__(self, family: Family[T]) -> Mapping[str, T]:
        """The items of a family, by name."""
        return self._items[family]

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """The items of a family that is asked for by its name, as it could be before families were tokens."""
            # A registry that is being copied has no items yet.
            known = () if name.startswith("_") else self._items
            family = next((family for family in known if family.name == name), None)
            if family is None:
                raise AttributeError(f"'Registry' object has no attribute '{name}'")
            warnings.warn(
                f"Registry.{name} is deprecated; index the registry by the family's token", DeprecationWarning, stacklevel=2
            )
            return self[family]

    def find(self, family: Family[T], name: str) -> T:
        """The item of a family with a name; an error that suggests the nearest one otherwise."""
        items = self[family]
        if not isinstance(name, str):
            raise UnknownName(f"expected the name of a {family.word}, got {shown(name)}; one of {', '.join(sorted(items))}")
        if name not in items:
            named = (known for known, item in items.items() if name.casefold() in getattr(item, "elsewhere", ()))
            meant = next(named, None)
            hint = suggest(name, items) if meant is None else f"; did you mean '{meant}'?"
            raise UnknownName(f"unknown {family.word} '{name}'{hint}")
        return items[name]

    def owner(self, family: Family[Any], name: str) -> Plugin:
        """The plugin that registered an item."""
        return self.plugins[self._owners[family, name]]

    def file(self, plugin: str) -> str | None:
        """Where the module of a plugin stands; None where it was made and not read."""
        return self._sources[plugin].module.__dict__.get("__file__")

    def badge(self, plugin: str) -> Badge | None:
        """Which laws a plugin is said to have passed, as it is installed; None where nothing is said of these files."""
        return badge_beside(self.file(plugin), self.plugins[plugin].digest)

    def offered(self, family: Family[T], plugin: str | None = None) -> Mapping[str, T]:
        """What is made on demand, of all plugins or of one: conformance cases, which only tests want."""
        found: dict[str, T] = {}
        owners: dict[str, str] = {}
        for owner in self.plugins if plugin is None else (plugin,):
            for identity, item in self._sources[owner].offers(family).items():
                if identity in found:
                    raise PluginError(
                        f"{self._sources[owner]} defines the {family.word} '{identity}', already defined by "
                        f"{self._sources[owners[identity]]}; rename one of the two"
                    )
                found[identity], owners[identity] = item, owner
        return found

    def _card(self) -> Card:
        """Which plugins there are, and what each registers."""
        from accountant.display.card import Card, CardRows

        rows = tuple(
            (
                name,
                f"{item.distribution} {item.version}",
                ", ".join(f"{len(of)} {kind}" for kind, of in item.registers.items()),
            )
            for name, item in self.plugins.items()
        )
        title = f"{len(rows)} plugins: {', '.join(self.plugins)}"
        return Card(title, None, (), (CardRows(("plugin", "of", "registers"), rows),))


@cache
def default_registry() -> Registry:
    """The registry of all installed plugins, built once."""
    return Registry.load()
