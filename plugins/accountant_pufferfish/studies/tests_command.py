"""`accountant study tests`, `study clamps` and `study dependence`: what is enumerated over a grid of settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from accountant.commands import (
    Form,
    GridKey,
    Plain,
    PlanSource,
    answers,
    done_in_parts,
    folder_option,
    forgotten,
    json_option,
    kept_beside,
    read_grid,
    say,
    say_json,
    say_under,
    visible,
    working,
)

if TYPE_CHECKING:
    from accountant_pufferfish.studies.grid_page import Kind

Command = TypeVar("Command", bound=Callable[..., Any])

_SHOWN = 12


def _answer() -> dict[str, Any]:
    from accountant_pufferfish.studies.grid_page import POWER, schema

    return schema(POWER)


def _distances() -> dict[str, Any]:
    from accountant_pufferfish.studies.grid_page import DISTANCE, schema

    return schema(DISTANCE)


def _options(function: Command) -> Command:
    """The grid, and where to write."""
    for option in (
        json_option,
        click.option(
            "--format", "form", type=click.Choice(["csv", "parquet"]), default="csv", help="How the table is written."
        ),
        click.option(
            "--jobs",
            type=click.IntRange(1, 1024),
            metavar="COUNT",
            help="How many processes; one for each core by default.",
        ),
        folder_option("Write a table, a page and a figure here.", required=True),
        click.argument("grid", metavar="GRID", type=click.Path()),
    ):
        function = option(function)
    return function


@answers(_answer)
@click.command("study tests", short_help="Tests from a noisy count and public facts, against the projected count.")
@_options
def command(grid: str, output: Path, jobs: int | None, form: Form, as_json: bool) -> None:
    """Compare tests from a noisy count and what is public with tests from the count that was made to agree with it.

    GRID is TOML or JSON with a table [grid]: every key has one value or a list, and all combinations are tried. Outcomes
    are enumerated, and every power is that of the most powerful test of the level: nothing is drawn at random.

    \b
      people       how many there are; each is counted with the same chance
      noise        geometric:SCALE or discrete-gaussian:VARIANCE
      public       total (of this and a second group as large, whose chance is null; the default), reaches:COUNT, nothing
      null         the chance at most which the null hypothesis has; 0.5 by default
      alternative  the chance at which power is read
      level        of the test; 0.05 by default

    \b
    Examples:
      accountant study tests tests.toml --output power
      accountant study tests tests.toml --output power --jobs 2 --format parquet

    \b
    Exit status:
      0  the study is written
      2  bad input; nothing is written
    """
    from accountant_pufferfish.studies.grid_page import POWER
    from accountant_pufferfish.studies.power import KEYS, SEEN, checked, done

    what = (
        "Each power is that of the most powerful test that looks at so much: the data themselves, the noisy count beside "
        "what is public, the noisy count alone, or the count projected onto what is public. Projecting can only lower it."
    )
    _study(POWER, grid, KEYS, checked, done, SEEN, what, output, jobs, form, as_json)


@answers(_answer)
@click.command("study clamps", short_help="Tests from the clamped log-likelihood ratio, and their best clamps.")
@_options
def clamps(grid: str, output: Path, jobs: int | None, form: Form, as_json: bool) -> None:
    """Compare tests between two laws from the clamped log-likelihood ratio with Laplace noise, by how it is clamped.

    GRID is TOML or JSON with a table [grid]: every key has one value or a list, and all combinations are tried. Samples are
    enumerated; the best clamps are the best of those on a grid, so that their power is at least what is said.

    \b
      people       how many records there are
      epsilon      what the release spends: the noise has scale (b - a)/epsilon between the clamps a and b
      null         chances of the outcomes of a record, such as "1/2 1/4 1/4"
      alternative  the same under the other hypothesis
      level        of the test; 0.05 by default

    \b
    Examples:
      accountant study clamps clamps.toml --output clamps
      accountant study clamps clamps.toml --output clamps --jobs 2

    \b
    Exit status:
      0  the study is written
      2  bad input; nothing is written
    """
    from accountant_pufferfish.studies.clamps import KEYS, METHODS, checked, done
    from accountant_pufferfish.studies.grid_page import POWER

    what = (
        "Each power is that of the most powerful test, of any form, of what is released; without noise it is that of the "
        "test of Neyman and Pearson. Clamps that serve best depend on the laws and need not be symmetric."
    )
    _study(POWER, grid, KEYS, checked, done, METHODS, what, output, jobs, form, as_json)


@answers(_distances)
@click.command("study dependence", short_help="How far a count moves with one record on which the others depend.")
@_options
def dependence(grid: str, output: Path, jobs: int | None, form: Form, as_json: bool) -> None:
    """Say how far a count of yes and no moves with one record, where the others depend on what that record says.

    GRID is TOML or JSON with a table [grid]: every key has one value or a list, and all combinations are tried. All of it
    is exact. Noise that hides one record alone, as for independent records, must be so many times as large.

    
      records       how many records there are
      rate_if_zero  the chance that another record is 1 if the one is 0
      rate_if_one   the chance that another record is 1 if the one is 1

    
    Examples:
      accountant study dependence dependence.toml --output dependence
      accountant study dependence dependence.toml --output dependence --format parquet

    
    Exit status:
      0  the study is written
      2  bad input; nothing is written
    """
    from accountant_pufferfish.studies.dependence import COMPARED, KEYS, checked, done
    from accountant_pufferfish.studies.grid_page import DISTANCE

    what = (
        "Of the count: between its laws under the two answers of one record. Of the records: between the laws of all "
        "records, of which any release may be made. As printed: by the recipe of the source, which looks at the levels of "
        "one distribution function only, and can be too small."
    )
    _study(DISTANCE, grid, KEYS, checked, done, COMPARED, what, output, jobs, form, as_json)


def _study(
    kind: Kind,
    grid: str,
    keys: Mapping[str, GridKey],
    check: Callable[[Plain], None],
    work: Callable[[Plain], Plain],
    compared: Sequence[str],
    what: str,
    output: Path,
    jobs: int | None,
    form: Form,
    as_json: bool,
) -> None:
    from accountant import InvalidValue
    from accountant_pufferfish.studies.grid_page import GridStudy, data_of, number, write_study

    source = PlanSource(grid)
    read = read_grid(source, keys)
    for setting in read.settings:
        try:
            check(setting)
        except InvalidValue as error:
            raise InvalidValue(f"{error} @ grid of {visible(str(source))}") from error
    kept = kept_beside(output)
    with working(f"enumerating {len(read.settings):,} settings of {visible(str(source))}"):
        study = GridStudy(kind, read, tuple(compared), what, tuple(done_in_parts(work, read.settings, kept, jobs)))
        write_study(study, output, form)
    forgotten(kept)
    if as_json:
        say_json({**data_of(study), "output": str(output)})
        return
    say(f"STUDY: {len(read.settings):,} settings; {kind.label}")
    for setting, found in list(zip(read.settings, study.found, strict=True))[:_SHOWN]:
        say("  " + visible(", ".join(f"{name} {setting[name]}" for name in read.varying) or "all"))
        for name in compared:
            between = found.get(f"clamps, {name}")
            told = "" if between is None else f", clamped to between {between[0]:.4g} and {between[1]:.4g}"
            say_under(name, f"{number(found[name])}{told}", wide=36)
    if len(read.settings) > _SHOWN:
        say_under("further", f"{len(read.settings) - _SHOWN:,} settings are in the table", wide=36)
    say_under("written", visible(str(output)), wide=36)
