"""`accountant swap audit`: what was run against the account."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from accountant.commands import PlanSource, answers, json_option, plan_argument, say, say_json, say_under, working

_TOLD = {
    "consistent": "nothing that was tried speaks against the account",
    "not decided": "nothing speaks against the account, and there were too few runs to see it; ask for more with --samples",
}


def _answer() -> dict[str, Any]:
    from accountant_invariants.swap.answer import audit_schema

    return audit_schema()


@answers(_answer)
@click.command("audit", short_help="Hold a swapped file to its plan.")
@plan_argument
@click.argument("records", metavar="RECORDS", type=click.Path(path_type=Path))
@click.argument("swapped", metavar="SWAPPED", type=click.Path(path_type=Path))
@click.option("--samples", default="20000", metavar="NUMBER", help="Runs to compare with at most; 20,000 by default.")
@click.option("--confidence", default="0.999", metavar="NUMBER", help="How sure a refutation must be; 0.999 by default.")
@click.option("--seed", default="0", metavar="NUMBER", help="Where the randomness of the tests starts; 0 by default.")
@json_option
def command(plan: PlanSource, records: Path, swapped: Path, samples: str, confidence: str, seed: str, as_json: bool) -> int:
    """Hold SWAPPED, made of RECORDS by whatever program and in any order, to the swapping that PLAN states.

    Both tables must be as they were, cell by cell. How many records look different is compared with runs of the same
    design, and in strata of up to four different records the permutations are compared with their exact
    law. What is refuted is not what the account speaks of, and its budget does not hold. Otherwise nothing is proved: an
    audit of one file only sees what it tries. What it finds is for those who hold the records.

    \b
    Examples:
      accountant swap audit swap.toml households.csv swapped.csv
      accountant swap audit swap.toml households.csv swapped.csv --confidence 0.99999 --samples 1000000 --json

    \b
    Exit status:
      0  nothing that was tried speaks against the account, or nothing was decided
      1  the file is not what the plan states
      2  bad input
    """
    from accountant_invariants.swap.answer import audit_data
    from accountant_invariants.swap.audit import Auditing, audit
    from accountant_invariants.swap.commands.run import swapping_of
    from accountant_invariants.swap.design import Design
    from accountant_invariants.swap.microdata import Microdata

    settings = Auditing(samples, confidence, seed)
    with working(f"comparing {swapped} with {records}"):
        design = Design.by(swapping_of(plan.plan()), Microdata.load(records))
        found = audit(design, Microdata.load(swapped), settings)
    if as_json:
        say_json(audit_data(found))
    else:
        wrong = "; ".join(check.name for check in found.checks if check.verdict == "refuted")
        say(f"{found.verdict}: {wrong or _TOLD[found.verdict]}")
        for check in found.checks:
            chance = "" if check.chance is None else f" (chance {float(check.chance):.2g})"
            say(f"{check.name}: {check.verdict}")
            say_under("found", f"{check.found}{chance}", wide=7)
    return 1 if found.verdict == "refuted" else 0
