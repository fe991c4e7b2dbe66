"""`accountant ledger quote` and `what-if`: what it would cost, changing nothing."""

from __future__ import annotations

import click

from accountant.cli.commands.ledger.common import batch_of, ledger_options, opened, release_argument, show_lines
from accountant.cli.failure import ExitStatus
from accountant.cli.options import registry_of
from accountant.cli.output import say, say_json, visible, wrapped
from accountant.cli.sources import SOURCE, PlanSource
from accountant.cli.verdicts import conclude, say_status
from accountant.values.writing import listed


@click.command("quote", short_help="Say what a release would cost.")
@ledger_options
@release_argument
def quote(
    ledger: str, name: str, release: PlanSource, as_json: bool, disabled: tuple[str, ...], allowed: tuple[str, ...]
) -> int:
    """Say what RELEASE would cost now, and whether it fits. Changes nothing and promises nothing: reserve for that.

    \b
    Example:
      accountant ledger quote survey.ledger release.toml

    \b
    Exit status:
      0  it fits
      1  a budget would be exceeded
      2  bad input
    """
    with opened(ledger, name, registry_of(disabled, allowed)) as found:
        result = found.quote(batch_of(found, release))
        lines = result.lines
    if as_json:
        say_json(result.as_data())
    else:
        if result.fits:
            conclude("good", "it fits")
        else:
            conclude("bad", "it does not fit")
            over = listed([line.title for line in lines if not line.fits])
            say_status(f"the release would exceed {over}" if over else "the release would exceed a budget")
        show_lines(lines, asked=True)
    return ExitStatus.KEPT if result.fits else ExitStatus.EXCEEDED


@click.command("what-if", short_help="Say where the ledger would stand after some changes.")
@ledger_options
@click.argument("release", metavar="RELEASE", required=False, type=SOURCE)
@click.option(
    "--cancel", "cancelled", type=int, multiple=True, metavar="NUMBER", help="As if this were cancelled; repeatable."
)
def what_if(
    ledger: str,
    name: str,
    release: PlanSource | None,
    cancelled: tuple[int, ...],
    as_json: bool,
    disabled: tuple[str, ...],
    allowed: tuple[str, ...],
) -> int:
    """Say where the ledger would stand after cancelling reservations and making the releases in RELEASE one by one.

    What does not fit is left out and the next one is tried. Also says how often more all of RELEASE would fit after that.
    Changes nothing.

    \b
    Examples:
      accountant ledger what-if survey.ledger release.toml
      accountant ledger what-if survey.ledger release.toml --cancel 3 --cancel 4

    \b
    Exit status:
      0  everything would fit
      1  some release would not
      2  bad input
    """
    with opened(ledger, name, registry_of(disabled, allowed)) as found:
        forecast = found.what_if(batch_of(found, release) if release is not None else None, cancelled=cancelled)
    if as_json:
        say_json(forecast.as_data())
    else:
        if forecast.refused:
            say_status(f"{listed(forecast.refused)} would not fit")
        for title, names in (("would fit", forecast.accepted), ("would not fit", forecast.refused)):
            if names:
                say(wrapped(f"{title}: {visible(', '.join(names))}", 2, 0))
        if release is not None:
            say("would fit without end" if forecast.repeats is None else f"would fit {forecast.repeats:,} times more")
        show_lines(forecast.lines, asked=False)
    return ExitStatus.EXCEEDED if forecast.refused else ExitStatus.KEPT
