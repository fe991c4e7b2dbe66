"""The program: finds its commands lazily, and lets no error out unexplained."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Mapping, Sequence
from functools import cache, partial
from typing import Any

import click

from accountant.cli import commands
from accountant.cli.bounded import limit_parameters, status_of
from accountant.cli.commands import further_commands, own_commands
from accountant.cli.failure import PipeClosed, Settings
from accountant.cli.output import warn
from accountant.errors import AccountantError, suggest
from accountant.registry.registry import Registry


class Program(click.Group):
    """A group whose own commands are modules of one package and whose further commands come from plugins."""

    def __init__(self, **keywords: Any) -> None:
        super().__init__(**keywords)
        self.params += [
            click.Option(["--debug"], is_flag=True, expose_value=False, is_eager=True, callback=_debug, help=_DEBUG),
            click.Option(["--version"], is_flag=True, expose_value=False, is_eager=True, callback=_version, help=_VERSION),
        ]

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*own_commands(), *sorted(_further())]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in own_commands():
            command = importlib.import_module(f"{commands.__name__}.{cmd_name}").command
            return command if isinstance(command, click.Command) else None
        further = _further().get(cmd_name)
        if further is not None and not any(option.name == "within" for option in further.params):
            further.params += limit_parameters()
        return further

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if not name.startswith("-") and self.get_command(ctx, name) is None:
            raise click.UsageError(f"unknown command '{name}'{suggest(name, self.list_commands(ctx))}", ctx)
        return super().resolve_command(ctx, args)

    def _main_shell_completion(self, *values: Any, **named: Any) -> None:
        """What click does for a shell that asks. It leaves the program by itself, as no plugin may: that is told apart."""
        try:
            super()._main_shell_completion(*values, **named)
        except SystemExit as done:
            raise click.exceptions.Exit(done.code if isinstance(done.code, int) else 0) from done

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:
            raise PipeClosed from error

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> Any:
        """Run the program. In the usual standalone mode every error becomes a message and an exit status."""
        # Known before anything is parsed, so that what cannot be parsed is answered in JSON too.
        words = list(sys.argv[1:] if args is None else args)
        settings = Settings(json=any(word.partition("=")[0] == "--json" for word in words))
        run = partial(super().main, args, prog_name or self.name, complete_var, False, obj=settings, **extra)
        return sys.exit(status_of(run, settings, words)) if standalone_mode else run()


@cache
def commands_registry() -> Registry:
    """What plugins offer as commands. Nothing else is asked of them: help shall not wait for what it does not show."""
    from accountant.plugin.families import COMMANDS

    return Registry.load(families=(COMMANDS,))


def _further() -> Mapping[str, click.Command]:
    """The commands of plugins; none, with a warning, where something is wrong with one."""
    try:
        return further_commands(commands_registry())
    except AccountantError as error:
        warn(f"commands of plugins are left out: {error}")
        return {}


_DEBUG = "Show the full traceback of a defect."
_VERSION = "Show the version and exit."


def _debug(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    ctx.ensure_object(Settings).debug = value


def _version(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    if value:
        import importlib.metadata

        click.echo(f"accountant {importlib.metadata.version('privacy-accountant')}")
        ctx.exit()


main = Program(
    name="accountant",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="""Say what a set of data releases promises, prove it with two-sided numbers, and explain it in words.

    \b
    Examples:
      accountant certify survey.toml
      accountant verify survey.certificate.json survey.toml
      accountant measure survey.toml --as approx --delta 1e-6
      accountant explain survey.toml --as zcdp
      accountant calibrate survey.toml

    \b
    Exit status:
      0  every budget is kept; the question was answered
      1  a budget is exceeded, unknown or vacuous; a certificate is refused; an audit refutes the account
      2  bad input: every fault is named with its place, and nothing is written
      3  a defect of this program or of a plugin

    Faults go to standard error, one on each line, starting with 'error: '. With --json they are one line of JSON there:
    {"error": [{"message": "...", "place": "..."}]}. What may not be meant is said there too, starting with 'warning: ', and
    changes no exit status.
    """,
)
