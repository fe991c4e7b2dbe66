"""Blame: which plugin an error comes from, by the code that raised it."""

from __future__ import annotations

from types import TracebackType

from accountant.registry.discovery import Candidate

_ADMITTED: dict[str, Candidate] = {}
"""The plugins whose code was loaded, by the outermost package of their modules; only others' than the core's own."""


def admit(package: str, candidate: Candidate) -> None:
    """Remember whose a package is."""
    _ADMITTED[package] = candidate


def owner_of(module: str) -> Candidate | None:
    """The plugin that a module belongs to; None for the core and what comes with it."""
    return _ADMITTED.get(module.partition(".")[0])


def culprit(error: BaseException) -> Candidate | None:
    """The plugin in whose code an error was raised; None where it was the core's, or of what comes with it.

    Of the code that was running, the innermost counts that is a plugin's or the core's: libraries do what they are told.
    """
    found = None
    step: TracebackType | None = error.__traceback__
    while step is not None:
        module = str(step.tb_frame.f_globals.get("__name__", ""))
        if owner_of(module) is not None or module.startswith("accountant"):
            found = owner_of(module)
        step = step.tb_next
    return found
