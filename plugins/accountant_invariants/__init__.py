"""Releases that keep some statistics exactly: permutation swapping, accounted for, done to records and audited."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from accountant.plugin import ConformanceCase, Mechanism, hookimpl
from accountant_invariants.swapping import Swapping

if TYPE_CHECKING:
    import click

    from accountant_invariants.names import *  # noqa: F403
else:

    def __getattr__(name: str) -> object:
        """The names that are offered in Python, which hooks do not need."""
        import accountant_invariants.names as names

        return getattr(names, name)


@hookimpl
def accountant_mechanisms() -> Iterable[type[Mechanism]]:
    return (Swapping,)


@hookimpl
def accountant_conformance_cases() -> Iterable[ConformanceCase]:
    from accountant_invariants.cases import cases

    return cases()


@hookimpl
def accountant_commands() -> Iterable[click.Command]:
    from accountant_invariants.command import command

    return (command,)
