"""The program's own commands: one file each, named as the command is."""

from __future__ import annotations

import pkgutil
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import click

    from accountant.registry.registry import Registry


@cache
def own_commands() -> tuple[str, ...]:
    """The names of the program's own commands."""
    return tuple(sorted(module.name for module in pkgutil.iter_modules(__path__)))


def further_commands(registry: Registry) -> Mapping[str, click.Command]:
    """The commands of plugins, by name; one that is called like the program's own is refused."""
    from accountant.errors import PluginError
    from accountant.plugin.families import COMMANDS

    for name in own_commands():
        if name in registry[COMMANDS]:
            owner = registry.owner(COMMANDS, name)
            raise PluginError(f"{owner} defines the command '{name}', the program's own; rename it")
    return registry[COMMANDS]
