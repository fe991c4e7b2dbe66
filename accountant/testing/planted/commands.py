"""What may go wrong in a command."""

from __future__ import annotations

import copy
import time
from pathlib import Path
from typing import Any

import click

from accountant.plugin.families import COMMANDS

FAMILY = COMMANDS


def help_dropped(command: click.Command) -> click.Command:
    """It does not say what it does."""
    return _with(command, help=None, epilog=None)


def example_dropped(command: click.Command) -> click.Command:
    """It says what it does, and not how it is used."""
    return _with(command, help="Does what it does.", epilog=None)


def example_of_another_option(command: click.Command) -> click.Command:
    """Its example shows an option that there is no more."""
    return _with(command, epilog=f"Example: accountant {command.name} --formerly 1")


def option_unexplained(command: click.Command) -> click.Command | None:
    """An option has no help."""
    return _with(command, params=[*command.params, click.Option(["--further"])])


def anything_taken(command: click.Command) -> click.Command:
    """Options that it does not know are ignored."""
    loose: dict[str, Any] = {"ignore_unknown_options": True, "allow_extra_args": True}
    return _with(
        command,
        context_settings={**command.context_settings, **loose},
        ignore_unknown_options=True,
        allow_extra_args=True,
        params=[],
        callback=lambda: None,
    )


def numbers_taken_as_text(command: click.Command) -> click.Command | None:
    """What should be a number is taken as it is, and fails where it is used."""
    numbers = [parameter for parameter in command.params if parameter.type in (click.FLOAT, click.INT)]
    if not numbers:
        return None
    return _with(command, params=_texts(command))


def example_that_fails(command: click.Command) -> click.Command | None:
    """Its own example ends in an error of Python's own."""
    if not any(parameter.type is click.FLOAT for parameter in command.params):
        return None
    return _with(command, callback=lambda **given: click.echo(1 / int(all(value is None for value in given.values()))))


def number_made_up(command: click.Command) -> click.Command | None:
    """What should be a number and is none is taken for some number."""
    if not any(parameter.type in (click.FLOAT, click.INT) for parameter in command.params):
        return None
    return _with(command, params=_texts(command), callback=lambda **_: click.echo("0.5"))


def refusal_without_a_status(command: click.Command) -> click.Command | None:
    """What it cannot use is told, and the status says that all went well."""
    return _with(command, params=_texts(command), callback=_telling) if command.params else None


def missing_file_overlooked(command: click.Command) -> click.Command:
    """A file that it should read is not looked at."""
    return _with(command, params=[click.Argument(["file"], type=click.Path())], callback=lambda **_: click.echo("kept"))


def verdict_on_what_is_not_there(command: click.Command) -> click.Command:
    """A file that it cannot read is taken for an empty one, of which all is kept."""

    def judged(plan: str) -> None:
        try:
            lines = Path(plan).read_text("utf-8").splitlines()
        except OSError:
            lines = []
        over = [line for line in lines if not line.isdigit()]
        if over:
            raise click.ClickException(f"'{over[0]}' is no number")
        click.echo("budget: kept")

    return _with(command, params=[click.Argument(["plan"])], callback=judged)


def asked_again_for_ever(command: click.Command) -> click.Command:
    """What it does not understand it asks for again, whoever is there to answer."""

    def asked(number: str) -> None:
        while not number.isdigit():
            time.sleep(0.01)

    return _with(command, params=[click.Argument(["number"])], callback=asked)


def error_told_with_status_0_of_an_example(command: click.Command) -> click.Command:
    """Where a number is too small an error is printed, and the status says that all went well."""

    def judged(number: float) -> None:
        click.echo("error: too small" if number <= 0 else "enough")

    option = click.Option(["--number"], type=float, required=True, help="A number.")
    return _with(command, params=[option], epilog=f"Example: accountant {command.name} --number 3", callback=judged)


def one_value_of_several_read_as_it_comes(command: click.Command) -> click.Command:
    """The second of two numbers is text, and is not looked at before it is used."""

    def used(first: float, second: str) -> None:
        click.echo(first + float(second))

    options = [
        click.Option(["--first"], type=float, required=True, help="A number."),
        click.Option(["--second"], type=str, required=True, help="Another."),
    ]
    shown = f"Example: accountant {command.name} --first 3 --second 4"
    return _with(command, params=options, epilog=shown, callback=used)


def written_though_refused(command: click.Command) -> click.Command | None:
    """Half of the result is there when it refuses."""

    def halfway(**_: Any) -> None:
        Path("half.json").write_text("{")
        raise click.ClickException("that is no number")

    return _with(command, params=_texts(command), callback=halfway) if command.params else None


def words_for_json(command: click.Command) -> click.Command:
    """It offers JSON, and prints words."""
    option = click.Option(["--json"], is_flag=True, help="Print JSON.")
    shown = f"Example: accountant {command.name} --json"
    return _with(command, params=[option], epilog=shown, callback=lambda **_: click.echo("odds: 2"))


def help_fails(command: click.Command) -> click.Command:
    """Asking for help ends in an error."""

    def fails(context: click.Context) -> str:
        raise RuntimeError("no help")

    return _with(command, get_help=fails)


def _texts(command: click.Command) -> list[click.Parameter]:
    """The parameters, as text whatever they are."""
    changed = [copy.copy(parameter) for parameter in command.params]
    for parameter in changed:
        parameter.type = click.STRING
    return changed


def _telling(**_: Any) -> None:
    click.echo("Error: that is no number")


def _with(command: click.Command, **other: Any) -> click.Command:
    new = copy.copy(command)
    for name, value in other.items():
        setattr(new, name, value)
    return new
