"""`accountant report`: write what a plan means, for the public, for policy or for technical readers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from accountant.cli.options import json_option, plugin_options, registry_of
from accountant.cli.output import say, say_json, visible, working, write_whole

if TYPE_CHECKING:
    from accountant.plan import Plan
    from accountant.registry import Registry

_STANDARD_OUTPUT = Path("-")


@click.command("report", short_help="Write what a plan means, for one kind of reader.")
@click.argument("source", metavar="PLAN", type=click.Path(path_type=Path))
@click.option(
    "--audience", "-a", default="public", metavar="NAME", help="public (the default), policy, technical or summary."
)
@click.option(
    "--format", "-f", "form", default="html", metavar="NAME", help="html (the default), markdown, json or text."
)
@click.option(
    "--output",
    "-o",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Where to write; '-' prints it. Beside the plan by default, survey.toml giving survey.public.html.",
)
@json_option
@plugin_options
def command(
    source: Path,
    audience: str,
    form: str,
    output: Path | None,
    as_json: bool,
    disabled: tuple[str, ...],
    allowed: tuple[str, ...],
) -> None:
    """Write what the releases of PLAN mean, in the words and numbers of one kind of reader.

    The public reads in plain words how much anybody could learn about one person, policy makers read the numbers with
    their assumptions, and technical readers the theorems and derivations. All numbers are rounded outward: what is
    said to be at most so much is. An HTML report is one file that needs nothing else, with a table behind every figure.

    \b
    Examples:
      accountant report survey.toml
      accountant report survey.toml --audience policy --output policy.html
      accountant report survey.toml --audience technical --format markdown --output -

    \b
    Exit status:
      0  the report is written, whatever it says
      2  bad input; nothing is written
    """
    from accountant.accounting import account
    from accountant.certificate import certify
    from accountant.codec import Reader
    from accountant.errors import AccountantError, PlanError

    registry = registry_of(disabled, allowed)
    reader = Reader()
    report = reader.attempt("--audience", lambda: registry.find("reports", audience))
    renderer = reader.attempt("--format", lambda: registry.find("renderers", form))
    try:
        plan = _plan(source, registry)
    except PlanError as error:
        raise PlanError((*reader.faults, *error.faults)) from error
    if reader.faults:
        raise PlanError(tuple(reader.faults))
    target = output if output is not None else source.with_suffix(f".{audience}{renderer.suffix}")
    if target.exists() and target.samefile(source):
        raise AccountantError(f"cannot write {target}: it is the plan itself")
    with working(f"writing about {len(plan.releases):,} releases"):
        content = renderer.render(report.build(certify(plan, registry=registry), account(plan, registry=registry)))
    if target == _STANDARD_OUTPUT:
        click.echo(content.encode(), nl=False)
        return
    write_whole(target, content)
    if as_json:
        say_json({"report": str(target), "audience": audience, "format": form})
    else:
        say(f"Report: {visible(str(target))}")


def _plan(source: Path, registry: Registry) -> Plan:
    from accountant.plan import load_plan

    return load_plan(source, registry=registry)
