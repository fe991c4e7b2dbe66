"""A command that turns an epsilon into odds."""

from __future__ import annotations

import math
from collections.abc import Iterable

import click

from accountant.plugin import hookimpl


@click.command("odds", epilog="Example: accountant odds --epsilon 1")
@click.option("--epsilon", type=float, required=True, help="The epsilon of pure differential privacy.")
def odds(epsilon: float) -> None:
    """Print by what factor odds may change."""
    click.echo(f"{math.exp(epsilon):.6g}")


@hookimpl
def accountant_commands() -> Iterable[click.Command]:
    return (odds,)
