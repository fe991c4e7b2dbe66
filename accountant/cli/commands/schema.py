"""`accountant schema`: the JSON Schema of what the program reads and of what it answers."""

from __future__ import annotations

import click

from accountant.cli.options import json_option, plugin_options, registry_of
from accountant.cli.output import say_json


@click.command("schema", short_help="Print the JSON Schema of plans or of answers.")
@click.argument("what", type=click.Choice(["plan", "output"]))
@json_option
@plugin_options
def command(what: str, as_json: bool, disabled: tuple[str, ...], allowed: tuple[str, ...]) -> None:
    """Print the JSON Schema (draft 2020-12) of plans or of output, with everything that the plugins add.

    Editors use that of plans to complete and check them as they are written. That of output says what every command
    prints with --json: the answer of each under its name in $defs, and the faults and warnings that go to standard error.
    It is JSON with and without --json.

    \b
    Examples:
      accountant schema plan > plan.schema.json
      accountant schema output > output.schema.json
    """
    registry = registry_of(disabled, allowed)
    if what == "plan":
        from accountant.plan.schema import plan_schema

        say_json(plan_schema(registry))
    else:
        from accountant.cli.answers import output_schema
        from accountant.cli.commands import further_commands

        say_json(output_schema(further_commands(registry)))
