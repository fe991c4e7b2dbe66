"""Commands that speak of errors and mean none, and that take files which need not be there."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import click

from accountant.plugin import hookimpl


@click.command("audit-errors", epilog="Example: accountant audit-errors sums --audits 20 --json")
@click.argument("mechanism")
@click.option("--audits", type=click.IntRange(min=1), default=10, show_default=True, help="How many audits there were.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def audit_errors(mechanism: str, audits: int, as_json: bool) -> None:
    """Print how often an audit of a mechanism errs where its claim is at its limit."""
    if as_json:
        click.echo(json.dumps({"mechanism": mechanism, "audits": audits, "errors": audits / 20}))
        return
    click.echo(f"error rate of {mechanism}: 0.05")
    click.echo(f"{mechanism} failed {audits // 20} of {audits} audits, invalid ones not found")
    click.echo("error: 0.05 on average")


@click.command(
    "diary-lines",
    epilog="accountant diary-lines counts what 'accountant account --json' does not.\n\naccountant diary-lines FILE",
)
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
def diary_lines(file: Path) -> None:
    """Count the lines of a diary; one that is not begun has none."""
    click.echo(len(file.read_text().splitlines()) if file.exists() else 0)


@click.command("known-plan", epilog="Example: accountant known-plan census")
@click.argument("plan")
def known_plan(plan: str) -> int:
    """Say that a plan is not known, by the number that is returned."""
    click.echo(f"error: '{plan}' cannot be read", err=True)
    return 2


@click.command(
    "around", context_settings={"ignore_unknown_options": True}, epilog="Example: accountant around train.py --epochs 3"
)
@click.argument("words", nargs=-1, required=True, type=click.UNPROCESSED)
def around(words: tuple[str, ...]) -> None:
    """Print how another program would be called."""
    click.echo(" ".join(words))


@hookimpl
def accountant_commands() -> Iterable[click.Command]:
    return audit_errors, diary_lines, known_plan, around
