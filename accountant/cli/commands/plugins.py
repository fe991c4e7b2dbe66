"""`accountant plugins`: what is installed, by whom, and what it adds."""

from __future__ import annotations

import click

from accountant.cli.options import json_option, plugin_options, registry_of
from accountant.cli.output import say, say_json


@click.command("plugins", short_help="List what is installed and what it adds.")
@json_option
@plugin_options
def command(as_json: bool, disabled: tuple[str, ...], allowed: tuple[str, ...]) -> None:
    """List the plugins: distribution, version, digest of the installed files, what each registers, and which laws it is
    said to have passed.

    \b
    Examples:
      accountant plugins
      accountant plugins --json
      accountant plugins --disable noise
    """
    registry = registry_of(disabled, allowed)
    found = list(registry.plugins.values())
    badges = {name: registry.badge(name) for name in registry.plugins}
    laws = {name: None if badge is None else str(badge) for name, badge in badges.items()}
    if as_json:
        say_json(
            [
                {
                    "name": plugin.name,
                    "distribution": plugin.distribution,
                    "version": plugin.version,
                    "digest": plugin.digest,
                    "registers": {family: list(names) for family, names in plugin.registers.items()},
                    "laws": laws[plugin.name],
                }
                for plugin in found
            ]
        )
        return
    for plugin in found:
        say(f"{plugin.name} ({plugin.distribution} {plugin.version})")
        say(f"  {'digest:':<19}{plugin.digest}")
        if laws[plugin.name]:
            say(f"  {'passed:':<19}{laws[plugin.name]}, as its author states")
        for family, names in plugin.registers.items():
            if family != "theorems":
                say(f"  {family.replace('_', ' ') + ':':<19}{', '.join(names)}")
        if "theorems" in plugin.registers:
            say(f"  {'theorems:':<19}{len(plugin.registers['theorems'])}")
