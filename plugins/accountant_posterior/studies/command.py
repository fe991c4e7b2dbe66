"""`accountant study intervals`: how intervals from released numbers do, over a grid of settings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from accountant.commands import (
    Form,
    PlanSource,
    answers,
    done_in_parts,
    folder_option,
    forgotten,
    json_option,
    kept_beside,
    kept_seed,
    read_grid,
    say,
    say_json,
    say_under,
    visible,
    working,
)


def _answer() -> dict[str, Any]:
    from accountant_posterior.studies.output import schema

    return schema()


@answers(_answer)
@click.command("intervals", short_help="How often credible intervals cover, over a grid of settings.")
@click.argument("grid", metavar="GRID", type=click.Path())
@folder_option("Write a table, a page and figures here.", required=True)
@click.option(
    "--jobs", type=click.IntRange(1, 1024), metavar="COUNT", help="How many processes; one for each core by default."
)
@click.option("--seed", type=click.IntRange(0), metavar="NUMBER", help="Repeat what was drawn with this seed.")
@click.option("--format", "form", type=click.Choice(["csv", "parquet"]), default="csv", help="How the table is written.")
@json_option
def command(grid: str, output: Path, jobs: int | None, seed: int | None, form: Form, as_json: bool) -> None:
    """Draw datasets, release their mean and variance, and see what intervals for the law behind them do.

    GRID is TOML or JSON with a table [grid]: every key has one value or a list, and all combinations are tried.

    \b
      count     how many values a dataset has
      epsilon   what the mean spends, and what the variance spends: Laplace noise
      law       what data come from: normal:MEAN,DEVIATION cut to the bounds, or beta:A,B
      model     constrained (data lie between their bounds; the default) or unconstrained
      prior     flat (the default), flat:POWER or conjugate:MEAN,VARIANCE[,WEIGHT[,WEIGHT]]
      datasets  how many of each setting; 1000 by default
      level     what intervals hold; 0.95 by default
      lower, upper   the bounds of the data; 0 and 1 by default

    Posteriors are integrated, not sampled, for all datasets of a setting at once. The answer depends on grid and seed
    alone, whatever the number of processes. Work that is ended goes on where it stopped when it is asked for again with
    the same seed: what is done is kept in FOLDER.parts until FOLDER is written.

    \b
    Examples:
      accountant study intervals coverage.toml --output coverage
      accountant study intervals coverage.toml --output coverage --jobs 2 --seed 7 --format parquet

    \b
    Exit status:
      0  the study is written
      2  bad input; nothing is written
    """
    from accountant import InvalidValue
    from accountant_posterior.studies.intervals import KEYS, checked, done, gathered, parts_of
    from accountant_posterior.studies.output import IntervalStudy, data_of, write_intervals

    source = PlanSource(grid)
    read = read_grid(source, KEYS)
    try:
        checked(read)
    except InvalidValue as error:
        raise InvalidValue(f"{error} @ grid of {visible(str(source))}") from error
    kept = kept_beside(output)
    chosen = seed if seed is not None else read.seed if read.seed is not None else kept_seed(kept)
    parts = list(parts_of(read, chosen))
    with working(f"trying {len(read.settings):,} settings of {visible(str(source))}"):
        found = done_in_parts(done, parts, kept, jobs)
        study = IntervalStudy(read, chosen, tuple(gathered(read, parts, found)))
        write_intervals(study, output, form)
    forgotten(kept)
    if as_json:
        say_json({**data_of(study), "output": str(output)})
    else:
        _print(study, output)


def _print(study: Any, output: Path) -> None:
    from accountant_posterior.studies.output import LABEL

    say(f"STUDY: {len(study.tried):,} settings; {LABEL}")
    for one in study.tried[:12]:
        label = ", ".join(f"{name} {one.setting[name]}" for name in study.grid.varying) or "all"
        mean = one.outcomes[0]
        told = (
            f"covers {100 * mean.coverage:.1f} % (± {196 * mean.coverage_error:.1f}), length {mean.length:.4g}, errors "
            f"{mean.mode_error:.4g} (mode) and {mean.mean_error:.4g} (mean)"
        )
        say(f"  {visible(label)}")
        say_under("mean", told, wide=12)
    if len(study.tried) > 12:
        say_under("further", f"{len(study.tried) - 12:,} settings are in the table", wide=12)
    say_under("seed", f"{study.seed}", wide=12)
    say_under("written", visible(str(output)), wide=12)
