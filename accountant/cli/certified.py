"""Certified: which plugins take part when a certificate is verified, decided before the code of any is loaded."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from accountant.cli.failure import caution
from accountant.cli.options import registry_of

if TYPE_CHECKING:
    from accountant.registry.registry import Registry


def registry_for(data: Mapping[str, Any], disabled: tuple[str, ...], allowed: tuple[str, ...]) -> Registry:
    """The registry of the core's own plugins, and of those of others that a certificate names by the files that are here.

    Others are left out with a warning, and never imported: what a certificate does not rest on has no part in whether it
    is verified, and what it rests on must be what it was made with.
    """
    from accountant.errors import Fault

    reasons = {
        name: why for name, why in _left_out(data).items() if name not in disabled and (not allowed or name in allowed)
    }
    caution(Fault(f"{why}, so it is not loaded", "certificate.plugins") for why in reasons.values())
    kept = tuple(name for name in allowed if name not in reasons)
    return registry_of((*disabled, *reasons), kept) if kept or not allowed else registry_of(disabled, ("builtin",))


def _left_out(data: Mapping[str, Any]) -> dict[str, str]:
    """The plugins of others that have no part in a certificate, or are not what it was made with: by name, the reason."""
    from accountant.errors import PluginError
    from accountant.registry.discovery import installed
    from accountant.registry.guard import Guard

    candidates = list(installed())
    guard = Guard.of(candidates)
    listed = data.get("plugins")
    stated = {
        item.get("name"): item.get("digest")
        for item in (listed if isinstance(listed, list) else [])
        if isinstance(item, Mapping)
    }
    found: dict[str, str] = {}
    for candidate in candidates:
        if candidate.distribution == guard.own:
            continue
        if candidate.name not in stated:
            found[candidate.name] = f"the certificate does not rest on {candidate}"
            continue
        try:
            ask = guard.digest(candidate)
            same = ask is not None and ask() == stated[candidate.name]
        except PluginError as error:
            found[candidate.name] = str(error)
        else:
            if not same:
                found[candidate.name] = f"{candidate} does not have the files that the certificate names"
    return found
