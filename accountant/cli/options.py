"""Options and arguments that several commands share."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from functools import cache
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
    # A group has the option too: what it was not given says nothing about its commands.
    settings = ctx.ensure_object(Settings)
    settings.json = settings.json or value
    return value


json_option = click.option(
    "--json", "as_json", is_flag=True, is_eager=True, callback=_note_json, help="Print JSON, also for faults."
)


engine_option = click.option(
    "--engine",
    metavar="ADDRESS",
    shell_complete=completed("engine_names"),
    help="What counts: an engine in this process by default, or one at an address, such as spark://HOST:PORT.",
)
"""Which engine counts; `accountant.engines.engine_at` opens it."""

PASSPHRASE = "ACCOUNTANT_PASSPHRASE"
"""The variable of the environment that a passphrase is taken from."""

passphrase_option = click.option(
    "--passphrase-file",
    "passphrase_file",
    metavar="FILE",
    type=click.Path(),
    help=f"Where the passphrase of the key is written, '-' for standard input; else ${PASSPHRASE}, else it is asked for.",
)
"""Where the passphrase of a private key is read from, as `accountant.cli.passphrase` does; it is never an argument."""


def plugin_options(function: Command) -> Command:
    """Which plugins take part, and how much time and memory may be taken."""
    from accountant.cli.bounded import limit_options

    named: dict[str, Any] = {"multiple": True, "metavar": "NAME", "shell_complete": completed("plugin_names")}
    allow = click.option("--allow", "allowed", help="Admit only this plugin; repeatable.", **named)
    disable = click.option("--disable", "disabled", help="Leave a plugin out; repeatable.", **named)
    return disable(allow(limit_options(function)))


class Commands(click.Group):
    """Commands that are loaded when they are asked for: where each is, by its name, as `package.module.command`.

    Other plugins may add theirs, by names such as `swap undo`.
    """

    def __init__(self, name: str, where: Mapping[str, str], **settings: Any) -> None:
        super().__init__(name, no_args_is_help=True, **settings)
        self.where = where

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*self.where, *sorted(self.commands)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.where:
            return self.commands.get(cmd_name)
        module, _, name = self.where[cmd_name].rpartition(".")
        found = getattr(importlib.import_module(module), name)
        return found if isinstance(found, click.Command) else None


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

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        from accountant.cli.bounded import values_of

        # Which plugins take part must be known before any is loaded: those that are left out shall not even be imported.
        ctx.meta[_TAKING_PART] = values_of(args, "--disable"), values_of(args, "--allow")
        return super().parse_args(ctx, args)

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        stated = super().get_params(ctx)
        place = 1 + next(index for index, item in enumerate(stated) if item.name == self.after)
        return [*stated[:place], *self._options(*ctx.meta.get(_TAKING_PART, ((), ()))), *stated[place:]]

    def _options(self, disabled: tuple[str, ...], allowed: tuple[str, ...]) -> Sequence[click.Option]:
        from accountant.errors import AccountantError

        known: dict[Any, Sequence[click.Option]] = self.__dict__.setdefault("_made", {})
        if (disabled, allowed) not in known:
            try:
                known[disabled, allowed] = self.registered(chosen_registry(disabled, allowed))
            except AccountantError as error:
                warn(f"options that plugins define are left out: {error}")
                known[disabled, allowed] = ()
        return known[disabled, allowed]


_TAKING_PART = f"{__name__}.taking_part"


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


def chosen_registry(disabled: tuple[str, ...], allowed: tuple[str, ...]) -> Registry:
    """The registry with the plugins that were asked for, loaded once."""
    from accountant.registry.registry import default_registry

    return _chosen(disabled, allowed) if disabled or allowed else default_registry()


@cache
def _chosen(disabled: tuple[str, ...], allowed: tuple[str, ...]) -> Registry:
    from accountant.registry.registry import Registry

    return Registry.load(disabled=disabled, allowed=allowed or None)


def registry_of(disabled: tuple[str, ...], allowed: tuple[str, ...]) -> Registry:
    """The registry with the plugins that were asked for, none of which may take a command of the program's own."""
    from accountant.cli.commands import further_commands

    found = chosen_registry(disabled, allowed)
    further_commands(found)
    return found
