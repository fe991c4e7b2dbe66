"""Admission: what a plugin offers, held to the hooks and to what others offer. The only place that knows pluggy."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from inspect import isroutine
from types import ModuleType
from typing import Any, TypeVar

import pluggy
from attrs import astuple, field, frozen

from accountant.display.brief import Brief
from accountant.errors import PluginError, suggest
from accountant.registry.discovery import Candidate
from accountant.registry.guard import Guard
from accountant.values.family import PREFIX, Family
from accountant.values.hygiene import unprintable

T = TypeVar("T")


@frozen
class Plugin(Brief):
    """A plugin as installed: where it comes from and what it registers."""

    name: str
    distribution: str
    version: str
    _digested: Callable[[], str] = field(eq=lambda made: made(), repr=False)
    registers: Mapping[str, tuple[str, ...]] = field(factory=dict)

    @property
    def digest(self) -> str:
        """A digest of the files that its distribution brought, as they were before it was loaded."""
        return self._digested()

    def __str__(self) -> str:
        return f"plugin '{self.name}' of {self.distribution} {self.version}"


@frozen
class Source:
    """An admitted plugin: its module, and its own implementations of hooks by name."""

    candidate: Candidate
    module: ModuleType
    digested: Callable[[], str]
    hooks: Mapping[str, Callable[[], Iterable[Any] | None]]

    def __str__(self) -> str:
        return str(self.candidate)

    @classmethod
    def admit(cls, candidate: Candidate, digested: Callable[[], str] | None = None) -> Source:
        """The plugin with its hooks, which must be hooks of ours and no wrappers."""
        # The hooks stand at the authors' door, above everything that they speak of.
        from accountant.plugin.families import CASES, FAMILIES

        candidate.check_names()
        module = candidate.load()
        hooks = dict(_hooks(candidate, module, {family.hook for family in (CASES, *FAMILIES)}))
        return cls(candidate, module, digested or partial(_digest, module), hooks)

    def offers(self, family: Family[T]) -> dict[str, T]:
        """What the plugin returns from a family's hook, by name."""
        if family.hook not in self.hooks:
            return {}
        try:
            offered = list(self.hooks[family.hook]() or ())
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            raise PluginError(f"{self} raised in {family.hook}: {type(error).__name__}: {error}") from error
        found: dict[str, T] = {}
        for item in offered:
            if not family.accepts(item):
                raise PluginError(f"{self} returned {item!r} from {family.hook}, which is no {family.word}")
            identity = family.identify(item)
            self._check_texts(item if family.cited else identity)
            if identity in found:
                raise PluginError(f"{self} defines the {family.word} '{identity}' twice")
            found[identity] = item
        return found

    def _check_texts(self, item: object) -> None:
        """Refuse names and theorems that a reader would not see as they are: they stand in every derivation."""
        said = [item] if isinstance(item, str) else _words(item)
        for problem in filter(None, map(unprintable, said)):
            raise PluginError(f"{self} has a name or a theorem whose text {problem}")

    def plugin(self, registers: Mapping[str, tuple[str, ...]]) -> Plugin:
        """The plugin as installed, with what was taken from it."""
        candidate = self.candidate
        return Plugin(candidate.name, candidate.distribution, candidate.version, self.digested, registers)


def _words(theorem: object) -> list[str]:
    return [
        text
        for value in astuple(theorem, recurse=False)  # type: ignore[arg-type]
        for text in ([value] if isinstance(value, str) else value or ())
        if isinstance(text, str)
    ]


def _digest(module: ModuleType) -> str:
    from accountant.registry.digest import digest_of_module

    return digest_of_module(module)


def _hooks(
    candidate: Candidate, module: ModuleType, known: Iterable[str]
) -> Iterable[tuple[str, Callable[[], Iterable[Any] | None]]]:
    """The functions that a plugin marks as hooks. Refused are hooks that nobody calls, and wrappers, which could change
    another plugin's answer."""
    for name in dir(module):
        function = getattr(module, name)
        options = _MARKS.parse_hookimpl_opts(module, name) if isroutine(function) else None
        if options is None:
            if name.startswith(PREFIX) and callable(function) and name in known:
                raise PluginError(f"{candidate} defines {name} without marking it; put @hookimpl above it")
            continue
        if name not in known:
            raise PluginError(f"{candidate} implements '{name}', which is no hook of accountant{suggest(name, known)}")
        if options.get("hookwrapper") or options.get("wrapper"):
            raise PluginError(f"{candidate} implements '{name}' as a wrapper; plugins may add answers, not change others'")
        yield name, function


_MARKS = pluggy.PluginManager("accountant")
"""Reads what `hookimpl` marks."""


@contextmanager
def _uncollected() -> Iterator[None]:
    """Without looking for garbage: what plugins bring stays, and looking through it again and again takes time."""
    before = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if before:
            gc.enable()


@frozen
class Admitted:
    """What the admitted plugins registered, each item attributed to its plugin."""

    items: dict[Family[Any], dict[str, Any]]
    owners: dict[tuple[Family[Any], str], str] = field(factory=dict)
    sources: dict[str, Source] = field(factory=dict)
    plugins: dict[str, Plugin] = field(factory=dict)

    @classmethod
    def of(
        cls, candidates: Iterable[Candidate], beside: Iterable[Candidate], families: Iterable[Family[Any]] | None = None
    ) -> Admitted:
        """All that the candidates offer, or only what is of some families; what contradicts another plugin is refused.

        `beside` are all that are installed: a distribution is what was installed, whichever of its plugins take part.
        """
        from accountant.plugin.families import FAMILIES

        found = cls({family: {} for family in (FAMILIES if families is None else families)})
        with _uncollected():
            guard = Guard.of((*beside, *(candidates := list(candidates))))
            for candidate in candidates:
                with guard.watching(candidate):
                    found._add(Source.admit(candidate, guard.digest(candidate)))
        return found

    def _add(self, source: Source) -> None:
        owner = source.candidate.name
        self.sources[owner] = source
        registers: dict[str, list[str]] = {}
        for family in self.items:
            for identity, item in source.offers(family).items():
                if self._take(source, family, identity, item):
                    registers.setdefault(family.name, []).append(identity)
                for cited, name, theorem in self._cited(source, family, identity, item):
                    if self._take(source, cited, name, theorem):
                        registers.setdefault(cited.name, []).append(name)
        # In the order of the families, wherever theorems were cited first.
        ordered = {family.name: tuple(registers[family.name]) for family in self.items if family.name in registers}
        self.plugins[owner] = source.plugin(ordered)

    def _take(self, source: Source, family: Family[Any], identity: str, item: object) -> bool:
        """Whether an item is new. What is cited may be told again, the same each time; all else has one owner."""
        known = self.items[family].get(identity)
        if known is None:
            self.items[family][identity] = item
            self.owners[family, identity] = source.candidate.name
            return True
        other = self.sources[self.owners[family, identity]]
        if not family.cited:
            raise PluginError(
                f"{source} defines the {family.word} '{identity}', already defined by {other}; disable one of the two "
                "plugins"
            )
        if known != item:
            raise PluginError(
                f"{source} says something else by the {family.word} '{identity}' than {other}; give each {family.word} its "
                "own name"
            )
        return False

    def _cited(
        self, source: Source, family: Family[Any], identity: str, item: object
    ) -> Iterator[tuple[Family[Any], str, object]]:
        """The theorems that an item rests on, with their family and names: a derivation must be traceable."""
        for attribute in family.cites:
            cited = next(known for known in self.items if known.cited)
            theorem = getattr(item, attribute, None)
            if not cited.accepts(theorem):
                raise PluginError(f"{source} cites no {cited.word} as '{attribute}' of its {family.word} '{identity}'")
            source._check_texts(theorem)
            yield cited, cited.identify(theorem), theorem
