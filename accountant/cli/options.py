"""Options and arguments that several commands share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import click

from accountant.cli.failure import Settings
from accountant.cli.output import warn
from accountant.cli.sources import SOURCE, Completer

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from accountant.registry.registry import Registry

Command = TypeVar("Command", bound=Callable[..., Any])
Answering = TypeVar("Answering", bound=click.Command)


def completed(name: str, *words: Any) -> Completer:
    """What `accountant.cli.completion` completes under a name, loaded when a shell asks for it."""

    def complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        from accountant.cli import completion

        made = getattr(completion, name)
        found: list[CompletionItem] = (made(*words) if words else made)(ctx, param, incomplete)
        return found

    return complete


plan_argument = click.argument("plan", type=SOURCE)


STATED = "accountant_output"


def answers(schema: Callable[[], dict[str, Any]]) -> Callable[[Answering], Answering]:
    """Say what a command of a plugin prints with --json; the JSON Schema is made when somebody asks for it.

    It may refer to numbers, intervals and faults: `#/$defs/number`, `#/$defs/interval`, `#/$defs/fault`.
    """

    def decorate(command: Answering) -> Answering:
        setattr(command, STATED, schema)
        return command

    return decorate


def _note_json(ctx: click.Context, _: click.Parameter, value: bool) -> bool:
    ctx.ensure_object(Settings).json = value
    return value


json_option = click.option(
    "--json", "as_json", is_flag=True, is_eager=True, callback=_note_json, help="Print JSON, also for faults."
)


def plugin_options(function: Command) -> Command:
    """Which plugins take part."""
    named: dict[str, Any] = {"multiple": True, "metavar": "NAME", "shell_complete": completed("plugin_names")}
    allow = click.option("--allow", "allowed", help="Admit only this plugin; repeatable.", **named)
    disable = click.option("--disable", "disabled", help="Leave a plugin out; repeatable.", **named)
    return disable(allow(function))


class Registered(click.Command):
    """A command some of whose options depend on what is registered: they are made when somebody asks for the command."""

    registered: Callable[[Registry], Sequence[click.Option]]
    """The options that a registry gives rise to."""
    after: str
    """The parameter that they come after."""

    @classmethod
    def kind(cls, after: str, registered: Callable[[Registry], Sequence[click.Option]]) -> type[Registered]:
        """The class of commands with such options."""
        return type(cls.__name__, (cls,), {"after": after, "registered": staticmethod(registered)})

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        stated = super().get_params(ctx)
        place = 1 + next(index for index, item in enumerate(stated) if item.name == self.after)
        return [*stated[:place], *self._made, *stated[place:]]

    @cached_property
    def _made(self) -> Sequence[click.Option]:
        from accountant.errors import AccountantError
        from accountant.registry.registry import default_registry

        try:
            return self.registered(default_registry())
        except AccountantError as error:
            warn(f"options that plugins define are left out: {error}")
            return ()


def word_options(registry: Registry) -> list[click.Option]:
    """An option for every word that some registered definition is read at."""
    from accountant.promise.divergence import DIVERGENCES

    found: dict[str, click.Option] = {}
    for definition in registry[DIVERGENCES].values():
        for word in (word for reading in definition.readings for word in reading.at):
            about = f"Read the value at this {definition.word(word).about}."
            option = click.Option([f"--{word}"], metavar="NUMBER", help=about, shell_complete=completed("usual", word))
            found.setdefault(word, option)
    return list(found.values())


def registry_of(disabled: tuple[str, ...], allowed: tuple[str, ...]) -> Registry:
    """The registry with the plugins that were asked for, none of which may take a command of the program's own."""
    from accountant.cli.commands import further_commands
    from accountant.registry.registry import Registry, default_registry

    found = Registry.load(disabled=disabled, allowed=allowed or None) if disabled or allowed else default_registry()
    further_commands(found)
    return found
