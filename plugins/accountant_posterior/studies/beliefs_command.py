"""`accountant study beliefs`: how far beliefs may move as a plan is carried out again and again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from accountant.commands import (
    Form,
    PlanSource,
    answers,
    folder_option,
    json_option,
    plan_argument,
    say,
    say_json,
    say_under,
    visible,
    working,
)


def _answer() -> dict[str, Any]:
    from accountant_posterior.studies.beliefs import schema

    return schema()


@answers(_answer)
@click.command("beliefs", short_help="How far beliefs may move as a plan is carried out again and again.")
@plan_argument
@folder_option("Write a table, a page and figures here.", required=True)
@click.option(
    "--times", type=click.IntRange(1, 100_000), default=100, metavar="COUNT", help="Up to how often; 100 by default."
)
@click.option("--prior", default="1/2", metavar="NUMBER", help="What the attacker believes beforehand; 1/2 by default.")
@click.option("--failure", default="0", metavar="NUMBER", help="With which probability a bound may fail; 0 by default.")
@click.option(
    "--delta", metavar="NUMBER", help="Also as the literature does, from approximate differential privacy at this delta."
)
@click.option("--format", "form", type=click.Choice(["csv", "parquet"]), default="csv", help="How the table is written.")
@json_option
def command(
    plan: PlanSource, output: Path, times: int, prior: str, failure: str, delta: str | None, form: Form, as_json: bool
) -> None:
    """Draw how far an attacker's belief may move as PLAN is carried out once, twice and so on, on the same data.

    The attacker knows all other records, and asks what PLAN hides of one: with add-remove neighbours whether it is
    there, with replace-one which of two values it has. Bounds hold always, or with --failure except with that
    probability. Also drawn: the largest ratio and difference after one time, by the prior.

    \b
    Examples:
      accountant study beliefs survey.toml --output beliefs
      accountant study beliefs day.toml --times 202 --failure 0.01 --delta 1e-6 --output days

    \b
    Exit status:
      0  the figures are written
      2  bad input, or a plan of which nothing holds; nothing is written
    """
    from accountant import InvalidValue, account, fields
    from accountant_posterior.studies.beliefs import LABEL, BeliefStudy, data_of, routes, write_beliefs

    believed, fails = fields.exact(prior), fields.exact(failure)
    slack = None if delta is None else fields.exact(delta)
    for name, value in (("--prior", believed), ("--failure", fails)):
        if not (0 < value < 1 or (name == "--failure" and value == 0)):
            raise InvalidValue(
                f"{name} is a probability between 0 and 1, got '{visible(prior if name == '--prior' else failure)}'"
            )
    if slack is not None and not 0 < slack < fails:
        raise InvalidValue("--delta must lie between 0 and --failure: no bound that fails less often follows from it")
    if output.exists():
        raise InvalidValue(f"'{visible(str(output))}' is there already; name a folder that is not")
    loaded = plan.plan()
    with working(f"reading beliefs off {visible(str(plan))}"):
        found = routes(account(loaded), fails, slack)
        study = BeliefStudy.of(loaded.title, found, believed, times)
        write_beliefs(study, output, form)
    if as_json:
        say_json({**data_of(study), "output": str(output)})
        return
    say(f"STUDY: {visible(study.plan)}, up to {times:,} times; {LABEL}")
    say_under("against", visible(f"an attacker {study.who}"), wide=48)
    say_under("about", visible(study.secret), wide=48)
    for label, posterior, difference in zip(study.labels, study.posterior, study.difference, strict=True):
        for place in (0, len(study.counts) - 1):
            told = f"at most {posterior[place]:.4f} from {believed}, and {difference[place]:.4f} more than before at most"
            say_under(f"{label}, {study.counts[place]:,} times", told, wide=48)
    say_under("written", visible(str(output)), wide=48)
