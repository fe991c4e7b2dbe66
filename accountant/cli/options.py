"""Options and arguments that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from accountant.cli.failure import Settings

if TYPE_CHECKING:
    from accountant.registry.registry import Registry

Command = TypeVar("Command", bound=Callable[..., Any])
READING_WORDS = ("delta", "epsilon", "order", "level")

plan_argument = click.argument("plan", type=click.Path(path_type=Path))


def _note_json(ctx: click.Context, _: click.Parameter, value: bool) -> bool:
    ctx.ensure_object(Settings).json = value
    return value


json_option = click.option(
    "--json", "as_json", is_flag=True, is_eager=True, callback=_note_json, help="Print JSON, also for faults."
)


def plugin_options(function: Command) -> Command:
    """Which plugins take part."""
    allow = click.option("--allow", "allowed", multiple=True, metavar="NAME", help="Admit only this plugin; repeatable.")
    disable = click.option("--disable", "disabled", multiple=True, metavar="NAME", help="Leave a plugin out; repeatable.")
    return disable(allow(function))


def reading_options(function: Command) -> Command:
    """Which definition is read, and where."""
    about = {
        "delta": "Read the value at this delta.",
        "epsilon": "Read the value at this epsilon.",
        "order": "Read the value at this Renyi order.",
        "level": "Read the value at this level of a test.",
    }
    for word in reversed(READING_WORDS):
        function = click.option(f"--{word}", metavar="NUMBER", help=about[word])(function)
    function = click.option("--precision", metavar="NUMBER", help="The relative width asked for; 1e-4 by default.")(
        function
    )
    return click.option("--as", "divergence", metavar="NAME", required=True, help="The definition, such as approx.")(
        function
    )


def registry_of(disabled: tuple[str, ...], allowed: tuple[str, ...]) -> Registry:
    """The registry with the plugins that were asked for, none of which may take a command of the program's own."""
    from accountant.cli.commands import further_commands
    from accountant.registry.registry import Registry, default_registry

    found = Registry.load(disabled=disabled, allowed=allowed or None) if disabled or allowed else default_registry()
    further_commands(found)
    return found
