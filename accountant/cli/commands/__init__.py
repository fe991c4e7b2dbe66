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
    """The commands of plugins, by name; one that is called like the program's own is refused.

    A name of two words, such as `study counties`, is that of a command in the group that the first word names, whoever
    brought the group: several plugins may have something to say under one heading.
    """
    from accountant.errors import PluginError
    from accountant.plugin.families import COMMANDS

    for name in own_commands():
        if name in registry[COMMANDS]:
            owner = registry.owner(COMMANDS, name)
            raise PluginError(f"{owner} defines the command '{name}', the program's own; rename it")
    return joined(registry[COMMANDS])


def joined(commands: Mapping[str, click.Command]) -> Mapping[str, click.Command]:
    """Commands whose names have two words put into their groups; a group that nobody brought is made."""
    import click

    found = {name: command for name, command in commands.items() if " " not in name}
    for name, command in sorted(commands.items()):
        group, _, word = name.partition(" ")
        if word:
            within = found.setdefault(group, click.Group(group, short_help=f"Commands about: {group}."))
            if not isinstance(within, click.Group):
                raise _refused(name, f"'{group}' is a command and no group")
            within.add_command(command, word)
    return found


def _refused(name: str, reason: str) -> Exception:
    from accountant.errors import PluginError

    return PluginError(f"the command '{name}' cannot be joined: {reason}; rename it")
