"""`accountant individuals`: what each unit's own releases lose, from a table of who took part in what."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from accountant.commands import (
    Source,
    answers,
    completed,
    engine_option,
    json_option,
    plan_argument,
    say,
    say_json,
    say_under,
    working,
)

if TYPE_CHECKING:
    from accountant_scale.individuals.own import Participation
    from accountant_scale.individuals.run import Individuals


def _answer() -> dict[str, Any]:
    from accountant_scale.individuals.answer import schema

    return schema()


@answers(_answer)
@click.command("individuals", short_help="Account for every unit of a table of who took part in what.")
@plan_argument
@click.argument("events", metavar="EVENTS", type=click.Path())
@click.option(
    "--participation",
    type=click.Choice(["design", "data"]),
    default="data",
    help="What decided who took part: a design fixed beforehand, or the data (assumed by default).",
)
@click.option(
    "--before",
    metavar="RELEASE",
    shell_complete=completed("release_names"),
    help="Which units must be left out of one more of this release.",
)
@engine_option
@click.option("--output", metavar="FOLDER", type=click.Path(path_type=Path), help="Write units with their readings here.")
@json_option
def command(
    plan: Source,
    events: str,
    participation: str,
    before: str | None,
    engine: str | None,
    output: Path | None,
    as_json: bool,
) -> int:
    """Account for every unit of EVENTS under PLAN.

    EVENTS is a CSV or Parquet file, or a folder of such: a column `unit`, a column `release` that names a release of the
    plan, and perhaps `times`. The budgets and questions of the plan are read for every different set of releases that some
    unit took part in, once; units share the answer.

    Where who took part was fixed beforehand (a rotating panel, a training schedule), the largest loss is a promise. Where
    it depends on the data, the losses are confidential themselves. With --output, units are written with their readings
    as Parquet; work that was cut off is taken up again when the same is asked once more.

    \b
    Examples:
      accountant individuals panel.toml events.parquet --participation design
      accountant individuals panel.toml events.csv --before "month 36" --output losses
      accountant individuals panel.toml events/ --engine spark://127.0.0.1:7077 --json

    \b
    Exit status:
      0  every unit keeps every budget, or none was stated
      1  some unit is not shown to keep a budget
      2  bad input
    """
    from accountant.engines import engine_at
    from accountant_scale.individuals.answer import data_of
    from accountant_scale.individuals.run import individuals

    loaded = plan.plan()
    with working(f"accounting for the units of {events}"), engine_at(engine) as chosen:
        found = individuals(
            loaded,
            events,
            participation=cast("Participation", participation),
            engine=chosen,
            output=output,
            before=before,
            finished=data_of,
        )
    if as_json:
        say_json(data_of(found))
    else:
        _print(found)
    return 1 if any(spread.beyond for spread in found.spreads) else 0


def _print(found: Individuals) -> None:
    from accountant_scale.individuals.answer import lines_of, named

    beyond = [(reading, spread) for reading, spread in named(found) if spread.beyond]
    for reading, spread in beyond:
        told = ", ".join(f"{units:,} {word}" for word, units in spread.verdicts)
        word = "NOT KEPT" if dict(spread.verdicts).get("refuted") == spread.beyond else "NOT SHOWN TO BE KEPT"
        say(f"{word} by {spread.beyond:,} of {found.units:,} units: {reading} ({told})")
    if not beyond:
        kept = any(spread.verdicts for spread in found.spreads)
        say(f"KEPT by all {found.units:,} units" if kept else f"READ for all {found.units:,} units")
    for label, text in lines_of(found):
        say_under(label, text, wide=12)
