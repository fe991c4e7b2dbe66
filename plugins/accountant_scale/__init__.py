"""Scale: large tables, units and cells by the million, counted by an engine in the process or on a cluster."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from accountant.plugin import EngineKind, hookimpl

if TYPE_CHECKING:
    import click


@hookimpl
def accountant_commands() -> Iterable[click.Command]:
    from accountant_scale.command import command

    return (command,)


@hookimpl
def accountant_engines() -> Iterable[EngineKind]:
    from accountant_scale.kinds import InProcess, OnCluster

    return (InProcess(), OnCluster())
