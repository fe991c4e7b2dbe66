"""`accountant ledger roles`: who may do what in PostgreSQL."""

from __future__ import annotations

import click

from accountant.cli.options import json_option
from accountant.cli.output import say, say_json, visible

_MAY = {
    "writers": "may read, add entries, move a ledger forward and change the amount of a total",
    "readers": "may read and verify",
}


@click.command("roles", short_help="Make roles for those who write and those who read, in PostgreSQL.")
@click.argument("ledger", metavar="LEDGER")
@click.option("--writers", metavar="ROLE", help="The role of those who reserve, commit and cancel.")
@click.option("--readers", metavar="ROLE", help="The role of those who look and verify.")
@json_option
def roles(ledger: str, writers: str | None, readers: str | None, as_json: bool) -> None:
    """Give roles of PostgreSQL the rights that they need in the database of LEDGER, and nobody else any.

    Run it as the owner of the tables, who stands apart from those who write. Roles that are not there are made, without a
    login; grant them to those who log in. Neither may change or delete an entry, open a ledger, or touch a table, a
    trigger or a rule. Running it again changes nothing.

    \b
    Example:
      accountant ledger roles postgresql://owner@db/privacy --writers survey_writers --readers survey_readers
    """
    if writers is None and readers is None:
        raise click.UsageError("give --writers, --readers or both")
    from accountant.ledger import make_roles

    make_roles(ledger, writers=writers, readers=readers)
    made = {kind: role for kind, role in (("writers", writers), ("readers", readers)) if role is not None}
    if as_json:
        say_json(made)
        return
    for kind, role in made.items():
        say(f"{visible(role)} {_MAY[kind]}; nothing else")
