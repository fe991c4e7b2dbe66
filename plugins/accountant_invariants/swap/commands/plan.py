"""`accountant swap plan`: strata and budget from records, as a plan."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from accountant.commands import answers, json_option, plan_text, say, say_json, say_under, visible, working, write_whole


def _answer() -> dict[str, Any]:
    from accountant_invariants.swap.answer import plan_schema

    return plan_schema()


@answers(_answer)
@click.command("plan", short_help="Say what swapping would cost, and write the plan.")
@click.argument("records", metavar="RECORDS", type=click.Path(path_type=Path))
@click.option("--stratify", multiple=True, metavar="COLUMN", help="Records of a stratum agree on it; repeatable.")
@click.option("--swap", required=True, multiple=True, metavar="COLUMN", help="Its values are exchanged; repeatable.")
@click.option("--rate", required=True, metavar="NUMBER", help="The chance that a record is selected, the same for all.")
@click.option(
    "--version",
    required=True,
    type=click.Choice(["permute", "derange"]),
    help="Any permutation of those selected, or one that leaves none in place.",
)
@click.option(
    "--single",
    type=click.Choice(["redraw", "keep"]),
    default="redraw",
    help="Where one record is to be deranged: draw again (the default), or keep it in place.",
)
@click.option("--unit", default="person", metavar="TEXT", help="What a record is, such as household; person by default.")
@click.option("--epsilon", metavar="NUMBER", help="A budget for two records that exchange their values.")
@click.option(
    "--output", "-o", type=click.Path(path_type=Path), metavar="FILE", help="Where to write the plan; a .toml file."
)
@json_option
def command(
    records: Path,
    stratify: tuple[str, ...],
    swap: tuple[str, ...],
    rate: str,
    version: str,
    single: str,
    unit: str,
    epsilon: str | None,
    output: Path | None,
    as_json: bool,
) -> int:
    """Say what swapping RECORDS would cost, before anything is touched, and write it down as a plan.

    Records that agree on --stratify exchange their values of --swap at random. The counts by both, and by --stratify and
    all other columns, stay as they are and are published exactly: only datasets that agree on them are compared, and
    with them the sizes of strata are known to everybody. The budget is for each record in which such datasets differ;
    they differ in two at least.

    The plan states the strata, both tables and the mechanism. Certify it like any other; 'accountant swap run' does
    what it says.

    \b
    Examples:
      accountant swap plan households.csv --stratify size --swap block --rate 0.05 --version derange
      accountant swap plan households.parquet --stratify state --stratify size --swap block --rate 0.1 --version permute \\
        --unit household --epsilon 20 --output swap.toml

    \b
    Exit status:
      0  the budget is kept, or none was stated
      1  the budget is not kept
      2  bad input; nothing is written
    """
    from accountant import AccountantError, Verdict, account
    from accountant_invariants.swap.answer import design_data, design_lines, headline
    from accountant_invariants.swap.design import Design
    from accountant_invariants.swap.microdata import Microdata

    if output is not None and output.suffix != ".toml":
        raise AccountantError(f"cannot write {output}: a plan with comments is TOML; give a name that ends in .toml")
    with working(f"reading {records}"):
        parts: dict[str, Any] = {"swap": swap, "stratify": stratify, "rate": rate, "version": version, "single": single}
        design = Design.of(Microdata.load(records), **parts)
        plan = design.plan(f"Swapping of {', '.join(sorted(swap))}", unit, epsilon)
        budgets = plan.specification.budgets
        kept = [account(plan).check(budget)[1] is Verdict.IMPLIED for budget in budgets]
    if output is not None:
        following = f"accountant certify {visible(str(output))}"
        write_whole(output, f"# Made of {visible(records.name)}. Next: {following}\n\n{plan_text(plan)}")
    if as_json:
        told = {"kept": all(kept)} if kept else {}
        say_json({**design_data(design), "plan": plan_text(plan) if output is None else str(output), **told})
    else:
        if kept:
            say(f"{'KEPT' if all(kept) else 'NOT KEPT'}: {'; '.join(str(budget) for budget in budgets)}")
        say(headline(design))
        for label, text in design_lines(design):
            say_under(label, text, wide=10)
        if output is not None:
            say(f"Plan: {visible(str(output))}")
    return 0 if all(kept) else 1
