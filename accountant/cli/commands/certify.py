"""`accountant certify`: account for a plan and write the certificate."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from accountant.cli.failure import ExitStatus, caution
from accountant.cli.options import json_option, plan_argument, plugin_options, registry_of
from accountant.cli.output import say, visible, width, working, write_whole
from accountant.cli.sources import PlanSource

if TYPE_CHECKING:
    from accountant.certificate.certificate import Certificate

_MOST_ROWS = 15


@click.command("certify", short_help="Account for a plan and write its certificate.")
@plan_argument
@click.option(
    "--output",
    "-o",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Where to write the certificate; beside the plan by default, survey.toml giving survey.certificate.json.",
)
@click.option("--all", "whole", is_flag=True, help="Show every release, not only the fifteen that cost most.")
@json_option
@plugin_options
def command(
    plan: PlanSource, output: Path | None, whole: bool, as_json: bool, disabled: tuple[str, ...], allowed: tuple[str, ...]
) -> int:
    """Account for PLAN, say whether its budgets are kept and what each release costs, and write a certificate.

    PLAN is a TOML file, a JSON file whose name ends in .json, '-' for standard input, or JSON itself. The certificate is
    canonical JSON; with --json it is printed instead of the table, and written all the same.

    \b
    Examples:
      accountant certify survey.toml
      accountant certify survey.toml --output public/survey.json
      accountant certify - --output survey.json < survey.toml
      accountant certify survey.toml --allow noise --allow approx --allow zcdp

    \b
    Exit status:
      0  every budget is kept and every risk tolerated
      1  one is exceeded, unknown or vacuous (the certificate says so and is written)
      2  bad input; nothing is written
    """
    from accountant.errors import AccountantError

    registry = registry_of(disabled, allowed)
    loaded = plan.plan(registry)
    target = output if plan.path is None or output is not None else plan.path.with_suffix(".certificate.json")
    if target is not None and plan.is_file(target):
        raise AccountantError(f"cannot write {target}: it is the plan itself")
    from accountant.certificate.certify import certify
    from accountant.report.cautions import Cautions

    with working(f"composing {len(loaded.releases):,} releases"):
        certificate = certify(loaded, registry=registry)
    content = certificate.to_json()
    if target is not None:
        write_whole(target, content)
    if as_json:
        cautions = Cautions.of(certificate.contents, certificate.account)
        caution((*cautions.warnings, *cautions.zeros))
        click.echo(content.encode(), nl=False)
    else:
        _print(certificate, whole=whole)
        say(f"Certificate: {'not written; --output says where' if target is None else visible(str(target))}")
    return ExitStatus.KEPT if certificate.kept else ExitStatus.EXCEEDED


def _print(certificate: Certificate, *, whole: bool) -> None:
    """The verdict, what is decided one by one, and what that rests on."""
    from accountant.certificate.decisions import decisions, unkept
    from accountant.cli.layers import say_layers
    from accountant.cli.verdicts import conclude, overall, say_decisions, say_status
    from accountant.report.cautions import Cautions
    from accountant.report.render.text import render_blocks
    from accountant.report.summary import details

    says, account = certificate.contents, certificate.account
    found, spends_nothing = decisions(says), Cautions.of(says, account).spends_nothing
    verdict, word = overall(found, spends_nothing=spends_nothing)
    conclude(verdict, f"{word}: {says.title}")
    if not certificate.kept:
        say_status("; ".join(map(str, unkept(says))))
    apart = says.universe is not None and says.universe.apart is not None
    say_decisions(found, spends_nothing=spends_nothing, apart=apart)
    shown = (len(says.releases), "") if whole else (_MOST_ROWS, "; --all shows them")
    say(render_blocks(details(certificate, account, *shown), width()))
    say_layers(says)
