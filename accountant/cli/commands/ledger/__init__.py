"""`accountant ledger`: budgets over time, one file for each group of commands."""

from __future__ import annotations

import click

from accountant.cli.commands.ledger.inspect import export, history, status, verify
from accountant.cli.commands.ledger.price import quote, what_if
from accountant.cli.commands.ledger.write import cancel, commit, open_, reserve

command = click.Group(
    "ledger",
    commands=[open_, quote, reserve, commit, cancel, status, history, what_if, verify, export],
    no_args_is_help=True,
    short_help="Keep a budget over time: quote, reserve, commit.",
    help="""Keep a budget over time: what is spent, what is left, may this release go out?

    A LEDGER is a file, or an address such as postgresql://user@host/database. A RELEASE is a TOML or JSON file with the
    [[release]] tables of a plan, '-' for standard input, or JSON itself. What is reserved is set aside for everyone; a
    commitment says that it went out, a cancellation gives it back. A request that is retried with the same --key spends
    once.

    \b
    Examples:
      accountant ledger open survey.ledger --neighbours add-remove --budget "zcdp rho=0.1"
      accountant ledger quote survey.ledger release.toml
      accountant ledger reserve survey.ledger release.toml --key wave-1
      accountant ledger commit survey.ledger 1
      accountant ledger status survey.ledger

    \b
    Exit status:
      0  the question was answered; what was asked fits and is written
      1  a budget would be exceeded; the ledger was tampered with
      2  bad input; nothing is written
    """,
)

__all__ = ["command"]
