"""What the commands of a ledger share: how it is found, how releases are read, how budgets are shown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click
from attrs import evolve

from accountant.cli.failure import caution
from accountant.cli.options import json_option, plugin_options
from accountant.cli.output import say, say_json, visible, width
from accountant.cli.sources import SOURCE, PlanSource
from accountant.cli.verdicts import conclude, say_status

if TYPE_CHECKING:
    from accountant.errors import BudgetExceeded
    from accountant.ledger import Batch, Ledger, Line
    from accountant.registry.registry import Registry

Command = TypeVar("Command", bound=Callable[..., Any])


def ledger_options(function: Command) -> Command:
    """Which ledger, which plugins, and how to answer."""
    named = click.option("--name", default="main", metavar="NAME", help="Which ledger of the database; 'main' by default.")
    placed = click.argument("ledger", metavar="LEDGER", shell_complete=SOURCE.shell_complete)
    return placed(named(json_option(plugin_options(function))))


release_argument = click.argument("release", metavar="RELEASE", type=SOURCE)


def opened(location: str, name: str, registry: Registry) -> Ledger:
    """The ledger that a command speaks of."""
    from accountant.ledger import Ledger

    return Ledger.open(location, name=name, registry=registry)


def batch_of(ledger: Ledger, source: PlanSource) -> Batch:
    """The releases in a file, on standard input, or in the argument itself; attributes that look amiss are said."""
    from accountant.plan.origins import in_text
    from accountant.plan.reader import located

    written = source.written()
    data = written.data()
    with located(written):
        found = ledger.batch(data, folder=written.folder)
    stated = found.specification or ledger.terms.plan.specification
    warnings = evolve(ledger.terms.plan, specification=stated, releases=found.releases).warnings
    caution(in_text(warning, written) if warning.name is not None else warning for warning in warnings)
    return found


def show_lines(lines: Sequence[Line], *, asked: bool) -> None:
    """Budgets as a table, costs rounded up and what is left rounded down."""
    from accountant.ledger.lines import shown
    from accountant.report import Table
    from accountant.report.render.text import render_blocks

    columns = ("budget", "limit", "spent", "reserved", *(["asked"] if asked else []), "left")
    rows = tuple(
        (
            visible(line.title),
            *map(shown, (line.limit, line.spent, line.reserved, *([line.asked] if asked else []))),
            shown(line.left, upward=False),
        )
        for line in lines
    )
    title = "Costs rounded up, what is left rounded down"
    say(render_blocks((Table(title, columns, rows),), width()).rstrip("\n"))


def refuse(error: BudgetExceeded, as_json: bool) -> None:
    """Say that a budget would be exceeded, with all its numbers."""
    if as_json:
        say_json({"fits": False, "message": str(error), "budgets": [line.as_data() for line in error.lines]})
        return
    conclude("bad", f"refused: {error}")
    say_status("a budget would be exceeded; nothing is written")
    show_lines(error.lines, asked=True)
