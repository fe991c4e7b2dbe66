"""`accountant ledger open`, `reserve`, `commit`, `cancel`: the commands that write."""

from __future__ import annotations

import re
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import click

from accountant.cli.commands.ledger.common import batch_of, ledger_options, opened, refuse, release_argument, show_lines
from accountant.cli.failure import ExitStatus
from accountant.cli.options import completed, registry_of
from accountant.cli.output import say, say_json, visible, working
from accountant.cli.sources import SOURCE, PlanSource
from accountant.cli.verdicts import conclude, say_status

if TYPE_CHECKING:
    from accountant.ledger import Reservation


@click.command("open", short_help="Make a new ledger.")
@ledger_options
@click.option("--from", "source", type=SOURCE, metavar="FILE", help="Terms: a plan with or without releases.")
@click.option(
    "--budget",
    "budgets",
    multiple=True,
    metavar="PARAMETER",
    shell_complete=completed("definition_names"),
    help='Such as "zcdp rho=0.1"; repeatable.',
)
@click.option(
    "--neighbours",
    metavar="NAME",
    shell_complete=completed("neighbour_names"),
    help="Which datasets are compared: add-remove or replace-one.",
)
@click.option("--unit", metavar="TEXT", help="Who or what is protected; a person by default.")
@click.option("--title", metavar="TEXT", help="What the ledger is for.")
@click.option("--fixed-plan", is_flag=True, help="No release is ever chosen after seeing an output; you vouch for that.")
def open_(
    ledger: str,
    name: str,
    source: PlanSource | None,
    budgets: tuple[str, ...],
    neighbours: str | None,
    unit: str | None,
    title: str | None,
    fixed_plan: bool,
    as_json: bool,
    disabled: tuple[str, ...],
    allowed: tuple[str, ...],
) -> int:
    """Make a new ledger in a file or in a PostgreSQL database.

    The terms come from a file (--from), which is a plan whose releases, if it has any, are committed at once, or from
    options. They cannot be changed later. Without --fixed-plan every release, and what it may cost, may depend on
    earlier outputs.

    \b
    Examples:
      accountant ledger open survey.ledger --neighbours add-remove --budget "zcdp rho=0.1"
      accountant ledger open survey.ledger --from terms.toml
      accountant ledger open postgresql://me@db/privacy --name survey --from terms.toml

    \b
    Exit status:
      0  the ledger was made
      1  the releases in the file exceed a budget; nothing is made
      2  bad input; nothing is made
    """
    from accountant.errors import BudgetExceeded
    from accountant.ledger import Ledger, read_terms
    from accountant.ledger.database import named
    from accountant.plan.reader import located

    registry = registry_of(disabled, allowed)
    written = None if source is None else source.written()
    data = _terms({} if written is None else written.data(), budgets, neighbours, unit, title, fixed_plan)
    with working("looking for the largest caps"), nullcontext() if written is None else located(written):
        terms = read_terms(data, registry=registry, folder=None if written is None else written.folder)
    try:
        made = Ledger.create(ledger, terms, name=name, registry=registry)
    except BudgetExceeded as error:
        refuse(error, as_json)
        return ExitStatus.EXCEEDED
    with made:
        found = made.status()
    if as_json:
        say_json({**found.as_data(), "terms": terms.as_data()})
        return ExitStatus.KEPT
    say(f"Ledger: {visible(named(ledger))} ({terms.adaptivity}, {terms.plan.specification.neighbours.relation.name})")
    show_lines(found.lines, asked=False)
    return ExitStatus.KEPT


def _terms(
    data: Any,
    budgets: tuple[str, ...],
    neighbours: str | None,
    unit: str | None,
    title: str | None,
    fixed_plan: bool,
) -> Any:
    """Terms in a file with what the options add or replace; faults are found when they are read."""
    from accountant.errors import Fault, PlanError

    if not isinstance(data, dict):
        return data
    faults = []
    tables = []
    for written in budgets:
        divergence, *pairs = re.sub(r"\s*=\s*", "=", written).split() or [""]
        if any("=" not in pair for pair in pairs):
            faults.append(Fault("expected a definition and 'name=value' pairs", f"--budget {written!r}"))
        tables.append({"divergence": divergence, **dict(pair.split("=", 1) for pair in pairs if "=" in pair)})
    if faults:
        raise PlanError(tuple(faults))
    stated = {key: value for key, value in {"neighbours": neighbours, "unit": unit}.items() if value is not None}
    result = dict(data)
    if tables:
        result["budget"] = tables
    if stated:
        result["specification"] = {**data.get("specification", {}), **stated}
    if title is not None:
        result["title"] = title
    if fixed_plan:
        result["ledger"] = {"adaptivity": "fixed-plan"}
    return result


@click.command("reserve", short_help="Set the cost of releases aside.")
@ledger_options
@release_argument
@click.option("--key", metavar="TEXT", help="A retried request with the same key spends once.")
@click.option("--commit", "at_once", is_flag=True, help="Commit in the same transaction.")
def reserve(
    ledger: str,
    name: str,
    release: PlanSource,
    key: str | None,
    at_once: bool,
    as_json: bool,
    disabled: tuple[str, ...],
    allowed: tuple[str, ...],
) -> int:
    """Set the cost of RELEASE aside, or refuse it with nothing written.

    Reserve before a release goes out. Then commit it, or cancel it if nobody has seen its output.

    \b
    Examples:
      accountant ledger reserve survey.ledger release.toml --key wave-1
      accountant ledger reserve survey.ledger release.toml --commit
      echo '{"name": "nothing", "mechanism": {"kind": "no-op"}}' | accountant ledger reserve survey.ledger -

    \b
    Exit status:
      0  reserved; the number is printed
      1  a budget would be exceeded, or the key is that of a cancelled reservation; nothing is written
      2  bad input; nothing is written
    """
    from accountant.errors import BudgetExceeded, ReservationCancelled

    with opened(ledger, name, registry_of(disabled, allowed)) as found:
        try:
            made = found.reserve(batch_of(found, release), key=key, commit=at_once)
        except BudgetExceeded as error:
            refuse(error, as_json)
            return ExitStatus.EXCEEDED
        except ReservationCancelled as error:
            if as_json:
                say_json({"state": "cancelled", "message": str(error)})
            else:
                conclude("bad", f"refused: {error}")
                say_status("the key is that of a cancelled reservation; nothing is written")
            return ExitStatus.EXCEEDED
    _say(made, as_json)
    return ExitStatus.KEPT


@click.command("commit", short_help="Say that reserved releases went out.")
@ledger_options
@click.argument("number", type=int)
def commit(ledger: str, name: str, number: int, as_json: bool, disabled: tuple[str, ...], allowed: tuple[str, ...]) -> None:
    """Say that the releases of reservation NUMBER went out. Committing twice changes nothing.

    \b
    Example:
      accountant ledger commit survey.ledger 1
    """
    with opened(ledger, name, registry_of(disabled, allowed)) as found:
        made = found.commit(number)
    _say(made, as_json)


@click.command("cancel", short_help="Give reserved budget back.")
@ledger_options
@click.argument("number", type=int)
@click.option("--reason", metavar="TEXT", help="Why, for the record.")
def cancel(
    ledger: str,
    name: str,
    number: int,
    reason: str | None,
    as_json: bool,
    disabled: tuple[str, ...],
    allowed: tuple[str, ...],
) -> None:
    """Give the budget of reservation NUMBER back. Only right if nobody has seen any output of its releases.

    \b
    Example:
      accountant ledger cancel survey.ledger 1 --reason "the query failed before it ran"
    """
    with opened(ledger, name, registry_of(disabled, allowed)) as found:
        made = found.cancel(number, reason=reason)
    _say(made, as_json)


def _say(made: Reservation, as_json: bool) -> None:
    if as_json:
        say_json(made.as_data())
        return
    again = " already; nothing was changed" if made.repeated else ""
    say(f"{made.number} {made.state}{again}: {visible(', '.join(made.names))}")
