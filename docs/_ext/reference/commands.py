"""The command line, as it describes itself."""

from __future__ import annotations

import inspect
from typing import Any

from accountant.cli.commands import further_commands, own_commands
from reference.text import paragraphs, plain_text, registry


def commands() -> str:
    """Every command with its arguments and options, from the command line itself."""
    import click

    from accountant.cli import main

    context = click.Context(main, info_name="accountant")
    lines = [_help(main.help or ""), ""]
    shared = _options(main, context)
    if shared:
        lines += ["## Options of the program", "", "Given before the command.", "", shared, ""]
    for name in (*own_commands(), *sorted(further_commands(registry()))):
        command = main.get_command(context, name)
        assert command is not None
        lines += [f"## `accountant {name}`", "", _command(command, context, name)]
        within = click.Context(command, info_name=name, parent=context)
        for inner in command.list_commands(within) if isinstance(command, click.Group) else ():
            found = command.get_command(within, inner)
            lines += [f"### `accountant {name} {inner}`", "", _command(found, within, inner)]
    return "\n".join(lines)


def _command(command: Any, parent: Any, name: str) -> str:
    import click

    context = click.Context(command, info_name=name, parent=parent)
    usage = " ".join([context.command_path, *command.collect_usage_pieces(context)])
    return "\n".join(["```text", usage, "```", "", _help(command.help or ""), "", _options(command, context), ""])


def _help(text: str) -> str:
    """The help of a command: prose as prose, what must keep its lines as a block."""
    pieces = []
    for paragraph in inspect.cleandoc(text).split("\n\n"):
        kept = paragraph.removeprefix("\b\n")
        pieces.append(paragraphs(paragraph) if kept == paragraph else f"```text\n{kept}\n```")
    return "\n\n".join(pieces)


def _options(command: Any, context: Any) -> str:
    import click

    rows = []
    for parameter in command.get_params(context):
        if not isinstance(parameter, click.Option) or parameter.hidden:
            continue
        record = parameter.get_help_record(context)
        if record is not None:
            rows.append(f"| `{record[0]}` | {plain_text(record[1])} |")
    return "\n".join(["| option | meaning |", "|---|---|", *rows]) if rows else ""
