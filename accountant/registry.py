"""The registry: the only door plugins come through, and the only place that knows pluggy."""

from __future__ import annotations

import difflib
import hashlib
import importlib.metadata
import sys
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pluggy
from attrs import field, frozen

from accountant import hookspecs
from accountant.conformance import ConformanceCase, MechanismCase, ParameterCase
from accountant.conversion import Conversion
from accountant.divergence import CompositionRule, Divergence
from accountant.errors import PluginError, UnknownName
from accountant.mechanism import Mechanism
from accountant.neighbours import Relation
from accountant.public import Public
from accountant.query import Query
from accountant.report import Renderer, Report
from accountant.risk import RiskProfile
from accountant.sampling import Sampling
from accountant.theorem import Theorem

if TYPE_CHECKING:
    import click

GROUP = "accountant"
BUILTIN = "builtin"
OWN_COMMANDS = (
    "audit",
    "calibrate",
    "certify",
    "compare",
    "explain",
    "ledger",
    "measure",
    "plugins",
    "report",
    "scenario",
    "schema",
    "verify",
)
"""Names of the program's own commands, which no plugin may take."""


@frozen
class Family:
    """One kind of thing that plugins register: the hook, what an item must be, and how it is named."""

    hook: str
    word: str
    kind: type | tuple[type, ...]
    classes: bool
    identify: Callable[[Any], str]

    def accepts(self, item: object) -> bool:
        """Whether an item is what the hook asks for."""
        if self.classes:
            return isinstance(item, type) and issubclass(item, self.kind)
        return isinstance(item, self.kind)


def _command() -> type:
    import click

    return click.Command


def _families() -> dict[str, Family]:
    def named(item: Any) -> str:
        return str(item.name)

    def by_kind(item: Any) -> str:
        return str(item.kind)

    return {
        "neighbours": Family("accountant_neighbours", "neighbour relation", Relation, False, named),
        "divergences": Family("accountant_divergences", "divergence", Divergence, False, named),
        "composition_rules": Family("accountant_composition_rules", "composition rule", CompositionRule, False, named),
        "conversions": Family("accountant_conversions", "conversion", Conversion, False, named),
        "risk_profiles": Family("accountant_risk_profiles", "risk profile", RiskProfile, True, by_kind),
        "public": Family("accountant_public", "public information", Public, True, by_kind),
        "queries": Family("accountant_queries", "query", Query, True, by_kind),
        "mechanisms": Family("accountant_mechanisms", "mechanism", Mechanism, True, by_kind),
        "samplings": Family("accountant_samplings", "sampling", Sampling, True, by_kind),
        "theorems": Family("accountant_theorems", "theorem", Theorem, False, named),
        "reports": Family("accountant_reports", "report", Report, False, named),
        "renderers": Family("accountant_renderers", "renderer", Renderer, False, named),
        "commands": Family("accountant_commands", "command", _command(), False, named),
    }


_CASES = Family(
    "accountant_conformance_cases",
    "conformance case",
    (MechanismCase, ParameterCase),
    False,
    lambda item: str(item.name),
)


@frozen
class Plugin:
    """A plugin as installed: where it comes from and what it registers."""

    name: str
    distribution: str
    version: str
    digest: str
    registers: Mapping[str, tuple[str, ...]] = field(factory=dict)

    def __str__(self) -> str:
        return f"plugin '{self.name}' of {self.distribution} {self.version}"


@frozen
class _Candidate:
    """A plugin that may be admitted."""

    name: str
    distribution: str
    version: str
    load: Callable[[], ModuleType]

    def __str__(self) -> str:
        return f"plugin '{self.name}' of {self.distribution} {self.version}"


@frozen
class Registry:
    """Everything that plugins registered, by family and name, each item attributed to its plugin."""

    plugins: Mapping[str, Plugin]
    _items: Mapping[str, Mapping[str, Any]]
    _owners: Mapping[tuple[str, str], str]
    _sources: Mapping[str, _Source]

    @classmethod
    def load(
        cls,
        *,
        disabled: Iterable[str] = (),
        allowed: Iterable[str] | None = None,
        extra: Iterable[ModuleType] = (),
    ) -> Registry:
        """The registry of all installed plugins.

        `disabled` leaves plugins out by name; `allowed` admits only the named ones; `extra` adds modules that are not
        installed, for tests. Guarantee: a plugin that contradicts another one or the hooks raises PluginError.
        """
        candidates = list(_installed()) + [_loose(module) for module in extra]
        names = _unique_names(candidates)
        for name in sorted({*disabled, *(allowed or ())} - set(names)):
            raise UnknownName(f"no plugin is called '{name}'{suggest(name, names)}")
        dropped = set(disabled) | (set(names) - {*allowed, BUILTIN} if allowed is not None else set())
        return _collect([item for item in candidates if item.name not in dropped])

    def find(self, family: str, name: str) -> Any:
        """The item of a family with a name; an error that suggests the nearest one otherwise."""
        items = self._items[family]
        if name not in items:
            word = _families()[family].word
            raise UnknownName(f"unknown {word} '{name}'{suggest(name, items)}")
        return items[name]

    def owner(self, family: str, name: str) -> Plugin:
        """The plugin that registered an item."""
        return self.plugins[self._owners[family, name]]

    @property
    def neighbours(self) -> Mapping[str, Relation]:
        """Neighbour relations by name."""
        return self._items["neighbours"]

    @property
    def divergences(self) -> Mapping[str, Divergence]:
        """Privacy definitions by name."""
        return self._items["divergences"]

    @property
    def composition_rules(self) -> Mapping[str, CompositionRule]:
        """Composition rules by name."""
        return self._items["composition_rules"]

    @property
    def conversions(self) -> Mapping[str, Conversion]:
        """Published conversions by name."""
        return self._items["conversions"]

    @property
    def risk_profiles(self) -> Mapping[str, type[RiskProfile]]:
        """Risk profiles by kind."""
        return self._items["risk_profiles"]

    @property
    def public(self) -> Mapping[str, type[Public]]:
        """Public information by kind."""
        return self._items["public"]

    @property
    def queries(self) -> Mapping[str, type[Query]]:
        """Queries by kind."""
        return self._items["queries"]

    @property
    def mechanisms(self) -> Mapping[str, type[Mechanism]]:
        """Mechanisms by kind."""
        return self._items["mechanisms"]

    @property
    def samplings(self) -> Mapping[str, type[Sampling]]:
        """Samplings by kind."""
        return self._items["samplings"]

    @property
    def theorems(self) -> Mapping[str, Theorem]:
        """Theorems by name."""
        return self._items["theorems"]

    def conformance_cases(self, plugin: str | None = None) -> Mapping[str, ConformanceCase]:
        """Conformance cases by name, of all plugins or of one; made on demand, since only tests want them."""
        chosen = [plugin] if plugin is not None else list(self.plugins)
        cases: dict[str, ConformanceCase] = {}
        owners: dict[str, str] = {}
        for name in chosen:
            for identity, case in _call(self._sources[name], _CASES).items():
                if identity in cases:
                    raise PluginError(
                        f"{self._sources[name]} defines the conformance case '{identity}', already defined by "
                        f"{self._sources[owners[identity]]}; rename one of the two"
                    )
                cases[identity], owners[identity] = case, name
        return cases

    @property
    def reports(self) -> Mapping[str, Report]:
        """Reports by name."""
        return self._items["reports"]

    @property
    def renderers(self) -> Mapping[str, Renderer]:
        """Renderers by name."""
        return self._items["renderers"]

    @property
    def commands(self) -> Mapping[str, click.Command]:
        """Further commands by name."""
        return self._items["commands"]


@cache
def default_registry() -> Registry:
    """The registry of all installed plugins, built once."""
    return Registry.load()


def suggest(name: str, known: Iterable[str]) -> str:
    """A half sentence that points to the nearest known name."""
    choices = sorted(known)
    near = difflib.get_close_matches(name, choices, n=1)
    if near:
        return f"; did you mean '{near[0]}'?"
    return f"; known: {', '.join(choices)}" if choices else ""


def _installed() -> Iterable[_Candidate]:
    own = importlib.metadata.distribution("privacy-accountant")
    yield _Candidate(BUILTIN, own.name, own.version, lambda: importlib.import_module("accountant.builtin"))
    points = {(p.name, p.value, p.dist.name if p.dist else ""): p for p in importlib.metadata.entry_points(group=GROUP)}
    for point in sorted(points.values(), key=lambda p: (p.dist.name if p.dist else "", p.name)):
        distribution = point.dist
        yield _Candidate(
            point.name,
            distribution.name if distribution else "unknown",
            distribution.version if distribution else "unknown",
            point.load,
        )


def _loose(module: ModuleType) -> _Candidate:
    return _Candidate(module.__name__, module.__name__, "not installed", lambda: module)


def _unique_names(candidates: list[_Candidate]) -> dict[str, _Candidate]:
    names: dict[str, _Candidate] = {}
    for candidate in candidates:
        other = names.setdefault(candidate.name, candidate)
        if other is not candidate:
            raise PluginError(
                f"two distributions claim the plugin name '{candidate.name}': {other.distribution} {other.version} and "
                f"{candidate.distribution} {candidate.version}; uninstall one of them"
            )
    return names


@frozen
class _Source:
    """An admitted plugin: its module, and the caller of its own hook implementations only."""

    candidate: _Candidate
    module: ModuleType
    manager: pluggy.PluginManager

    def __str__(self) -> str:
        return str(self.candidate)

    @classmethod
    def admit(cls, candidate: _Candidate) -> _Source:
        manager = pluggy.PluginManager("accountant")
        manager.add_hookspecs(hookspecs)
        module = _module(candidate)
        _check_hooks(manager, candidate, module)
        manager.register(module, candidate.name)
        return cls(candidate, module, manager)


def _collect(candidates: list[_Candidate]) -> Registry:
    items: dict[str, dict[str, Any]] = {family: {} for family in _families()}
    owners: dict[tuple[str, str], str] = {}
    plugins: dict[str, Plugin] = {}
    sources: dict[str, _Source] = {}
    for candidate in candidates:
        source = _Source.admit(candidate)
        sources[candidate.name] = source
        registers: dict[str, tuple[str, ...]] = {}
        for name, family in _families().items():
            found = _call(source, family)
            for identity, item in found.items():
                if name == "commands" and identity in OWN_COMMANDS:
                    raise PluginError(f"{candidate} defines the command '{identity}', the program's own; rename it")
                if identity in items[name]:
                    raise PluginError(
                        f"{candidate} defines the {family.word} '{identity}', already defined by "
                        f"{sources[owners[name, identity]]}; disable one of the two plugins"
                    )
                items[name][identity] = item
                owners[name, identity] = candidate.name
            if found:
                registers[name] = tuple(found)
        plugins[candidate.name] = Plugin(
            candidate.name, candidate.distribution, candidate.version, _digest(source.module), registers
        )
    registry = Registry(plugins, items, owners, sources)
    _check_citations(registry)
    return registry


def _check_citations(registry: Registry) -> None:
    """Refuse an item that cites a theorem nobody registered: a derivation must be traceable."""
    cited = [
        *(("mechanisms", kind, item.theorem) for kind, item in registry.mechanisms.items()),
        *(("queries", kind, item.theorem) for kind, item in registry.queries.items()),
        *(("public", kind, item.theorem) for kind, item in registry.public.items()),
        *(("samplings", kind, item.theorem) for kind, item in registry.samplings.items()),
        *(("composition_rules", name, item.theorem) for name, item in registry.composition_rules.items()),
        *(("conversions", name, item.theorem) for name, item in registry.conversions.items()),
        *(("divergences", name, item.measure_theorem) for name, item in registry.divergences.items()),
        *(("divergences", name, item.worst_case_theorem) for name, item in registry.divergences.items()),
    ]
    for family, name, theorem in cited:
        if registry.theorems.get(theorem.name) != theorem:
            word = _families()[family].word
            raise PluginError(
                f"{registry.owner(family, name)} cites the theorem '{theorem.name}' for its {word} '{name}' but nobody "
                "registers it; return it from accountant_theorems"
            )


def _module(candidate: _Candidate) -> ModuleType:
    try:
        return candidate.load()
    except Exception as error:
        raise PluginError(f"{candidate} could not be loaded: {type(error).__name__}: {error}") from error


def _check_hooks(manager: pluggy.PluginManager, candidate: _Candidate, module: ModuleType) -> None:
    """Refuse what pluggy would take: hooks nobody calls, and wrappers that could change another plugin's answer."""
    known = {_CASES.hook, *(family.hook for family in _families().values())}
    for name in dir(module):
        options = manager.parse_hookimpl_opts(module, name)
        if options is None:
            if name.startswith("accountant_") and callable(getattr(module, name)) and name in known:
                raise PluginError(f"{candidate} defines {name} without marking it; put @hookimpl above it")
            continue
        if name not in known:
            raise PluginError(f"{candidate} implements '{name}', which is no hook of accountant{suggest(name, known)}")
        if options.get("hookwrapper") or options.get("wrapper"):
            raise PluginError(f"{candidate} implements '{name}' as a wrapper; plugins may add answers, not change others'")


def _call(source: _Source, family: Family) -> dict[str, Any]:
    try:
        offered = [item for answer in getattr(source.manager.hook, family.hook)() for item in answer]
    except Exception as error:
        raise PluginError(f"{source} raised in {family.hook}: {type(error).__name__}: {error}") from error
    found: dict[str, Any] = {}
    for item in offered:
        if not family.accepts(item):
            raise PluginError(f"{source} returned {item!r} from {family.hook}, which is no {family.word}")
        identity = family.identify(item)
        if identity in found:
            raise PluginError(f"{source} defines the {family.word} '{identity}' twice")
        found[identity] = item
    return found


def _digest(module: ModuleType) -> str:
    """A digest of the files installed behind a plugin: name and content of each, in order.

    All of the package that the plugin's module belongs to counts, since the module may only point to the code that works.
    """
    parts = module.__name__.split(".")
    ancestors = (sys.modules.get(".".join(parts[:end])) for end in range(1, len(parts)))
    path = next((file for file in (getattr(item, "__file__", None) for item in (*ancestors, module)) if file), None)
    digest = hashlib.sha256()
    for name, file in _files(Path(path)) if path is not None else ():
        digest.update(name.encode() + b"\0" + file.read_bytes() + b"\0")
    return "sha256:" + digest.hexdigest()


def _files(path: Path) -> list[tuple[str, Path]]:
    """The file of a module, or all files of a package that an installation brings, by name."""
    if path.name != "__init__.py":
        return [(path.name, path)]
    found = ((file.relative_to(path.parent), file) for file in path.parent.rglob("*") if file.is_file())
    kept = ((name, file) for name, file in found if "__pycache__" not in name.parts and not name.name.startswith("."))
    return sorted((name.as_posix(), file) for name, file in kept)
