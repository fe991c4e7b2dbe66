"""Completion: what a shell offers for the value of an option or argument. A fault offers nothing and says nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from click.shell_completion import CompletionItem

from accountant.cli.sources import Completer, PlanSource
from accountant.engines.kinds import ENGINES
from accountant.errors import AccountantError
from accountant.plan.bridge import BRIDGES
from accountant.promise.divergence import DIVERGENCES
from accountant.promise.neighbours import NEIGHBOURS
from accountant.report.interface import RENDERERS, REPORTS

if TYPE_CHECKING:
    import click

    from accountant.registry.registry import Registry
    from accountant.values.family import Family

_USUAL: Mapping[str, tuple[str, ...]] = {
    "delta": ("1e-5", "1e-6", "1e-9", "1e-10"),
    "level": ("0.01", "0.05", "0.1"),
    "precision": ("1e-4", "1e-6", "1e-8"),
    "tolerance": ("1e-4", "1e-6"),
    "confidence": ("0.99", "0.999", "0.999999"),
}


def offered(choices: Callable[[click.Context], Iterable[tuple[str, str | None]]]) -> Completer:
    """What completes to some of the choices, each with a few words about it."""

    def complete(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[CompletionItem]:
        try:
            found = [(value, about) for value, about in choices(ctx) if value.startswith(incomplete)]
        except AccountantError:
            return []
        return [CompletionItem(value, help=about) for value, about in found]

    return complete


def registered(family: Family[Any]) -> Completer:
    """The names of what is registered in a family, with its title or meaning."""

    def choices(_: click.Context) -> Iterator[tuple[str, str | None]]:
        for name, item in sorted(_registry()[family].items()):
            yield name, getattr(item, "title", None) or getattr(item, "meaning", None)

    return offered(choices)


def usual(word: str) -> Completer:
    """The values that people usually give a word, if there are any."""
    return offered(lambda _: [(value, None) for value in _USUAL.get(word, ())])


def _registry() -> Registry:
    from accountant.registry.registry import default_registry

    return default_registry()


def _plugins(_: click.Context) -> Iterator[tuple[str, str | None]]:
    for plugin in _registry().plugins.values():
        yield plugin.name, f"{plugin.distribution} {plugin.version}"


def _tables(ctx: click.Context, key: str) -> Iterator[Mapping[str, Any]]:
    """The tables of a list in the plan that was given, as far as they are tables."""
    # An option without its value is what is being completed: arguments before it are left as they are.
    source = ctx.params.get("plan") or next(iter(ctx.args), None)
    given = source if isinstance(source, PlanSource) else PlanSource(str(source or ""))
    if given.path is None:
        return
    data = given.written().data()
    listed = data.get(key) if isinstance(data, dict) else None
    yield from (item for item in listed if isinstance(item, Mapping)) if isinstance(listed, list) else ()


def _releases(ctx: click.Context) -> Iterator[tuple[str, str | None]]:
    for release in _tables(ctx, "release"):
        mechanism = release.get("mechanism")
        yield str(release.get("name")), str(mechanism.get("kind")) if isinstance(mechanism, Mapping) else None


def _attributes(ctx: click.Context) -> list[tuple[str, str | None]]:
    """The attributes that releases read."""
    found: set[str] = set()
    for release in _tables(ctx, "release"):
        query = release.get("query")
        named = query.get("attributes") if isinstance(query, Mapping) else None
        found.update(map(str, named) if isinstance(named, list) else ())
    return [(name, None) for name in sorted(found)]


def _languages(_: click.Context) -> Iterator[tuple[str, str | None]]:
    written = {language for report in _registry()[REPORTS].values() for language in report.languages}
    yield from ((language, None) for language in sorted(written))


def _engines(_: click.Context) -> Iterator[tuple[str, str | None]]:
    for kind in _registry()[ENGINES].values():
        yield from ((start, kind.meaning) for start in kind.starts)


plugin_names = offered(_plugins)
engine_names = offered(_engines)
language_names = offered(_languages)
release_names = offered(_releases)
attribute_names = offered(_attributes)
definition_names = registered(DIVERGENCES)
neighbour_names = registered(NEIGHBOURS)
renderer_names = registered(RENDERERS)
bridge_names = registered(BRIDGES)
