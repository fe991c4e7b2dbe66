"""`accountant swap run`: the swapped file, as a plan says."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from accountant.commands import (
    PlanSource,
    answers,
    json_option,
    plan_argument,
    say,
    say_json,
    say_under,
    visible,
    working,
    write_whole,
)

if TYPE_CHECKING:
    from accountant import Plan
    from accountant_invariants.swapping import Swapping


def _answer() -> dict[str, Any]:
    from accountant_invariants.swap.answer import run_schema

    return run_schema()


@answers(_answer)
@click.command("run", short_help="Swap records as a plan says, and write the file.")
@plan_argument
@click.argument("records", metavar="RECORDS", type=click.Path(path_type=Path))
@click.option(
    "--output",
    "-o",
    required=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Where to write the swapped records; a file of the same kind.",
)
@click.option(
    "--picture", type=click.Path(path_type=Path), metavar="FILE", help="Also an HTML page of what moved: confidential."
)
@click.option("--by", metavar="COLUMN", help="Show what moved by this attribute that stays.")
@click.option("--seed", metavar="NUMBER", help="For tests: take this seed, not the system's randomness.")
@json_option
def command(
    plan: PlanSource, records: Path, output: Path, picture: Path | None, by: str | None, seed: str | None, as_json: bool
) -> None:
    """Swap RECORDS as the swapping of PLAN says, and write the file to be published.

    The budget comes first, and must be that of these records: their columns and the sizes of their strata must be those
    that the plan states. Rows are sorted: the order in which
    they came might show who moved. The randomness is the system's; with --seed it can be repeated, by
    anybody who knows the seed.

    Who moved is not to be published, and neither is how many: that is what the picture shows to those who hold the records.

    \b
    Examples:
      accountant swap run swap.toml households.csv -o swapped.csv
      accountant swap run swap.toml households.parquet -o swapped.parquet --picture moved.html --by race

    \b
    Exit status:
      0  the swapped file is written
      2  bad input; nothing is written
    """
    from accountant import AccountantError
    from accountant.report import HtmlRenderer
    from accountant_invariants.swap.answer import CONFIDENTIAL, SEEDED, design_lines, headline, run_data
    from accountant_invariants.swap.design import Design
    from accountant_invariants.swap.draws import Draws
    from accountant_invariants.swap.microdata import Microdata
    from accountant_invariants.swap.picture import picture as drawn

    if picture is None and by is not None:
        raise AccountantError("--by says what a picture shows; say with --picture where to write it")
    if picture is not None and picture.suffix != ".html":
        raise AccountantError(f"cannot write {picture}: a picture is a page; give a name that ends in .html")
    draws = Draws.of(seed)
    with working(f"reading {records}"):
        design = Design.by(swapping_of(plan.plan()), Microdata.load(records))
    if not as_json:
        say(headline(design))
        for label, text in design_lines(design):
            say_under(label, text, wide=10)
    with working(f"swapping {design.microdata.size:,} records"):
        swapped = design.run(draws)
        page = None if picture is None else HtmlRenderer().render(drawn(swapped, by))
        swapped.microdata.write(output, lambda: write_whole(picture, page) if picture and page else None)
    if as_json:
        say_json({**run_data(swapped), "swapped": str(output), **({} if picture is None else {"picture": str(picture)})})
        return
    say(f"Swapped: {visible(str(output))}")
    if swapped.seed is not None:
        say_under("WARNING", f"{SEEDED} (seed {swapped.seed})", wide=10)
    if picture is not None:
        say(f"Picture: {visible(str(picture))}")
        say_under("note", CONFIDENTIAL, wide=10)


def swapping_of(plan: Plan) -> Swapping:
    """The one mechanism of a plan that swaps records, once."""
    from accountant import AccountantError
    from accountant_invariants.swapping import Swapping

    found = [release for release in plan.releases if isinstance(release.mechanism, Swapping)]
    if len(found) != 1 or found[0].times != 1:
        how = "no release" if not found else f"'{found[0].name}' {found[0].times} times" if len(found) == 1 else "several"
        raise AccountantError(f"a plan to be run swaps records in one release, once, and '{plan.title}' has {how}")
    mechanism = found[0].mechanism
    assert isinstance(mechanism, Swapping)
    return mechanism
