"""`accountant study counties`: ways to release county counts beside a public total, compared on one's own table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from accountant.commands import (
    Form,
    answers,
    done_in_parts,
    folder_option,
    forgotten,
    json_option,
    kept_beside,
    kept_seed,
    say,
    say_json,
    say_under,
    visible,
    working,
)


def _answer() -> dict[str, Any]:
    from accountant_pufferfish.studies.county_page import schema

    return schema()


@answers(_answer)
@click.command("study counties", short_help="Ways to release county counts beside a public total, compared.")
@click.argument("data", metavar="DATA", type=click.Path(path_type=Path))
@folder_option("Write tables, a page and figures here.", required=True)
@click.option(
    "--epsilon", "epsilons", multiple=True, metavar="NUMBER", help="A budget; repeatable, 1/2, 2 and 8 by default."
)
@click.option(
    "--alpha",
    "alphas",
    multiple=True,
    metavar="NUMBER",
    help="How much last month weighs; repeatable, 0.01 to 100 by default.",
)
@click.option(
    "--releases",
    type=click.IntRange(5, 10_000),
    default=30,
    metavar="COUNT",
    help="How often each is released; 30 by default.",
)
@click.option(
    "--month", "chosen_months", multiple=True, metavar="MONTH", help="Only this month; repeatable, all by default."
)
@click.option("--show", metavar="COUNTY", help="Whose estimates to draw; the smallest county by default.")
@click.option(
    "--jobs", type=click.IntRange(1, 1024), metavar="COUNT", help="How many processes; one for each core by default."
)
@click.option("--seed", type=click.IntRange(0), metavar="NUMBER", help="Repeat what was drawn with this seed.")
@click.option("--format", "form", type=click.Choice(["csv", "parquet"]), default="csv", help="How tables are written.")
@json_option
def command(
    data: Path,
    output: Path,
    epsilons: tuple[str, ...],
    alphas: tuple[str, ...],
    releases: int,
    chosen_months: tuple[str, ...],
    show: str | None,
    jobs: int | None,
    seed: int | None,
    form: Form,
    as_json: bool,
) -> None:
    """Compare ways to release the counts of DATA beside what is public already, at the same budget, for all months.

    DATA is a CSV or Parquet file with a row for each county and month and the columns month, county, cases and deaths;
    population is used for the order of counties where it is there. Public are the counts of the month before, the total
    of cases, and that no county has more deaths than cases. This is a simulation: it draws its noise in floating point,
    and shows true counts to whoever holds them.

    Work that is ended goes on where it stopped when it is asked for again: what is done is kept in FOLDER.parts until
    FOLDER is written.

    \b
    Examples:
      accountant study counties counties.csv --output counties
      accountant study counties counties.parquet --output counties --epsilon 1/2 --epsilon 4 --releases 100 --jobs 2

    \b
    Exit status:
      0  the comparison is written
      2  bad input; nothing is written
    """
    from attrs import asdict

    from accountant import InvalidValue
    from accountant_pufferfish.studies.counties import READING_ALPHA, done
    from accountant_pufferfish.studies.county_page import LABEL, CountyStudy, data_of, write_counties
    from accountant_pufferfish.studies.months import read_months

    budgets = _numbers(epsilons or ("1/2", "2", "8"), "--epsilon")
    weights = _numbers(alphas or ("0.01", "0.1", "1", "10", "100"), "--alpha")
    weights = tuple(sorted({*weights, READING_ALPHA}))
    months = read_months(data).only(chosen_months)
    if show is not None and show not in months.counties:
        raise InvalidValue(f"--show names '{visible(show)}', which is no county of {visible(str(data))}")
    shown = len(months.counties) - 1 if show is None else months.counties.index(show)
    kept = kept_beside(output)
    chosen = kept_seed(kept) if seed is None else seed
    common = {"repeats": releases, "alphas": list(weights), "shown": shown, "seed": chosen}
    parts = [{**asdict(month), **common, "epsilon": epsilon} for month in months.months for epsilon in budgets]
    with working(f"releasing the counts of {visible(str(data))}"):
        found = iter(done_in_parts(done, parts, kept, jobs))
        rows = tuple(tuple(next(found) for _ in budgets) for _ in months.months)
        study = CountyStudy(months, budgets, releases, shown, chosen, rows)
        write_counties(study, output, form)
    forgotten(kept)
    if as_json:
        say_json({**data_of(study), "output": str(output)})
        return
    say(f"STUDY: {study.size}; {LABEL}")
    for method in study.methods:
        cases = study.values(method, "cases").mean(axis=0)
        told = ", ".join(f"{value:,.0f} (epsilon {epsilon:g})" for value, epsilon in zip(cases, budgets, strict=True))
        say_under(method, f"total error of cases {told}", wide=34)
    say_under("seed", f"{chosen}", wide=34)
    say_under("written", visible(str(output)), wide=34)


def _numbers(texts: tuple[str, ...], option: str) -> tuple[float, ...]:
    from accountant import AccountantError, InvalidValue, fields

    try:
        found = sorted({float(fields.exact(text)) for text in texts})
    except AccountantError as error:
        raise InvalidValue(f"{option}: {error}") from error
    if found[0] <= 0.0:
        raise InvalidValue(f"{option} is a number above 0, got {found[0]:g}")
    return tuple(found)
