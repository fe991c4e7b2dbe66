"""`accountant schema`: the JSON Schema of what the program reads."""

from __future__ import annotations

import click

from accountant.cli.options import json_option, plugin_options, registry_of
from accountant.cli.output import say_json


@click.command("schema", short_help="Print the JSON Schema of plans.")
@click.argument("what", type=click.Choice(["plan"]))
@json_option
@plugin_options
def command(what: str, as_json: bool, disabled: tuple[str, ...], allowed: tuple[str, ...]) -> None:
    """Print the JSON Schema (draft 2020-12) of plans, with everything that the plugins add.

    Editors use it to complete and check plans as they are written. It is JSON with and without --json.

    \b
    Example:
      accountant schema plan > plan.schema.json
    """
    from accountant.plan.schema import plan_schema

    say_json(plan_schema(registry_of(disabled, allowed)))
