"""Loaded: whether the plugins of a certificate are the ones that are here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from accountant.certificate.certificate import Certificate
from accountant.certificate.certify import loaded
from accountant.certificate.contents import CertifiedDistribution, Contents
from accountant.errors import Fault
from accountant.registry.discovery import installed
from accountant.registry.registry import Registry


def plugin_differences(certificate: Certificate, registry: Registry) -> tuple[Fault, ...]:
    """Plugins that the certificate rests on and that are missing here or are not the same."""
    found: list[Fault] = []
    plugins = certificate.data.get("plugins")
    for index, stated in enumerate(plugins if isinstance(plugins, list) else []):
        place = f"certificate.plugins[{index}]"
        name = stated.get("name") if isinstance(stated, Mapping) else None
        if not isinstance(name, str) or name not in registry.plugins:
            found.append(Fault(f"the plugin '{name}' is not installed or not allowed here", place))
            continue
        here = registry.plugins[name]
        for key in ("distribution", "version", "digest"):
            if stated.get(key) != getattr(here, key):
                message = f"the plugin '{name}' has the {key} {getattr(here, key)} here, not {stated.get(key)}"
                found.append(Fault(message, f"{place}.{key}"))
    return tuple(found)


def loaded_differences(says: Contents, registry: Registry) -> Iterator[Fault]:
    """What a certificate says of all plugins that were loaded and is not so here.

    A distribution that nothing rests on may be missing here, and plugins of it may be left out: `unchecked` names them.
    """
    here = {item.distribution: item for item in loaded(registry)}
    names: dict[str, set[str]] = {}
    for candidate in installed():
        names.setdefault(candidate.distribution, set()).add(candidate.name)
    for index, stated in enumerate(says.loaded):
        place = f"certificate.loaded[{index}]"
        known = here.get(stated.distribution)
        if known is not None:
            yield from _unlike(stated, known, names.get(known.distribution, set()) | {*known.plugins}, registry, place)
    listed = {(item.distribution, name) for item in says.loaded for name in item.plugins}
    for plugin in says.plugins:
        if (plugin.distribution, plugin.name) not in listed:
            yield Fault(f"the plugin '{plugin.name}' is missing, which the certificate rests on", "certificate.loaded")
    origins = [item.distribution for item in says.loaded]
    if origins != sorted(set(origins)):
        yield Fault("distributions are not in order, each once", "certificate.loaded")


def _unlike(
    stated: CertifiedDistribution, here: CertifiedDistribution, offered: set[str], registry: Registry, place: str
) -> Iterator[Fault]:
    if stated.version != here.version:
        yield Fault(f"{stated.distribution} has the version {here.version} here, not {stated.version}", f"{place}.version")
    if list(stated.plugins) != sorted(set(stated.plugins)):
        yield Fault("plugins are not in order, each once", f"{place}.plugins")
    for name in stated.plugins:
        if name not in offered:
            yield Fault(f"{stated.distribution} has no plugin '{name}' here", f"{place}.plugins")
    both = [name for name in stated.plugins if name in here.plugins]
    expected = dict.fromkeys(registry.plugins[name].digest for name in both)
    complete = both == list(stated.plugins)
    if (complete and list(expected) != list(stated.digests)) or not expected.keys() <= {*stated.digests}:
        yield Fault(f"files of {stated.distribution} are not the same here", f"{place}.digests")


def unchecked(says: Contents, registry: Registry) -> Iterator[Fault]:
    """Plugins that were loaded only there or only here. Nothing rests on the former: it is recomputed without them."""
    here = {item.distribution: item for item in loaded(registry)}
    for index, stated in enumerate(says.loaded):
        known = here.pop(stated.distribution, None)
        absent = [name for name in stated.plugins if known is None or name not in known.plugins]
        if absent:
            words = f"was loaded there and is not here: {stated.distribution} {stated.version} ({', '.join(absent)})"
            yield Fault(words, f"certificate.loaded[{index}]")
    for other in here.values():
        words = f"is loaded here and was not there: {other.distribution} {other.version} ({', '.join(other.plugins)})"
        yield Fault(words, "certificate.loaded")
