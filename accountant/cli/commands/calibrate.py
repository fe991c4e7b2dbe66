"""`accountant calibrate`: just enough noise for a plan to keep its budgets."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from accountant.cli.failure import caution
from accountant.cli.options import completed, json_option, plan_argument, plugin_options, registry_of
from accountant.cli.output import say, say_json, visible, working, write_whole
from accountant.cli.sources import PlanSource

if TYPE_CHECKING:
    from accountant.analysis.calibration import Calibration
    from accountant.promise.guarantee import Guarantee

_MOST_ROWS = 15


@click.command("calibrate", short_help="Find just enough noise to keep every budget.")
@plan_argument
@click.option(
    "--release",
    "releases",
    multiple=True,
    metavar="NAME",
    shell_complete=completed("release_names"),
    help="Scale the noise of this release; repeatable.",
)
@click.option(
    "--tolerance",
    default="1e-4",
    metavar="NUMBER",
    shell_complete=completed("usual", "tolerance"),
    help="How much less is no longer enough; 1e-4 by default.",
)
@click.option(
    "--output", "-o", type=click.Path(path_type=Path), metavar="FILE", help="Write the calibrated plan as JSON to a file."
)
@click.option("--all", "whole", is_flag=True, help="Show every release, not only the first fifteen.")
@json_option
@plugin_options
def command(
    plan: PlanSource,
    releases: tuple[str, ...],
    tolerance: str,
    output: Path | None,
    whole: bool,
    as_json: bool,
    disabled: tuple[str, ...],
    allowed: tuple[str, ...],
) -> None:
    """Find a common factor on the noise of PLAN that is just enough to keep every budget.

    Without --release the noise of all releases is scaled. The plan that is found was checked as it stands; with less
    noise, by more than the tolerance, some budget is exceeded or not known to be kept.

    \b
    Examples:
      accountant calibrate survey.toml
      accountant calibrate survey.toml --release "age by sex" --output calibrated.json
      accountant calibrate survey.toml --tolerance 1e-6 --json
    """
    from accountant.analysis.calibration import calibrate
    from accountant.values.source import canonical

    registry = registry_of(disabled, allowed)
    loaded = plan.plan(registry)
    plan.check_written(output)
    with working("looking for just enough noise"):
        found = calibrate(loaded, releases=releases or None, tolerance=tolerance, registry=registry)
    caution(loaded.warnings)
    if output is not None:
        write_whole(output, canonical(found.plan.as_data()) + "\n")
    if as_json:
        say_json(_data(found))
        return
    _print(found, whole=whole)
    if output is not None:
        say(f"Plan: {visible(str(output))}")


def _data(found: Calibration) -> dict[str, Any]:
    from accountant.certificate.data import write
    from accountant.certificate.findings import certified
    from accountant.numbers.exact import plain

    return {
        "factor": plain(found.factor),
        "less": plain(found.less),
        "plan": found.plan.as_data(),
        "guarantees": [write(certified(guarantee)) for guarantee in found.guarantees],
        "labels": list(found.labels),
    }


def _print(found: Calibration, *, whole: bool) -> None:
    from accountant.numbers.exact import plain
    from accountant.values.writing import in_words

    say(f"{plain(found.factor)} times the noise keeps every budget; {plain(found.less)} times is not known to.")
    say_limits(found.labels, found.guarantees)
    releases = found.plan.as_data()["release"]
    for release in releases if whole else releases[:_MOST_ROWS]:
        say(f"  {visible(release['name'])}: {visible(in_words(release['mechanism'], 60))}")
    if not whole and len(releases) > _MOST_ROWS:
        say(f"  and {len(releases) - _MOST_ROWS:,} more; --all shows them")


def say_limits(labels: tuple[str, ...], guarantees: tuple[Guarantee, ...]) -> None:
    """What each budget and risk reads with the noise that was found."""
    for label, guarantee in zip(labels, guarantees, strict=True):
        named = guarantee.name if label == guarantee.divergence else f"{guarantee.divergence} {guarantee.name}"
        say(f"  {visible(label)}: {named} = {guarantee.value}{guarantee.at_words}")
