"""`accountant reallocate`: the same budgets, shared out among releases for a smaller error."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from accountant.cli.failure import caution
from accountant.cli.options import completed, json_option, plan_argument, plugin_options, registry_of
from accountant.cli.output import say, say_json, visible, width, working, wrapped, write_whole
from accountant.cli.sources import PlanSource

if TYPE_CHECKING:
    from accountant.analysis.allocation import Allocation, Allotment, Minimised
    from accountant.numbers.interval import Interval

_MOST_ROWS = 15


@click.command("reallocate", short_help="Share the budgets out among releases for a smaller error.")
@plan_argument
@click.option(
    "--without",
    multiple=True,
    metavar="NAME",
    shell_complete=completed("release_names"),
    help="Leave this release out, and give what it cost to the others; repeatable.",
)
@click.option(
    "--weight",
    "weights",
    multiple=True,
    metavar="NAME=NUMBER",
    help="How much the error of this release counts, 1 by default; repeatable.",
)
@click.option(
    "--minimise",
    type=click.Choice(["squares", "largest"]),
    default="squares",
    help="The weighted mean of squared errors, which is the default, or the largest weighted error.",
)
@click.option(
    "--share",
    default="0.95",
    metavar="NUMBER",
    help="An error is the distance that noise keeps with this probability; 0.95 by default.",
)
@click.option("--output", "-o", type=click.Path(path_type=Path), metavar="FILE", help="Write the plan as JSON to a file.")
@click.option("--all", "whole", is_flag=True, help="Show every release, not only the first fifteen.")
@json_option
@plugin_options
def command(
    plan: PlanSource,
    without: tuple[str, ...],
    weights: tuple[str, ...],
    minimise: Minimised,
    share: str,
    output: Path | None,
    whole: bool,
    as_json: bool,
    disabled: tuple[str, ...],
    allowed: tuple[str, ...],
) -> None:
    """Share the budgets of PLAN out among its releases so that a stated error is small, and every budget is kept.

    The error of a release is how far its noise takes each published number from the exact one, with a probability. The
    plan that is found was checked as it stands, and its error is no larger than with just enough noise by one factor for
    all. That no other plan has less is not claimed. Releases without noise, or whose error is not known, stay as they are.

    \b
    Examples:
      accountant reallocate survey.toml
      accountant reallocate survey.toml --weight "age by sex=4" --output shared.json
      accountant reallocate examples/census-2020.toml --without "block: detailed" --minimise largest --json
    """
    from accountant.analysis.allocation import reallocate
    from accountant.values.source import canonical

    registry = registry_of(disabled, allowed)
    loaded = plan.plan(registry)
    plan.check_written(output)
    counted = _weights(weights)
    with working("sharing the budgets out"):
        found = reallocate(loaded, without=without, weights=counted, minimise=minimise, share=share, registry=registry)
    caution(loaded.warnings)
    if output is not None:
        write_whole(output, canonical(found.plan.as_data()) + "\n")
    if as_json:
        say_json(_data(found))
        return
    _print(found, whole=whole)
    if output is not None:
        say(f"Plan: {visible(str(output))}")


def _weights(given: tuple[str, ...]) -> dict[str, str]:
    """Weights by name; a name may hold an equals sign, a number does not."""
    from accountant.errors import Fault, PlanError

    pairs = [text.rpartition("=") for text in given]
    faults = [
        Fault(f"expected a text such as 'age by sex=4', got {text!r}", "--weight")
        for text, (name, _, number) in zip(given, pairs, strict=True)
        if not name or not number
    ]
    names = [name for name, _, _ in pairs]
    faults += [Fault(f"'{name}' has two weights", "--weight") for name in dict.fromkeys(names) if names.count(name) > 1]
    if faults:
        raise PlanError(tuple(faults))
    return {name: number for name, _, number in pairs}


def _data(found: Allocation) -> dict[str, Any]:
    from accountant.certificate.data import write
    from accountant.certificate.findings import certified, named
    from accountant.numbers.exact import plain

    def value(name: str, interval: Interval | None) -> Any:
        return None if interval is None else write(named(name, interval))

    return {
        "minimised": found.minimised,
        "share": plain(found.share),
        "error": value("error", found.error),
        "common": value("error", found.common),
        "releases": [
            {
                "name": item.name,
                "weight": plain(item.weight),
                "factor": None if item.factor is None else plain(item.factor),
                "before": value("distance", item.before),
                "after": value("distance", item.after),
            }
            for item in found.allotments
        ],
        "plan": found.plan.as_data(),
        "guarantees": [write(certified(guarantee)) for guarantee in found.guarantees],
        "labels": list(found.labels),
    }


def _print(found: Allocation, *, whole: bool) -> None:
    from accountant.analysis.allocation import stated
    from accountant.cli.commands.calibrate import say_limits
    from accountant.report import Table
    from accountant.report.render.text import render_blocks

    least, common = found.error.rounded(4)[1], found.common.rounded(4)[1]
    say(wrapped(f"Every budget is kept, with an error of at most {least}; one common factor gives {common}."))
    say(wrapped(f"The error is the {stated(found.minimised, found.share)}."))
    say_limits(found.labels, found.guarantees)
    shown = found.allotments if whole else found.allotments[:_MOST_ROWS]
    columns = ("release", "weight", "times the noise", "distance before", "after")
    table = Table("What each release gets, distances rounded up", columns, tuple(map(_row, shown)))
    say(render_blocks((table,), width()).rstrip("\n"))
    if len(shown) < len(found.allotments):
        say(f"  and {len(found.allotments) - len(shown):,} more; --all shows them")


def _row(item: Allotment) -> tuple[str, ...]:
    from accountant.numbers.exact import plain

    factor = "as it was" if item.factor is None else f"{float(item.factor):.4g}"
    return (visible(item.name), plain(item.weight), factor, _up(item.before), _up(item.after))


def _up(value: Interval | None) -> str:
    return "unknown" if value is None else value.rounded(4)[1]
